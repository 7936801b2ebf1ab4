"""Recognise questions to a player about a bluff: "and you Luc, are you bluffing?".

Below a bid they are for the table, although on their own such words may mean a call.
"""

from __future__ import annotations

import re
from functools import cache

from pbmserv.commands.move_lines.retractions import (
    has_phrase,
    is_retraction,
    offers_another,
    take_back,
)
from pbmserv.games.perudo.move_parser import spelled_plainly
from pbmserv.games.perudo.notation import bids_in, calls_in
from pbmserv.text.phrases import words_of
from pbmserv.text.unicode_forms import unmarked

_LONGEST = 160  # characters of a line
_RETRACTION = "wait"  # a word that is one
_WORD = re.compile(r"[\w'’-]+")
_MOST_BEHIND = 4  # words between such words and the question mark of their sentence
_SENTENCE = re.compile(r"[^.;:!?…()–—]*[!?]*")
_CLAUSE = re.compile(r"[^.,;:!?…()–—¿¡]+[!?]*")


def without_teasing(line: str) -> str:
    """A line without such questions; one that offers or supposes a move stays.

    In place of one that takes a move back, "no wait are you bluffing?", a word stays that does so.
    """
    if "?" not in line or len(line) > _LONGEST:
        return line
    kept, at = "", 0
    for found in _CLAUSE.finditer(line):
        if found.start() >= at:
            stays, end = _untold(found)
            kept += f"{line[at : found.start()]}{stays}"
            at = end
    return kept + line[at:]


def _untold(found: re.Match[str]) -> tuple[str, int]:
    """What stays of a clause, and where the clause ends, or a question with a name behind it."""
    clause, end = found[0], found.end()
    said = " ".join(unmarked(spelled_plainly(clause)).strip(" !?").split())
    asked = next((each for each in _questions() if f" {each} " in f" {said} "), "")
    behind = "" if "?" in clause else _asked_behind(found.string[end:])
    if not asked or not ("?" in clause or behind):
        return clause, end
    rest = f" {said} ".replace(f" {asked} ", " ").strip()
    if _has_move(rest) or has_phrase(rest, _supposing()):
        return clause, end
    is_back = is_retraction(rest) or (" " in rest and take_back([rest]))
    return f" {_RETRACTION} " if is_back else "", end + len(behind)


def _asked_behind(rest: str) -> str:
    """The end of a question behind its clause, if it is a name or few words: ", cleo?"."""
    found = _SENTENCE.match(rest)
    behind = found[0] if found else ""
    is_short = len(_WORD.findall(behind)) <= _MOST_BEHIND
    return behind if is_short and behind.endswith("?") and not _has_move(behind) else ""


def _has_move(words: str) -> bool:
    """Whether words have a move, or may offer one: "or"."""
    return bool(bids_in(words) or calls_in(words) or offers_another(words))


@cache
def _questions() -> tuple[str, ...]:
    """The longest come first: "you bluff better than that" before "you bluff"."""
    found = {" ".join(unmarked(spelled_plainly(each)).split()) for each in words_of("asks_bluff")}
    return tuple(sorted(found, key=len, reverse=True))


@cache
def _supposing() -> frozenset[str]:
    return frozenset(unmarked(each) for each in (*words_of("supposes"), *words_of("may_suppose")))
