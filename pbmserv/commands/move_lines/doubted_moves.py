"""Recognise lines below a move that show that its writer is not sure: "4-3s?", "what if I doubt".

So do lines that correct one of its numbers, or that pass.  Its writer is asked.  The words are in
`text/phrases/`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from pbmserv.commands.move_lines.bare_moves import action_of
from pbmserv.commands.move_lines.clauses import (
    LONGEST_LINE,
    clauses_of,
    phrases,
    without_clauses,
    words_in,
)
from pbmserv.commands.move_lines.retractions import around_moves, is_correction
from pbmserv.games.perudo.events import Action, Call, Raise
from pbmserv.games.perudo.meant_moves import bids_in, may_raise, perhaps_call
from pbmserv.games.perudo.move_parser import FACES, QUANTITIES
from pbmserv.games.perudo.move_words import words_of_faces, words_of_numbers
from pbmserv.text.phrases import single_words, words_of
from pbmserv.text.unicode_forms import unmarked

_MOST_WORDS = 8  # of a clause with a move, and of a line that corrects a number
_MOST_OF_CONDITION = 4  # words from "if" to the end of a bid
_MOST_BESIDE = 2  # words of a line without a word such as "mean"
_LARGEST_FACE, _MOST_DICE = 6, 30  # of any board
_CALLS = {"dudo", "calza"}  # that everyday words may mean
_DIGITS = re.compile(r"x?(\d{1,3})(?:'?e?[sс]|-?(?:ка|ки|ок|рки|рок))?")  # "5s", "6es", "5-ки"


def laments(line: str) -> bool:
    """Whether a line is a cry such as "oh no", which below `resign` may take it back."""
    return " ".join(words_in(line)) in phrases("laments")


def is_in_doubt(line: str, mine: Action | None, *, is_first: bool) -> bool:
    """Whether a line asks about a move, or wonders about one, or corrects a part of this one.

    `is_first`: the line is the next one below the move.  There a number or a face alone is enough.
    """
    clauses = clauses_of(line)
    if " ".join(words_in(line)) in phrases("passes"):
        return True
    may_wonder = len(clauses) == 1 or line.rstrip().endswith("?")
    if any(_supposes(each.words, mine, may_wonder=may_wonder) for each in clauses):
        return True
    asked = [each.words for each in clauses if each.text.endswith("?")]
    if any(_asks_about(each, mine) for each in asked):
        return True
    is_alone = len(clauses) == 1 or not isinstance(mine, Call)  # "dudo", and "3-2s? really?"
    if is_alone and any(_differ(_moves_in(each), mine) for each in asked):
        return True
    return isinstance(mine, Raise) and _corrects_a_part(line, mine, is_first=is_first)


def _supposes(words: Sequence[str], mine: Action | None, *, may_wonder: bool) -> bool:
    """Whether a clause is a move behind words such as "what if I".

    Behind "if" alone, the move above does not count: "dudo if you like".  Nor does another one
    unless the line `may_wonder`: "if I doubt, I lose" says why the bid was made.
    """
    if len(words) > _MOST_WORDS:
        return False
    for count in range(len(words) - 1, 0, -1):
        said = " ".join(words[:count])
        if said in phrases("supposes"):
            return any(True for _ in _moves_in(words[count:]))
        if said in phrases("may_suppose"):
            return may_wonder and _differ(_moves_in(words[count:]), mine)
    return False


def _asks_about(words: Sequence[str], mine: Action | None) -> bool:
    """Whether a question is about the call above it: "dudo?", "dudo or bid?", "What is dudo?".

    One to a reader is for the table: "Did you expect dudo?"
    """
    if not isinstance(mine, Call) or not phrases("second_person").isdisjoint(words):
        return False
    return any(action_of(each) == mine for each in words)


def without_conditions(line: str) -> str:
    """A line without what would be if a bid were true: "if it's four 4s I'll eat my hat".

    "If not 4-4s" and "if that's too low, 5-2s" stay.
    """
    return without_clauses(line, _is_condition)


def _is_condition(clause: str) -> bool:
    words = words_in(clause)[:_MOST_OF_CONDITION]
    if not words or words[0] not in phrases("may_suppose") or not _denials().isdisjoint(words):
        return False
    return bool(bids_in(" ".join(words)))


def _differ(moves: Iterator[Action], mine: Action | None) -> bool:
    return any(each != mine for each in moves)


def _moves_in(words: Sequence[str]) -> Iterator[Action]:
    """The moves that words are, or may mean, without some that may be around a move."""
    if len(words) > _MOST_WORDS:
        return
    for first in range(len(words)):
        for last in range(len(words), first, -1):
            text = " ".join(words[first:last])
            if action := action_of(text):
                yield action
            elif call := perhaps_call(text, _CALLS):
                yield Call(call)
            elif may_raise(text):
                yield Call("raise")  # another move than each
            if words[last - 1] not in _around():
                break
        if words[first] not in _around():
            break


def _corrects_a_part(line: str, mine: Raise, *, is_first: bool) -> bool:
    """Whether a line is a number or a face that the bid does not have: "I mean threes".

    Other words beside it only correct, deny, or are polite.  A bid of both says enough itself.
    """
    words = words_in(line[:LONGEST_LINE])
    if not 0 < len(words) <= _MOST_WORDS:
        return False
    is_denied = not _denials().isdisjoint(words)
    is_short = is_first and len(words) <= _MOST_BESIDE
    is_sorry = not phrases("apologies").isdisjoint(words)
    if not (is_short or is_denied or is_sorry or is_correction(line)):
        return False
    values = {_number_of(each) for each in words if each not in _beside_numbers()}
    most = max(_LARGEST_FACE, 2 * mine.bid.quantity if is_short else _MOST_DICE)
    if not values or not all(each and each <= most for each in values) or "%" in line:
        return False
    return is_denied or not values <= {mine.bid.quantity, mine.bid.face}


def _number_of(word: str) -> int | None:
    """The number or face that a word says, as "5" and "5s" do; None for others and for "one"."""
    if digits := _DIGITS.fullmatch(word):
        return int(digits[1])
    value = _numbers().get(word)
    return None if value == 1 and word in _ones() else value


@cache
def _around() -> frozenset[str]:
    """The words that may be around a move about which somebody wonders."""
    said = *words_of("joining_words"), *words_of("saying_moves"), *words_of("raise_words")
    return around_moves() | frozenset(unmarked(each) for each in said if " " not in each)


@cache
def _beside_numbers() -> frozenset[str]:
    return _around() | _denials() | phrases("apologies")


@cache
def _denials() -> frozenset[str]:
    return frozenset(map(unmarked, single_words("denials")))


@cache
def _numbers() -> dict[str, int]:
    return {**words_of_numbers(), **words_of_faces(), **QUANTITIES, **FACES}


@cache
def _ones() -> frozenset[str]:
    """The words for the number one, and "as", which are in any sentence."""
    quantities = {**words_of_numbers(), **QUANTITIES}
    return frozenset(word for word, number in quantities.items() if number == 1) | {"as"}
