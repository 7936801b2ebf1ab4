"""Passwords that a player tells the server in a message, such as a new one.

No comparison finds them: the server knows only the hash of the password that is used now.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from pbmserv.text.normalize import plain
from pbmserv.text.phrases import words_of
from pbmserv.text.unicode_forms import unmarked

_LONGEST_END = 80  # characters of the end of a line
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
    return _telling().search(bare) is not None or _labels().match(bare) is not None


def _announces(line: str) -> bool:
    """Whether nothing is behind the words that tell a password."""
    return _announcing().search(_bare(line)[-_LONGEST_END:]) is not None


def _bare(line: str) -> str:
    return " ".join(unmarked(plain(line)).lower().split())


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
