"""Recognise the words of a player who wants to take back a move that is made.

"Oh wait, I meant three fives, can I change it?"  A move cannot be taken back, and such a player is
told so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice

from pbmserv.commands.move_lines.retractions import (
    has_phrase,
    is_correction,
    is_retraction,
    plain_words,
)
from pbmserv.text.normalize import plain_line
from pbmserv.text.phrases import words_of

_MOST_LINES = 4  # of a text: a move, the wish, a greeting, a name
_MOST_SEARCHED = 20  # lines, of which most may be empty


def wants_undo(typed: Sequence[str]) -> bool:
    """Whether one of the first lines takes a move back, or corrects it."""
    lines = [*_first(typed)]
    return asks_undo(typed) or any(is_retraction(each) or is_correction(each) for each in lines)


def asks_undo(typed: Sequence[str]) -> bool:
    """Whether one of the first lines asks to change a move, as nobody says about something else."""
    return any(has_phrase(each, _said()) for each in _first(typed))


def _first(typed: Sequence[str]) -> Iterator[str]:
    lines = map(plain_line, typed[:_MOST_SEARCHED])
    return islice(filter(str.strip, lines), _MOST_LINES)


@cache
def _said() -> frozenset[str]:
    return plain_words(words_of("asks_undo"))
