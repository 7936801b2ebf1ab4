"""Opening messages of challenges that prove nothing: they wait until their writer does.

Anybody can write any From.  A challenge by a mail without a token, a password or a proven From
starts its board, but what it says to the others is kept in the board's row.  It goes out with the
first thing that the challenger does there, which needs a proof.
"""

from __future__ import annotations

from pbmserv.boards.board import Board
from pbmserv.boards.record import change_board
from pbmserv.context import Context


def waits_for(board: Board, player: int) -> bool:
    """Whether an opening message waits for this player to prove to have written it."""
    return board.opening != "" and board.challenger == player


def released(context: Context, board: Board, seat: int) -> str:
    """What a player at a board says to the others now: the opening message that waited comes first.

    It waits no longer, so a command calls this when it cannot be refused any more.
    """
    if not waits_for(board, board.seats[seat].player):
        return context.message
    change_board(context, board, opening="")
    return "\n\n".join(filter(None, (board.opening, context.message)))
