"""Recognise questions to a player about a bluff: "and you Luc, are you bluffing?".

Below a bid they are for the table, although on their own such words may mean a call.
"""

from __future__ import annotations

import re
from functools import cache

from pbmserv.commands.retractions import has_phrase, offers_another
from pbmserv.games.perudo.move_parser import spelled_plainly
from pbmserv.games.perudo.notation import bids_in, calls_in
from pbmserv.text.phrases import words_of
from pbmserv.text.unicode_forms import unmarked

_LONGEST = 160  # characters of a line
_CLAUSE = re.compile(r"[^.,;:!?…()–—¿¡]+[!?]*")


def without_teasing(line: str) -> str:
    """A line without such questions; one that offers or supposes a move stays."""
    if "?" not in line or len(line) > _LONGEST:
        return line
    return _CLAUSE.sub(lambda found: "" if _teases(found[0]) else found[0], line)


def _teases(clause: str) -> bool:
    """Whether a clause asks "you" about a bluff, and has no other move."""
    said = " ".join(unmarked(spelled_plainly(clause)).strip(" !?").split())
    asked = next((each for each in _questions() if f" {each} " in f" {said} "), "")
    if not asked or "?" not in clause:
        return False
    rest = f" {said} ".replace(f" {asked} ", " ").strip()
    has_move = bool(bids_in(rest) or calls_in(rest))
    return not (has_move or offers_another(rest) or has_phrase(rest, _supposing()))


@cache
def _questions() -> tuple[str, ...]:
    """The longest come first: "you bluff better than that" before "you bluff"."""
    found = {" ".join(unmarked(spelled_plainly(each)).split()) for each in words_of("asks_bluff")}
    return tuple(sorted(found, key=len, reverse=True))


@cache
def _supposing() -> frozenset[str]:
    return frozenset(unmarked(each) for each in (*words_of("supposes"), *words_of("may_suppose")))
