"""Recognise lines below a move that take it back: by another move, or by words that contradict it.

Its writer is asked.  `retractions` knows the words that take back any answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

from pbmserv.commands.move_lines.bare_moves import (
    action_of,
    have_move,
    reads_as_move,
    without_number,
)
from pbmserv.commands.move_lines.conditional_answers import have_condition
from pbmserv.commands.move_lines.doubted_moves import is_in_doubt, laments, without_conditions
from pbmserv.commands.move_lines.good_wishes import behind_wishes, is_wish
from pbmserv.commands.move_lines.held_moves import is_held_back
from pbmserv.commands.move_lines.retractions import (
    believes,
    corrects,
    denies,
    is_correction,
    is_retraction,
    leaves,
    offers_another,
    stays,
    take_back,
    without_beside,
)
from pbmserv.commands.move_lines.teasing_questions import without_teasing
from pbmserv.commands.move_lines.unmeant_moves import (
    asks_of_leaving,
    is_condition,
    is_error,
    is_put_off,
    is_told,
)
from pbmserv.games.perudo.events import Action, Call, Raise
from pbmserv.games.perudo.meant_moves import perhaps_call
from pbmserv.games.perudo.move_parser import ENDING_MOVES, RESIGN
from pbmserv.games.perudo.notation import bare_move, bids_in, calls_in, may_raise
from pbmserv.text.phrases import one_of

_REFUSED = {"reject", "decline"}
_ANSWERS = {"accept", *_REFUSED}
_DECIDED = {*_ANSWERS, RESIGN}
_CALLS = {"dudo", "calza"}  # that everyday words may mean
_LONGEST = 160  # characters of a line
_MOST_WORDS = 8  # of a line with another bid that corrects the one above
_MOST_OFFERING = 12  # of a line that offers another move; the first line of our letters has more
_MOST_BELOW = 8  # lines below a bid or a call in which it is taken back
_MOST_BELOW_ANSWER = 100  # lines below another answer: a reply of 256 KB has 40,000


def is_taken_back(answer: str, below: Sequence[str], is_move: Callable[[str], bool]) -> bool:
    """Whether lines below an answer, or below `resign`, have a move or another answer, or deny it.

    Below a bid or a call the next line counts if it is another one, and each of the first lines if
    it is nothing but a retraction, or corrects the move, offers another one or contradicts it.
    Other words there are for the table, and so are questions to others about a bluff below a bid.
    """
    said = bare_move(without_number(answer))
    if said not in ENDING_MOVES:
        lines = [line.strip() for line in below if line.strip()][:_MOST_BELOW]
        # Most words below a move are wishes, and to find them is fast.
        lines = [each for each in lines if not is_wish(each)]
        is_bid = isinstance(action_of(answer), Raise)
        if any(_is_unmeant(each, is_bid=is_bid, is_first=each is lines[0]) for each in lines):
            return True
        lines = [*filter(None, map(without_teasing if is_bid else without_conditions, lines))]
        return any(_changes(each, answer, is_move, is_first=each is lines[0]) for each in lines)
    below = below[:_MOST_BELOW_ANSWER]
    others = {bare_move(without_number(each)): each for each in below}
    others.pop(said, None)
    if said in _DECIDED and not _DECIDED.isdisjoint(others):
        return True
    if said == RESIGN:
        below = [line for line in below if line.strip() and not leaves(line)]
        first = below[:_MOST_BELOW]
        if any(stays(each) or laments(each) or _is_unsure(each, answer) for each in first):
            return True
        if any(_puts_off(each, is_first=each is first[0]) for each in first):
            return True
    if any(map(is_error, below[:_MOST_BELOW])) or any(map(is_held_back, below[:_MOST_BELOW])):
        return True
    if said in _ANSWERS and have_condition(below, is_no=said in _REFUSED):
        return True
    if said not in _REFUSED and any(map(is_put_off, below[:_MOST_BELOW])):
        return True
    return have_move(others.values(), is_move) or take_back(below, is_no=said in _REFUSED)


def _is_unmeant(line: str, *, is_bid: bool, is_first: bool) -> bool:
    """Whether a line says that a bid or a call was an error, or makes it a condition.

    The next line below a call may tell of it.  Below a bid it does so of a bid that is made.
    """
    if is_error(line) or is_condition(without_conditions(line)):
        return True
    if is_put_off(line) and not line.endswith("!"):  # "Later!" says goodbye
        return True
    return is_first and not is_bid and is_told(line)


def _puts_off(line: str, *, is_first: bool) -> bool:
    """Whether a line below `resign` makes it a condition, asks what it means, or tells of it."""
    if is_condition(line, or_delay=True) or asks_of_leaving(line):
        return True
    return is_first and is_told(line)


def _changes(line: str, answer: str, is_move: Callable[[str], bool], *, is_first: bool) -> bool:
    """Whether a line below a move takes it back; the first one if it is another move, too."""
    is_other = is_first and is_move(line) and action_of(line) != action_of(answer)
    said = line[:_LONGEST]
    is_other = is_other or any(map(is_retraction, {said, behind_wishes(said)}))
    is_other = is_other or _replaces(line, answer)
    return is_other or _is_unsure(line, answer, is_first=is_first)


def have_other_moves(moves: Sequence[str], below: Sequence[str]) -> bool:
    """Whether one of the first lines below moves names a bid or a call that is none of them."""
    mine = " ".join(map(bare_move, moves))
    known = {*map(bare_move, moves)} | bids_in(mine)
    lines = [line[:_LONGEST] for line in below if line.strip()][:_MOST_BELOW]
    named = (each for line in lines for each in (*bids_in(line), *calls_in(line)))
    return any(each not in known for each in named)


def _replaces(line: str, answer: str) -> bool:
    """Whether a line denies a move or has another one, behind "no," or "I mean", or "instead".

    So does a line that names another bid or call behind "correction" or "make that".
    """
    if is_correction(line) and have_other_moves([answer], [line]):
        return True
    words = line[:_LONGEST].split()
    if len(words) > _MOST_WORDS:
        return False
    halves = [(" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words))]
    return any(
        corrects(beside)
        and not any(map(str.isdigit, beside))
        and reads_as_move(move)
        and (denies(beside) or action_of(move) != first)
        for first in [action_of(answer)]
        for one, other in halves
        for beside, move in ((one, other), (other, one))
    )


def _is_unsure(line: str, answer: str, *, is_first: bool = False) -> bool:
    """Whether a line shows that the writer of a move is not sure of it."""
    is_said = _is_doubted(line, answer) or is_held_back(line, is_first=is_first)
    return is_said or is_in_doubt(line, action_of(answer), is_first=is_first)


def _is_doubted(line: str, answer: str) -> bool:
    """Whether a line offers another move, or contradicts this one: "or dudo?", "I believe you"."""
    line, mine = line[:_LONGEST].strip(), action_of(answer)
    if len(line.split()) > _MOST_OFFERING:
        return False
    offers = offers_another(line)
    if offers and have_other_moves([answer], [_epithets().sub(" ", line)]):
        return True
    may_replace = offers or is_correction(line) or line.endswith("?")
    if may_replace and any(_differs(each, mine) for each in without_beside(line)):
        return True
    if not isinstance(mine, Call):
        return False
    is_believed = mine == Call("dudo") and believes(line)
    return is_believed or any(map(may_raise, without_beside(line)))


def _differs(text: str, mine: Action | None) -> bool:
    """Whether a text is another move than this one, or may be meant as one."""
    action = action_of(text)
    if action is not None:
        return action != mine
    calls = _CALLS if not isinstance(mine, Call) else _CALLS - {mine.word}
    return bool(perhaps_call(text, calls)) or (isinstance(mine, Call) and may_raise(text))


@cache
def _epithets() -> re.Pattern[str]:
    """Finds words that name a call, and that people say to each other, too: "menteur"."""
    return re.compile(rf"\b(?:{one_of('epithets')})\b", re.IGNORECASE)
