"""Find a sentence that begins as if it were a move: "I give up, good game", "I check it now".

Its writer is asked.  As in `meant_moves`, nothing that is found here is ever played.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from functools import cache

from pbmserv.games.perudo.meant_moves import may_raise, perhaps_call, perhaps_end
from pbmserv.games.perudo.move_parser import RESIGN, bare_move, spelled_plainly
from pbmserv.text.phrases import single_words, words_of

_CLAUSE_ENDS = re.compile(r"[.,;:!?…]+| - ")
_ENDS = {"resign", "propose", "decline"}
_MOST_BEHIND = 3  # words of a clause behind a phrase
_FEWEST = 2  # words of a phrase that only begins a clause


def may_begin_with_move(text: str, legal: Set[str]) -> bool:
    """Whether a clause of a text is a phrase that may be a move, or begins with one.

    Without `legal` moves only what ends a game counts: it is possible in the turn of others, too.
    """
    return any(
        perhaps_end(each)
        or bare_move(each) in _ENDS
        or (legal and perhaps_call(each, legal))
        or (legal and may_raise(each) and behind not in _things())
        for each, behind in _beginnings(text)
    )


def leaving_clause(text: str) -> str:
    """The move of a clause that may mean to leave the game: "I give up, thanks"; "" for none.

    Behind its words only a polite one may go on: "je me retire désolé", not "me retiro a dormir".
    """
    moves = (
        perhaps_end(each) or bare_move(each)
        for each, behind in _beginnings(text)
        if not behind or behind in _polite()
    )
    return next((each for each in moves if bare_move(each) == RESIGN), "")


@cache
def _polite() -> frozenset[str]:
    """The words that may be right behind words to leave: "I quit guys", "me rindo gracias"."""
    polite = single_words("thanks", "manners", "familiar_words")
    return polite - frozenset(words_of("function_words"))


@cache
def _things() -> frozenset[str]:
    """What is counted without being dice: "one more round" is not a bid."""
    return frozenset(words_of("counted_things"))


def _beginnings(text: str) -> Iterator[tuple[str, str]]:
    """Each clause, and each without up to three words at its end, with the next word."""
    for clause in _CLAUSE_ENDS.split(spelled_plainly(text)):
        words = clause.split()
        if words:
            yield " ".join(words), ""
        for count in range(max(_FEWEST, len(words) - _MOST_BEHIND), len(words)):
            yield " ".join(words[:count]), words[count]
