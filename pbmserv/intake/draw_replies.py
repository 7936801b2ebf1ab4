"""Read a reply that answers the offer of a draw, or an invitation, with a yes or a no.

A wrong yes may end a game.  So the line counts only if all its words are known, and one that asks
or doubts does not count.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, select

from pbmserv.boards import possible_moves
from pbmserv.boards.board import load_board
from pbmserv.boards.draw_offers import offered_after
from pbmserv.database import models
from pbmserv.text.normalize import plain_line
from pbmserv.text.phrases import words_of

ACCEPT, REJECT = "accept", "reject"
LONGEST = 60  # characters of the line that is read
_THANKS_ELSEWHERE = {"tak"}  # yes in Polish, thanks in Danish
_YES = frozenset((*words_of("yes"), "accept", "accepted", "agree")) - _THANKS_ELSEWHERE
_DRAW = "draw"
_DECLINE = "decline"  # alone it leaves the board
_SORRY = frozenset(("sorry", "leider"))  # refusals that may be about something else
_NO = frozenset((*words_of("refusals"), "reject", "rejected")) - _SORRY
_BESIDE = frozenset(
    (
        *(*words_of("thanks"), *words_of("thanked"), *words_of("behind_yes"), *_SORRY),
        *("i", "we", "to", "the", "a", "it", "this", "that", "offer", "of", "course", _DRAW),
    )
)
_AROUND = " .,;:!_*\"'()-–—…。、！，"


def answer_to_draw(typed: Sequence[str]) -> str:
    """`accept` or `reject`, if the first line says no more than that; else ""."""
    line = plain_line(next((line for line in typed if line.strip()), ""))
    if len(line) > LONGEST:
        return ""
    words = [word for each in line.split() if (word := each.strip(_AROUND).lower())]
    said = {word for word in words if word not in _BESIDE}
    refusals = _NO | {_DECLINE} if _DRAW in words else _NO
    if said and said <= refusals:
        return REJECT
    return ACCEPT if said and said <= _YES else ""


def is_invited(connection: Connection, number: int, player: int) -> bool:
    """Whether this board is an invitation that waits for this player."""
    board, seat = models.Board, models.Seat
    query = select(seat.seat).join(board, board.id == seat.board_id).where(board.id == number)
    waits = query.where(board.state == "invited", ~seat.accepted, seat.player_id == player)
    return connection.execute(waits).first() is not None


def waits_for(connection: Connection, number: int, player: int, written_at: int | None) -> bool:
    """Whether a draw is on offer at this board, and waits for this player.

    `written_at` is the moment of the letter that the player answers: a draw that was offered later
    does not count.  None stands for a letter that tells of the draw.
    """
    board = load_board(connection, number)
    if not possible_moves.waits_for(board, player):
        return False
    return written_at is None or not offered_after(connection, board, written_at)
