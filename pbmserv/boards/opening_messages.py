"""Hold the opening message of a challenge until its sender proves to be the challenger.

A From address can be forged.  A challenge by email without a token, a password or a proven From
still starts its board.  Its message to the other players is stored in the board's row.  It is sent
with the challenger's first action at the board, which needs a proof.
"""

from __future__ import annotations

from pbmserv.boards.board import Board
from pbmserv.boards.record import change_board
from pbmserv.context import UnitOfWork


def waits_for(board: Board, player: int) -> bool:
    """Whether an opening message waits for proof from this player."""
    return board.opening != "" and board.challenger == player


def release(work: UnitOfWork, board: Board, seat: int, words: str) -> str:
    """A player's message to the others: a waiting opening message, then `words`.

    The message no longer waits after this.  So a command calls this only when it can no longer be
    refused.  The lines of the opening message with a password of the player's email are left out.
    """
    if not waits_for(board, board.seats[seat].player):
        return words
    change_board(work, board, opening="")
    return "\n\n".join(filter(None, (work.without_passwords(board.opening), words)))
