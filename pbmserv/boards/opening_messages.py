"""Opening messages of challenges that prove nothing: they wait until their writer does.

Anybody can write any From.  A challenge by a mail without a token, a password or a proven From
starts its board, but what it says to the others is kept in the board's row.  It goes out with the
first thing that the challenger does there, which needs a proof.
"""

from __future__ import annotations

from pbmserv.boards.board import Board
from pbmserv.boards.record import change_board
from pbmserv.context import UnitOfWork


def waits_for(board: Board, player: int) -> bool:
    """Whether an opening message waits for this player to prove to have written it."""
    return board.opening != "" and board.challenger == player


def released(work: UnitOfWork, board: Board, seat: int, words: str) -> str:
    """What a player says to the others now: an opening message that waited, and then `words`.

    It waits no longer, so a command calls this when it cannot be refused any more.
    """
    if not waits_for(board, board.seats[seat].player):
        return words
    change_board(work, board, opening="")
    return "\n\n".join(filter(None, (board.opening, words)))
