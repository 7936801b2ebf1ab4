"""Find a move at the beginning of words to the others from a player who is not on turn.

Such words are sent to nobody: they would tell the others what the player wants to do.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache

from pbmserv.boards.possible_moves import PossibleMoves
from pbmserv.commands.move_lines.bare_moves import action_of, may_call, may_doubt_words
from pbmserv.games.perudo.events import Call, Raise
from pbmserv.games.perudo.move_parser import spelled_plainly, without_leads
from pbmserv.games.perudo.move_words import words_of_moves
from pbmserv.games.perudo.notation import write_bid
from pbmserv.intake.replies.coming_moves import names_coming_move
from pbmserv.intake.replies.moves_with_words import move_and_words
from pbmserv.intake.replies.prose import bare_word, is_remark, is_remark_to
from pbmserv.text.phrases import one_of, words_of
from pbmserv.text.unicode_forms import unmarked

_LONGEST = 160  # characters of a line that are read
_MOST_CLAUSES = 4
_FEWEST_BEHIND = 3  # words behind a doubt that are about something else


def hidden_move(line: str, possible: PossibleMoves, names: Collection[str]) -> tuple[str, str]:
    """The bid or call that a line begins with, and the words behind it; "" for none.

    Greetings, remarks and `names` may be in front.  A bid of this round is left out:
    the others know it, and "two 3s? wow, bold" is about it.
    """
    told = [bid for _, bid in possible.table.bids] if possible.table else []
    if found := move_and_words(line, names):
        action = action_of(found[0])
        if not (isinstance(action, Raise) and action.bid in told):
            return found
    for clause, rest in _clauses(line):
        action = action_of(clause)
        if action is not None and not (isinstance(action, Raise) and action.bid in told):
            return clause, rest
        if action is None and not _may_precede(clause, names):
            break
    return "", ""


def doubts_what_was_said(move: str, words: str) -> bool:
    """Whether a call and the words behind it answer a message: "Liar! You were at the beach".

    The call is one in everyday words, and more than a remark or another doubt is behind it.  Words
    of dice, bids and turns are about the game: "Liar! There are no twos in here".
    """
    if not may_doubt_words(move) or len(words.split()) < _FEWEST_BEHIND:
        return False
    spoken = {unmarked(bare_word(word)) for word in words.split()}
    if not spoken.isdisjoint(words_of_moves() | set(words_of("about_game"))):
        return False
    clauses = [clause for clause, _ in _clauses(words) if clause]
    is_remark_alone = is_remark([words])
    return not is_remark_alone and not any(action_of(each) or may_call(each) for each in clauses)


def tells_move(
    line: str, possible: PossibleMoves, names: Collection[str], *, answers_words: bool
) -> bool:
    """Whether a line out of turn has a bid to come, or the name of a call, or may be a call.

    Such as "I'd say three fives" or "I think it's my turn: dudo".  A score is not a bid, such as
    4-2, and a bid of this round is known.  A doubt such as "Je doute" is about words of others if
    the line `answers_words`.
    """
    told = {write_bid(bid) for _, bid in possible.table.bids} if possible.table else set()
    if names_coming_move(line, told, names):
        return True
    words = line[:_LONGEST].split()
    while words and (not (last := bare_word(words[-1])) or last in names):
        words.pop()
    clauses = [each for each, _ in _clauses(line) if each]
    if not answers_words and any(isinstance(action_of(each), Call) for each in clauses):
        return True
    *_, last = ["", *clauses]
    is_call = action_of(last) is not None and not may_doubt_words(last)
    return is_call or (len(words) == 1 and action_of(words[0]) is not None)


def _clauses(line: str) -> Iterator[tuple[str, str]]:
    """The first clauses of a line, each with what is behind it."""
    at = 0
    for end in [*_clause_ends().finditer(line[:_LONGEST])][:_MOST_CLAUSES]:
        yield line[at : end.start()].strip(), line[end.end() :].strip()
        at = end.end()
    yield line[at:_LONGEST].strip(), ""


@cache
def _clause_ends() -> re.Pattern[str]:
    joining = one_of("joining_words")
    return re.compile(rf"[.,;:!?…]+|\s[-–—]\s|(?<=\s)(?:{joining})(?=\s)", re.IGNORECASE)


def _may_precede(clause: str, names: Collection[str]) -> bool:
    """Whether a clause in front of a move says little: a greeting, a remark, a name."""
    word = bare_word(clause)
    known = word in names or word in words_of("first_names") or word in words_of("familiar_words")
    is_lead = not without_leads(f"{spelled_plainly(clause)},")
    return not word or known or is_lead or is_remark([clause]) or is_remark_to([clause], names)
