"""Recognise a text that is a move without its command, as players write it in a reply."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache

from pbmserv.commands.retractions import (
    corrects,
    denies,
    is_correction,
    is_retraction,
    leaves,
    stays,
    take_back,
)
from pbmserv.games.perudo.events import Action, Call
from pbmserv.games.perudo.move_parser import WORDS, is_bare_action, spelled_plainly, unadorned
from pbmserv.games.perudo.notation import (
    bare_move,
    bids_in,
    calls_in,
    is_action,
    read_action,
    without_salt,
)
from pbmserv.text.phrases import words_of
from pbmserv.text.unicode_forms import unmarked, with_plain_digits

ANSWERS = {"propose", "accept", "reject", "decline"}
"""Words that answer a draw or a challenge, where a move could be."""
_RESIGN = "resign"
_ENDS = {*ANSWERS, _RESIGN}
_REFUSED = {"reject", "decline"}
_DECIDED = {"accept", _RESIGN, *_REFUSED}
_QUEUED, _PLAYED = ("5-4s", "dudo"), "4-2s"  # in examples
_WORD = re.compile(r"[^\W\d_]+")
_ARTICLES = {"a", "un", "una", "une"}
_AROUND = " .,;:!?#*-–—•()\"'"
_LONGEST = 160  # characters of a line
_MOST_WORDS = 8  # of a line with another bid that corrects the one above
_MOST_BELOW = 8  # lines below a bid or a call in which it is taken back
_MOVE_NUMBER = re.compile(r"(?<=\S) +#[0-9]{1,9}$")


def reads_as_move(text: str) -> bool:
    """Whether a text is a move, or an answer to a draw or a challenge; `#17` may follow it.

    A word for a draw with an exclamation mark alone is not one: "Nulle !" may mean something else.
    """
    if "!" in text and _names_a_draw(text):
        return False
    text, _ = without_salt(_without_number(text))
    move = bare_move(text)
    return move in ANSWERS or is_bare_action(move)


def _answers_offer(text: str) -> bool:
    """Whether a text that reads as a move answers a draw or a challenge, or offers a draw."""
    return bare_move(_without_number(text)) in ANSWERS


def may_jest(text: str) -> bool:
    """Whether a text is an answer or `resign` beside words for friends, or taken back.

    Such as "accept lol" and "resign - no wait": it is not carried out.
    """
    if reads_as_move(text):
        return False
    first, _, rest = text.strip().partition(" ")
    if bare_move(first) in _ENDS and take_back([rest]):
        return True
    return bare_move(unadorned(spelled_plainly(text))) in _ENDS


def have_move(lines: Iterable[str], is_move: Callable[[str], bool]) -> bool:
    """Whether a line is a bid or a call, has a bid among its words, or begins with a call.

    So "- 3-2s" and "Dudo, of course" are found, too; `is_move` says what reads as a move.
    """
    return any(
        is_move(each) and not _answers_offer(each)
        for line in lines
        for each in _pieces(line[:_LONGEST])
    )


def is_taken_back(answer: str, below: Sequence[str], is_move: Callable[[str], bool]) -> bool:
    """Whether lines below an answer, or below `resign`, have a move or another answer, or deny it.

    Below a bid or a call the next line counts if it is another one, and each of the first lines if
    it is nothing but a retraction, or corrects the move.  Other words there are for the table.
    """
    said = bare_move(_without_number(answer))
    if said not in _ENDS:
        lines = [line.strip() for line in below if line.strip()][:_MOST_BELOW]
        is_other = any(is_move(each) and _action(each) != _action(answer) for each in lines[:1])
        return is_other or any(is_retraction(each) or _replaces(each, answer) for each in lines)
    others = {bare_move(_without_number(each)): each for each in below}
    others.pop(said, None)
    if said in _DECIDED and not _DECIDED.isdisjoint(others):
        return True
    if said == _RESIGN:
        below = [line for line in below if line.strip() and not leaves(line)]
        if any(map(stays, below[:_MOST_BELOW])):
            return True
    return have_move(others.values(), is_move) or take_back(below, is_no=said in _REFUSED)


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
        and (denies(beside) or _action(move) != first)
        for first in [_action(answer)]
        for one, other in halves
        for beside, move in ((one, other), (other, one))
    )


def _action(text: str) -> Action | None:
    """The bid or the call that a text says; None for none."""
    move, _ = without_salt(_without_number(text))
    return read_action(move) if is_action(move) else None


def _pieces(line: str) -> list[str]:
    """The line, its first word, and its words with a digit."""
    words = [word.strip(_AROUND) for word in line.split()]
    found = [word for word in words if any(map(str.isdigit, word))]
    return list(filter(None, (line, *words[:1], *found)))


def _without_number(text: str) -> str:
    return _MOVE_NUMBER.sub("", with_plain_digits(text).strip(" *.!"))


def doubts_in_words(text: str) -> bool:
    """Whether a text is a call in everyday words, such as "I doubt that", without a call's name."""
    if not isinstance(WORDS.get(bare_move(text)), Call):
        return False
    return _names_of_calls().isdisjoint(unadorned(spelled_plainly(text)).split())


@cache
def _names_of_calls() -> frozenset[str]:
    """The single words that name a call, in all languages, without "liar" and its like."""
    calls = words_of("doubt_moves"), words_of("calza_moves"), words_of("pacao_moves")
    single = {each for some in calls for each in some if " " not in each}
    return frozenset({"dudo", "dodo", "dudu", "calza", "exact", "pacao", "call"} | single) - {
        *words_of("epithets")
    }


def _names_a_draw(text: str) -> bool:
    """Whether all words are names of a draw, as in "Match nul !"."""
    words = {unmarked(word) for word in _WORD.findall(text.lower())} - _ARTICLES
    return bool(words) and words <= set(map(unmarked, words_of("beside_draw")))


def as_reply(command: str, words: Sequence[str]) -> str:
    """The line that does the same as a move or a queue, in a reply to a game letter.

    Its moves are those in the words of the command, or examples.  It is "" for other commands.
    """
    moves = [word for word in words if reads_as_move(word)]
    if command == "queue":
        return " ".join(["queue", *(moves or _QUEUED)])
    if command != "move":
        return ""
    rest = [" ".join(words[start:]) for start in range(len(words))]
    return next(filter(reads_as_move, rest), _PLAYED)
