"""Signs of a writer's language beside the words of an email.

They are a signature, a line that a mail program adds, the script of the letters, and the charset.
A language is named only if it is one of the languages of letters.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache

from pbmserv.text.normalize import plain
from pbmserv.text.phrases import by_language

_MOST_LINES = 40
_LONGEST_LINE = 80  # characters: a sentence that has such a word proves nothing
_MOST_WORDS = 4  # of the line of a signature: "С уважением, Иван"
_WORD = re.compile(r"[^\W\d_]+")
_QUOTED = ">", "|"
_FEWEST_LETTERS = 4  # of a script; fewer may be a picture, such as "(づ｡◕‿‿◕｡)づ"
_CYRILLIC = re.compile("[\u0400-\u04ff]")
# Letters of other languages in that script: Ukrainian, Belarusian, Serbian, Macedonian, Kazakh.
_NOT_RUSSIAN = re.compile("[іїєґўђјљњћџѓќѕәғқңөұүһ]")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w-]{1,20})")


def unquoted(lines: Sequence[str]) -> list[str]:
    """The first lines that are not marked as a quotation."""
    return [line for line in lines[:_MOST_LINES] if not line.lstrip().startswith(_QUOTED)]


def of_signature(lines: Sequence[str], offered: Collection[str]) -> str:
    """The one offered language in which a letter is closed, or its mail program speaks; else "".

    English counts for nothing, because programs of people of all languages speak it.
    """
    said = [
        name
        for line in unquoted(lines)
        if len(line) <= _LONGEST_LINE
        for name in _of_line(plain(line).lower().strip())
    ]
    found = {name for name in said if name in offered}
    return found.pop() if len(found) == 1 else ""


def _of_line(line: str) -> Collection[str]:
    """The language of a line of a signature or a mail program, if it is of one language alone."""
    for opening, name in _openings():
        if line.startswith(opening):
            return {name}
    words = _WORD.findall(line)
    if len(words) > _MOST_WORDS:
        return ()
    return {_closings()[word] for word in words if word in _closings()}


@cache
def _openings() -> Sequence[tuple[str, str]]:
    """The beginnings of lines such as "Envoyé de mon iPhone" that one language alone has."""
    return list(_of_one(by_language("sent_from")).items())


@cache
def _closings() -> Mapping[str, str]:
    """The words such as "cordialement" that one language alone has."""
    known = {
        name: [word for word in words if word.isalpha()]
        for name, words in by_language("closings").items()
    }
    return _of_one(known)


def _of_one(words: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Each word with its language, but for words of English and those of several languages."""
    found: dict[str, list[str]] = {}
    for name, some in words.items():
        for word in some:
            found.setdefault(word, []).append(name)
    return {word: names[0] for word, names in found.items() if len(names) == 1 and names != ["en"]}


def of_script(text: str, offered: Collection[str]) -> str:
    """The offered language whose script a text has, unless it has letters of another one."""
    low = text.lower()
    is_russian = len(_CYRILLIC.findall(low)) >= _FEWEST_LETTERS and not _NOT_RUSSIAN.search(low)
    return "ru" if is_russian and "ru" in offered else ""


def of_charset(content_type: str, offered: Collection[str]) -> str:
    """The offered language for which the charset of a Content-Type header was made; else ""."""
    found = _CHARSET.search(content_type.lower())
    name = _charsets().get(found[1], "") if found else ""
    return name if name in offered else ""


@cache
def _charsets() -> Mapping[str, str]:
    """The charsets that were made for one language alone."""
    return _of_one(by_language("charsets"))
