"""Read a yes or no in a reply to an invitation, or to the first letter of a challenge.

A challenge starts its board at once.  A yes takes the seat there, also in reply to a letter about
a later move, if no player has written.  A yes above a move is asked about.  A no leaves the board,
so it must be sure.  It does not count if its writer is on turn, or if players have written: it may
answer them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from itertools import islice

from sqlalchemy import Connection, select

from pbmserv.boards.possible_moves import is_invited, possible_moves
from pbmserv.commands.email_parser import ParsedText
from pbmserv.commands.move_lines.bare_moves import have_move, reads_as_move
from pbmserv.commands.move_lines.conditional_answers import have_condition
from pbmserv.commands.move_lines.retractions import take_back, without_reconsidering
from pbmserv.commands.parser import CommandCall
from pbmserv.commands.spelling import MOVE
from pbmserv.database import models
from pbmserv.games.perudo.notation import bare_move
from pbmserv.intake.replies.draw_replies import (
    ACCEPT,
    DECLINE,
    REJECT,
    answer_to_draw,
    answer_to_invitation,
)
from pbmserv.intake.replies.prose import MOST_LINES, denies
from pbmserv.security.credentials import ANSWER, DRAW, NEWS, Identity
from pbmserv.text.normalize import plain_line
from pbmserv.text.phrases import words_of

_BEFORE_MOVE = 3  # words: the board, the userid and the token
_FIRST_MOVE = 1  # of a board; its letters tell of the challenge, and of no bid
_CLAUSES = re.compile(r"[.,;:!?]+")
_MOST_BELOW = 3  # lines below a no in which "actually yes" takes it back
_LONGEST = 160  # characters of a line below the first, and of one with a reason
_ENDS = re.compile(r"[.,;:!…]\s|\s[-–—]\s")  # between a no and its reason
_MOST_ENDS = 2  # of them in a no: "sorry, no thanks, I'm busy"


def answer(
    connection: Connection, answered: Identity, typed: Sequence[str], names: Collection[str]
) -> str:
    """The move that answers what waits for the letter's player: `accept`, `reject`, `decline`.

    `names` are the players of the board in small letters.  "" if the first line is not a plain yes
    or no, or if nothing waits for one.  The letter of a draw asks something else.
    """
    is_named = bare_move(_first(typed)) == DECLINE
    said = REJECT if is_named else answer_to_invitation(typed, names)
    if not said or (said == ACCEPT and denies(typed)) or answered.about in {DRAW, NEWS}:
        return ""
    if is_undone_below(typed, said):
        return ""
    assert answered.board is not None
    if is_invited(connection, answered.board, answered.player):
        return said
    possible = possible_moves(connection, answered.board, answered.player)
    if possible.draw or not possible.declines:
        return ""
    is_ours = answered.about == ANSWER  # then a picture is thanks, and a no may be about our answer
    is_in_words = any(map(str.isalpha, "".join(typed)))
    if is_named:
        return DECLINE
    if answered.move != _FIRST_MOVE:
        is_sure = said == ACCEPT and is_in_words and not is_ours
        return said if is_sure and not _has_messages(connection, answered.board) else ""
    if said == REJECT:
        is_sure = not (is_ours or possible.legal or _has_messages(connection, answered.board))
        return DECLINE if is_sure else ""
    return said if is_in_words or not is_ours else ""


def reason_apart(typed: Sequence[str], names: Collection[str]) -> Sequence[str]:
    """The lines of a reply, with the reason behind a no below it: "Decline. I have no time".

    `no` alone in front of a sentence may answer something else.  Neither a question nor a
    condition is a reason.
    """
    line = _first(typed)
    if "?" in line or len(line) > _LONGEST:
        return typed
    for end in islice(_ENDS.finditer(line), _MOST_ENDS):
        head, reason = line[: end.start()], line[end.end() :].strip()
        if reason and _refuses(head, names):
            begun = f"{reason.lower()} "
            is_condition = begun.startswith(tuple(f"{each} " for each in words_of("conditions")))
            at = next(place for place, each in enumerate(typed) if each.strip())
            return typed if is_condition else [head, reason, *typed[at + 1 :]]
    return typed


def _refuses(head: str, names: Collection[str]) -> bool:
    """Whether words are a no that is more than `no`: "decline", "no thanks", "je refuse"."""
    if bare_move(head) in {DECLINE, REJECT} and head.lower() not in words_of("refusals"):
        return True
    is_more = len(head.split()) > 1
    return is_more and answer_to_invitation([head], names) == REJECT


def _first(typed: Sequence[str]) -> str:
    return next((plain_line(line).strip() for line in typed if line.strip()), "")


def is_undone_below(typed: Sequence[str], answer: str) -> bool:
    """Whether a line below the `answer`, in the first line, takes it back, or is a move.

    The other players must not read a move as words.
    """
    is_no = answer == REJECT
    if is_no and _agrees_below(typed):
        return True
    below = [plain_line(line) for line in typed[:MOST_LINES] if line.strip()][1:]
    moves = (line for line in below if not answer_to_invitation([line]))
    if have_condition(below, is_no=is_no):
        return True
    return have_move(moves, reads_as_move) or take_back(below, is_no=is_no)


def is_no_above_yes(typed: Sequence[str], asked: ParsedText) -> bool:
    """Whether a reply was read as `decline` or `reject`, and a line below it says yes."""
    moves = [each for each in asked.lines if isinstance(each, CommandCall) and each.name == MOVE]
    said = {bare_move(" ".join(each.words[_BEFORE_MOVE:])) for each in moves}
    if DECLINE in said:
        return _agrees_below(typed)
    return REJECT in said and _agrees_below(typed, answer_to_draw)  # "let's play on" is none


def _agrees_below(
    typed: Sequence[str], answer_of: Callable[[Sequence[str]], str] = answer_to_invitation
) -> bool:
    """Whether a line below the first takes a no back: "Just kidding, I'm in!", "actually yes"."""
    _, *below = [plain_line(line[:_LONGEST]) for line in typed[:MOST_LINES] if line.strip()]
    clauses = [each for line in below for each in _CLAUSES.split(line)]
    clauses += [each for line in below[:_MOST_BELOW] for each in without_reconsidering(line)]
    return any(answer_of([each]) == ACCEPT for each in clauses)


def _has_messages(connection: Connection, board: int) -> bool:
    """Whether a player has written to the others at this board."""
    row = models.Talk
    query = select(row.id).where(row.board_id == board).limit(1)
    return connection.execute(query).first() is not None
