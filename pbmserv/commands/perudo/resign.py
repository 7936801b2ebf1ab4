"""The command `resign`: leave a board, at once or on the player's turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pbmserv.commands.completion import boards
from pbmserv.commands.framework import Secret, expected_move, player_command
from pbmserv.context import Context
from pbmserv.letters.payloads.boards import RESIGN_CANCELLED, RESIGN_PENDING, OfBoard, ResignPending
from pbmserv.letters.payloads.letter import Letter

if TYPE_CHECKING:
    from pbmserv.boards.board import Board
    from pbmserv.games.perudo.table import Resign


@player_command(
    "resign",
    example="perudo resign 12 ann secret",
    letters=("perudo/moved", "perudo/ended", "resign_pending", "resign_cancelled", "declined"),
)
@click.argument("board", shell_complete=boards)
@click.argument("userid")
@click.argument("password", cls=Secret, by_button=True)
def command(context: Context, board: str, userid: str, password: str) -> list[Letter]:
    """Leave a board.

    Your dice leave the table and the round is rolled again.  On your turn this happens at once.
    Otherwise it waits for your turn; send the command again before then to cancel it.

    If you have not made a move yet, the board is unrated.  To leave a game that somebody began
    with you, use decline: then it does not count for you.
    """
    from pbmserv.boards import seating
    from pbmserv.boards.seating import TokenUse
    from pbmserv.games.perudo.player_salts import salt_of
    from pbmserv.games.perudo.table import Resign

    place = seating.authorized(
        context, board, userid, password, TokenUse.ANY_TIME, expected=expected_move()
    )
    return resigned(context, *place, Resign(salt_of(context.identifier)))


def resigned(context: Context, board: Board, seat: int, action: Resign) -> list[Letter]:
    """What a resignation does: at once on turn, noted or cancelled otherwise."""
    from pbmserv.boards import challenge_answers, notices, play, queued_moves, seating

    if seating.has_declined(board.seats[seat]):
        return challenge_answers.declined(context, board, seat)
    if board.table.winner is not None or board.table.turn == seat:
        return notices.of_move(
            context, play.move(context, board, seat, action, context.message), seat
        )
    if queued_moves.resign_later(context, board, seat):
        replies = notices.hears_reply(context, board, seat)
        unsaid = bool(context.message)
        told: ResignPending = {"board": board.id, "unsaid": unsaid, "reply": replies}
        return [notices.noted(context, RESIGN_PENDING, told, board, seat)]
    stays: OfBoard = {"board": board.id}
    return [notices.noted(context, RESIGN_CANCELLED, stays, board, seat)]
