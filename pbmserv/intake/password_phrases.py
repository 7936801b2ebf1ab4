"""How people speak of passwords: the phrases that tell one, also with a mistyped word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from pbmserv.text.normalize import plain
from pbmserv.text.phrases import words_of
from pbmserv.text.unicode_forms import unmarked

_LONGEST = 200  # characters of a line in which words for passwords may be mistyped
_LONG = 6  # letters of such a word
_WORD = re.compile(rf"[^\W\d_]{{{_LONG - 1},12}}(?![^\W\d_])")


def is_about_own_password(typed: Sequence[str]) -> bool:
    """Whether a text is one line about the writer's own password: "my password doesn't work"."""
    lines = [line for line in typed if line.strip()]
    return len(lines) == 1 and _owned().search(bare_line(lines[0])) is not None


def bare_line(line: str) -> str:
    """The line in small letters without accents, and with a mistyped word for passwords spelled."""
    said = " ".join(unmarked(plain(line)).lower().split())
    return _WORD.sub(_spelled, said) if len(said) <= _LONGEST else said


def _spelled(found: re.Match[str]) -> str:
    """The word for passwords that a word is but for one letter; other words as they are."""
    word = found[0]
    if word in _single_names():
        return word
    ends = (each for each in _single_names() if each[0] == word[0] or each[-1] == word[-1])
    return next((each for each in ends if differ_by_one(word, each)), word)


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


def tells_one(bare: str) -> bool:
    """Whether a bare line tells a password, or begins with words such as "new password:"."""
    return _telling().search(bare) is not None or _labels_ahead().match(bare) is not None


@cache
def _telling() -> re.Pattern[str]:
    """Finds words that tell the server a player's own password, anywhere in a line."""
    return re.compile(rf"(?<!\w)(?:{one_of_phrases(words_of('told_passwords'))})")


@cache
def _labels_ahead() -> re.Pattern[str]:
    """Matches a line that begins with words such as "new password:"."""
    return re.compile(rf"\W*(?:{one_of_phrases(words_of('password_labels'))})")


@cache
def _owned() -> re.Pattern[str]:
    owned = one_of_phrases(words_of("own_passwords"))
    return re.compile(rf"(?<!\w)(?:{owned})|{_telling().pattern}|^{_labels_ahead().pattern}")


def one_of_phrases(phrases: Sequence[str]) -> str:
    """The phrases as an expression; a colon at the end may have a blank in front, or be a "="."""
    return "|".join(
        rf"{re.escape(each[:-1])}\s?[:=]" if each.endswith(":") else rf"{re.escape(each)}(?!\w)"
        for each in sorted(map(unmarked, phrases), key=len, reverse=True)
    )
