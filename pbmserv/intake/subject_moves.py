"""A reply to a game letter with a move in its Subject: "4-2s", and below it "dudo".

Such a Subject is not a command, so it is never carried out.  If the text is not the same move, the
writer is asked.
"""

from __future__ import annotations

from collections.abc import Sequence

from pbmserv.commands.bare_moves import reads_as_move
from pbmserv.games.perudo.notation import bare_move, is_action, read_action, write_bid
from pbmserv.text.normalize import plain_line
from pbmserv.text.subject_prefixes import bare_subject


def subject_move(subject: str) -> str:
    """The move that is all of a Subject, such as `4-2s`; "" for any other Subject."""
    return _move(bare_subject(subject))


def is_contradicted(subject: str, typed: Sequence[str]) -> bool:
    """Whether a Subject is a move, and the text below it is other words, or another move."""
    move = subject_move(subject)
    return bool(move) and first_move(typed) != move and any(map(str.strip, typed))


def first_move(typed: Sequence[str]) -> str:
    """The move of the first line of a text; "" if that is none."""
    return _move(next(filter(str.strip, map(plain_line, typed)), ""))


def _move(text: str) -> str:
    """A move as we write it: a bid as `4-2s`; "" for any other text."""
    if not text.strip() or not reads_as_move(text):
        return ""
    bid = getattr(read_action(text), "bid", None) if is_action(text) else None
    return bare_move(text) if bid is None else write_bid(bid)
