"""The Subjects of letters about a board: how they are worded, and how they are read again.

Their words are in `text/phrases/`, for each language.  A mail program sends a Subject of ours back
behind "Re:", shortened, or with words behind it.  All languages are understood at any time.  The
Subject of any other letter is in its template, `letters/templates/`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from pbmserv.text.phrases import first_of, words_of

_BOARD = "{board}"
_BLANKS = r"(?:\s*[:：]\s*|\s+)"
_CUT = " .…"  # what shows that a mail program has shortened a Subject
_SHORT = re.compile(r"\s*perudo\s+(\d{1,10})(?:\s+([a-z2-7]{32}))?\s*", re.IGNORECASE)


def of_turn(board: int, language: str) -> str:
    """The Subject of a letter that asks its reader for a move, or for an answer to a draw."""
    return first_of("turn_subjects", language).replace(_BOARD, str(board))


def of_board(board: int, language: str) -> str:
    """The Subject of all other letters about a board."""
    return first_of("board_subjects", language).replace(_BOARD, str(board))


def of_refusal(board: int, language: str) -> str:
    """The Subject of a refusal that is about a board."""
    return first_of("refused_subjects", language).replace(_BOARD, str(board))


def of_link(board: int) -> str:
    """The Subject that a link about one of many boards has: it is short in every language."""
    return f"Perudo {board}"


def subject_as_command(subject: str) -> str:
    """`as_command` for a Subject, which may also be that of `of_link`, with a token or none."""
    if found := _SHORT.fullmatch(subject):
        return f"perudo board {found[1]} {found[2] or ''}".rstrip()
    return as_command(subject)


def as_command(text: str) -> str:
    """A Subject of ours as the command `perudo board 12` with the words behind it.

    Any other text is returned unchanged.  The text has no marks such as "Re:" in front.
    """
    found = _ours().match(text)
    if not found:
        return text
    return f"perudo board {found[1]} {_without_tail(text[found.end() :])}".rstrip()


def _without_tail(rest: str) -> str:
    """The words behind the number, without those that belong to a Subject of ours."""
    words = rest.lstrip(" :：")
    said = words.lower().rstrip(_CUT)
    for tail in _tails():
        if said.startswith(tail):
            return words[len(tail) :].strip()
        if tail.startswith(said) and rest.lstrip().startswith((":", "：")):
            return ""
    return words


@cache
def _ours() -> re.Pattern[str]:
    """Matches the beginning of each Subject of ours, up to its number."""
    heads = {each.partition(_BOARD)[0] for each in _every()}
    either = "|".join(map(_spaced, sorted(heads, key=len, reverse=True)))
    return re.compile(rf"\s*(?:{either})\s*(\d{{1,10}})(?![\w#])", re.IGNORECASE)


@cache
def _tails() -> tuple[str, ...]:
    """What follows the number, the longest first."""
    found = {each.partition(_BOARD)[2].lower().strip(" :") for each in _every()} - {""}
    return tuple(sorted(found, key=len, reverse=True))


def _every() -> Iterable[str]:
    return (*words_of("turn_subjects"), *words_of("board_subjects"), *words_of("refused_subjects"))


def _spaced(head: str) -> str:
    """A pattern for these words, with any blanks and colons between them."""
    return _BLANKS.join(re.escape(word) for word in head.replace(":", " ").split())
