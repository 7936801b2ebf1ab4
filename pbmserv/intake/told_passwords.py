"""Passwords that a player tells the server in a message, such as a new one.

No comparison finds them: the server knows only the hash of the password that is used now.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from pbmserv.disclosure.redaction import bare as bare_of
from pbmserv.intake.likely_passwords import is_unknown, words_in
from pbmserv.intake.password_redaction import is_bid
from pbmserv.security.credentials import SHORTEST_PASSWORD
from pbmserv.text.normalize import plain
from pbmserv.text.phrases import words_of
from pbmserv.text.unicode_forms import unmarked

_LONGEST_END = 80  # characters of the end of a line
_LONGEST = 200  # characters of a line in which words for passwords may be mistyped
_LONG = 6  # letters of such a word
_MOST_WORDS, _FEW_WORDS = 12, 4  # of a line that names a word with digits, and any word
_WORD = re.compile(rf"[^\W\d_]{{{_LONG - 1},12}}(?![^\W\d_])")
_VALUE = re.compile(r"\s?[:=]\s?\S")  # behind a word for passwords
_MEASURED = re.compile(r"[0-9]{1,4}[^\W\d_]{1,3}$|[0-9]{1,2}h[0-9]{2}$")  # 10th, 500km, 20h30
_MOST_LINES = 1_000  # of a message that are searched; a longer one is refused


def without_told_passwords(message: str, above: Sequence[str] = ()) -> str:
    """A message without the lines that tell a password: "my new password should be trout99".

    A line such as "I forgot my password" stays, and so does "the new password of our wiki".  Below
    a line that ends with such words, such as "My new password:", the password is in the next one.
    That line may be the last of those `above` the message.
    """
    left: list[str] = []
    lines = message.split("\n")
    last = next(filter(str.strip, reversed(above)), "")
    is_next = _tells(last) and _announces(last)
    for at, line in enumerate(lines):
        told = at < _MOST_LINES and _tells(line)
        if not told and not (is_next and line.strip()):
            left.append(line)
        is_next = _announces(line) if told else is_next and not line.strip()
    return message if len(left) == len(lines) else "\n".join(left).strip()


def is_about_own_password(typed: Sequence[str]) -> bool:
    """Whether a text is one line about the writer's own password: "my password doesn't work"."""
    lines = [line for line in typed if line.strip()]
    return len(lines) == 1 and _owned().search(_bare(lines[0])) is not None


def _tells(line: str) -> bool:
    bare = _bare(line)
    if _telling().search(bare) is not None or _labels().match(bare) is not None:
        return True
    words = words_in(line)
    has_digits = len(words) <= _MOST_WORDS and any(map(_has_letters_and_digits, words))
    if has_digits and _names_or_labels().search(bare):
        return True
    if (named := _names().search(bare)) is None:
        return False
    if _VALUE.match(bare, named.end()) or named[0].endswith((":", "=")):
        return True
    unknown = [each for each in words if is_unknown(each) and not _names().search(_bare(each))]
    is_short = len(words) <= _FEW_WORDS
    return len(unknown) == 1 and (is_short or _failing().search(bare) is not None)


def _has_letters_and_digits(word: str) -> bool:
    """Whether a word is like trout99, and not a bid, a link, or a number such as 20h30 or 10th."""
    inner = bare_of(word).lower()
    if len(inner) < SHORTEST_PASSWORD or is_bid(inner) or "://" in word or _MEASURED.match(inner):
        return False
    return any(map(str.isdigit, inner)) and any(map(str.isalpha, inner))


def _announces(line: str) -> bool:
    """Whether nothing is behind the words that tell a password."""
    return _announcing().search(_bare(line)[-_LONGEST_END:]) is not None


def _bare(line: str) -> str:
    """The line in small letters without accents, and with a mistyped word for passwords spelled."""
    said = " ".join(unmarked(plain(line)).lower().split())
    return _WORD.sub(_spelled, said) if len(said) <= _LONGEST else said


def _spelled(found: re.Match[str]) -> str:
    """The word for passwords that a word is but for one letter; other words as they are."""
    word = found[0]
    if word in _single_names():
        return word
    return next((each for each in _single_names() if differ_by_one(word, each)), word)


def differ_by_one(word: str, other: str) -> bool:
    """Whether one letter is missing, added, another one, or two neighbours are swapped."""
    if abs(len(word) - len(other)) > 1 or word == other:
        return False
    pairs = enumerate(zip(word, other, strict=False))
    at = next((place for place, (one, its) in pairs if one != its), None)
    if at is None:
        return True
    mine, its = word[at:], other[at:]
    is_swapped = mine[1::-1] == its[:2] and mine[2:] == its[2:]
    return is_swapped or mine[1:] == its[1:] or mine[1:] == its or mine == its[1:]


@cache
def _single_names() -> tuple[str, ...]:
    """The long words for passwords, in which a letter may be mistyped."""
    names = map(unmarked, words_of("password_names"))
    return tuple(each for each in names if each.isalpha() and len(each) >= _LONG)


@cache
def _names() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{_any(words_of('password_names'))})")


@cache
def _names_or_labels() -> re.Pattern[str]:
    """Words such as "clave", too, which are passwords only beside one."""
    labels = (each.rstrip(":- ") for each in words_of("password_labels"))
    return re.compile(rf"(?<!\w)(?:{_any((*words_of('password_names'), *labels))})")


@cache
def _failing() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{_any(words_of('failing_passwords'))})")


@cache
def _telling() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{_any(words_of('told_passwords'))})")


@cache
def _announcing() -> re.Pattern[str]:
    either = _any((*words_of("told_passwords"), *words_of("password_labels")))
    return re.compile(rf"(?<!\w)(?:{either})\W*$")


@cache
def _labels() -> re.Pattern[str]:
    return re.compile(rf"\W*(?:{_any(words_of('password_labels'))})")


@cache
def _owned() -> re.Pattern[str]:
    owned = _any(words_of("own_passwords"))
    return re.compile(rf"(?<!\w)(?:{owned})|{_telling().pattern}|^{_labels().pattern}")


def _any(phrases: Sequence[str]) -> str:
    """The phrases as an expression; a colon at the end may have a blank in front, or be a "="."""
    return "|".join(
        rf"{re.escape(each[:-1])}\s?[:=]" if each.endswith(":") else rf"{re.escape(each)}(?!\w)"
        for each in sorted(map(unmarked, phrases), key=len, reverse=True)
    )
