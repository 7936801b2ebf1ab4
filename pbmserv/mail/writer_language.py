"""What an email shows about its writer: the language, and the distance of the clock from UTC.

A server asks for neither, so both are proposals for a new account, and for answers to strangers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import islice

from pbmserv.mail.writer_signs import of_charset, of_script, of_signature, unquoted
from pbmserv.text.normalize import plain
from pbmserv.text.phrases import by_language

_LONGEST_READ = 2000  # characters
_FEWEST = 2  # words of a language; one alone may be a name
_LEAD = 1.5  # times as many as of any other language
_SUBTAG = re.compile("[^a-z]")
# Letters beside a digit or such a sign are part of a token, a setting or an address.
_WORD = re.compile(r"(?<![\w@.+=#/-])[^\W\d_]+(?![\w@+=#/-])")
_OFFSET = re.compile(r"[0-9] ([+-])([0-9]{2})([0-9]{2})(?: *\(.{0,80}\))?$")
_UNKNOWN_OFFSET = "-0000"  # RFC 5322, 3.3: the date tells nothing about the local time
_MOST_GREETINGS = 4  # lines: the Subject and the first ones
_MOST_COMMANDS = 2  # the Subject and the first line
_GAME = "perudo "
_OPENINGS = "greetings", "thanks", "yes", "confirming"
_AROUND = " .,!?¡¿"
_FARTHEST = 14 * 60  # minutes from UTC


def language_of(
    declared: str,
    lines: Iterable[str],
    sender: str,
    offered: Collection[str] = (),
    *,
    name: str = "",
    shown: Sequence[str] = (),
    content_type: str = "",
) -> str:
    """The code of the language in which an email is plainly written; "" if nothing tells it.

    A header in English proves little, because programs write it for people of all languages.  The
    word of a command, such as `inscription`, tells it where the words and the domain do not.  A
    greeting, thanks or a yes at the beginning of a line, such as `Bonjour`, tells it before the
    domain.  So do a signature among the lines `shown` to a reader, and the script of the words and
    of the writer's `name`, unless the domain is of a language that is not offered.
    """
    declared = _SUBTAG.split(declared.lower(), maxsplit=1)[0]
    if declared not in {"", "en"}:
        return declared if declared in by_language("function_words") else ""
    text = _plain(lines)
    written = [line for line in text.split("\n") if line.strip()]
    if found := _of_words(text, offered):
        return found
    if greeting := _of_greeting(written, offered):
        return greeting
    country, command = _of_domain(sender), _of_command(written)
    if not country or country in offered:
        around = "\n".join((name, *unquoted(shown)))[:_LONGEST_READ]
        if sign := of_signature(shown, offered) or of_script(f"{around}\n{text}", offered):
            return sign
    told = (country or command) if command else (declared or country)
    return told or of_charset(content_type, offered)


def of_words(lines: Iterable[str], offered: Collection[str] = ()) -> str:
    """The language that has clearly the most words of a text; "" if none has.

    An offered one needs this lead only over the others that are offered.  It loses to a language
    that is not, only if that one has such a lead over it.  A short text is of both.
    """
    return _of_words(_plain(lines), offered)


def _plain(lines: Iterable[str]) -> str:
    return plain("\n".join(lines)[:_LONGEST_READ]).lower()


def _of_words(text: str, offered: Collection[str]) -> str:
    known = _of_function_words()
    found = known.keys() & _WORD.findall(text)
    if len(found) < _FEWEST:
        return ""
    counts = Counter(name for word in found for name in known[word])
    ours = _clear({name: count for name, count in counts.items() if name in offered})
    if ours and max(counts.values()) < _LEAD * counts[ours]:
        return ours
    return _clear(counts)


def _clear(counts: Mapping[str, int]) -> str:
    """The language with a clear lead over all others; "" if none has."""
    best, *others = sorted(counts, key=lambda name: counts[name], reverse=True) or [""]
    most = max((counts[name] for name in others), default=0)
    return best if counts.get(best, 0) >= max(_FEWEST, _LEAD * most) else ""


@cache
def _of_function_words() -> Mapping[str, Sequence[str]]:
    return _by_word(by_language("function_words"))


@cache
def _of_greetings() -> Mapping[str, Sequence[str]]:
    return _by_word(*map(by_language, _OPENINGS))


@cache
def _of_domains() -> Mapping[str, Sequence[str]]:
    return _by_word(by_language("domains"))


def _by_word(*kinds: Mapping[str, Sequence[str]]) -> Mapping[str, Sequence[str]]:
    """Each word of these kinds with the languages that have it."""
    found: dict[str, dict[str, None]] = {}
    for kind in kinds:
        for name, words in kind.items():
            for word in words:
                found.setdefault(word, {})[name] = None
    return {word: tuple(names) for word, names in found.items()}


def _of_greeting(lines: Sequence[str], offered: Collection[str]) -> str:
    """The one offered language whose greeting, thanks or yes begins one of the first lines; or "".

    English ones count for nothing, because people of all languages use them.
    """
    known = _of_greetings()
    for line in lines[:_MOST_GREETINGS]:
        if first := _WORD.search(line):
            found = [name for name in known.get(first[0], ()) if name in offered]
            if len(found) == 1 and found != ["en"]:
                return found[0]
    return ""


def _of_command(lines: Iterable[str]) -> str:
    """The language whose word for a command begins the Subject or the first line; "" for none."""
    for line in islice(filter(None, (line.strip(_AROUND) for line in lines)), _MOST_COMMANDS):
        text = f"{line.removeprefix(_GAME)} "
        for words, name in _commands().get(text.partition(" ")[0], ()):
            if text.startswith(words):
                return name
    return ""


@cache
def _commands() -> Mapping[str, Sequence[tuple[str, str]]]:
    """The words for commands, with a blank behind them, and their languages, by the first word."""
    found: dict[str, list[tuple[str, str]]] = {}
    for name, entries in by_language("command_words").items():
        for each in entries:
            words = f"{each.rpartition(' ')[0]} "
            found.setdefault(words.partition(" ")[0], []).append((words, name))
    return found


def _of_domain(sender: str) -> str:
    """The language of a country that has one, by the domain of an address."""
    _, at, domain = sender.rpartition("@")
    known = _of_domains().get(domain.rpartition(".")[2], ()) if at else ()
    return known[0] if known else ""


def offset_of(date: str) -> int | None:
    """How many minutes the clock of an email's date is ahead of UTC; None if it does not say so."""
    found = _OFFSET.search(date[-120:].strip())
    if not found or "".join(found.groups()) == _UNKNOWN_OFFSET:
        return None
    sign, hours, minutes = found.groups()
    ahead = 60 * int(hours) + int(minutes)
    return (-ahead if sign == "-" else ahead) if ahead <= _FARTHEST else None
