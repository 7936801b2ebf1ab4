"""`decline`: leave a board before acting there."""

from __future__ import annotations

import click

from pbmserv.commands.completion import boards
from pbmserv.commands.framework import (
    Secret,
    board_last,
    expected_move,
    message_option,
    player_command,
)
from pbmserv.commands.perudo.accept import answered
from pbmserv.context import Context
from pbmserv.letters.payloads.letter import Letter


@player_command(
    "decline",
    example="perudo decline bob secret 12",
    letters=("declined", "perudo/moved", "perudo/ended", "invitation_answer"),
    ordered=board_last,
)
@click.argument("userid")
@click.argument("password", cls=Secret)
@click.argument("board", shell_complete=boards)
@message_option
def command(context: Context, userid: str, password: str, board: str) -> list[Letter]:
    """Refuse a game that somebody has begun with you.

    A challenge begins its board at once.  You can decline until you have moved there, written to
    the others or accepted.  To look at your dice with showas and the board's number accepts, too.
    You leave the board, and it does not count for you.  The same happens if you never answer in
    time.  The others play on.  If only one is left, the board ends, and nobody has won.

    The text below the command goes to the others if the board ends or it is your turn.  You can
    also reply to a letter about the board, with the word decline on the first line.

    On a board that has not begun, this rejects the invitation.
    """
    return declined(context, board, userid, password, expected=expected_move())


def declined(
    context: Context, number: str, userid: str, password: str, *, expected: int | None = None
) -> list[Letter]:
    """The no to a running board; or to an invitation, where the board has not begun."""
    from pbmserv.boards import challenge_answers, seating
    from pbmserv.boards.board import board_number
    from pbmserv.boards.seating import TokenUse
    from pbmserv.lobby import invitations

    if invitations.load(context.connection, board_number(number)):
        return answered(context, number, userid, password, accepts=False, expected=expected)
    board, seat = seating.authorized(
        context, number, userid, password, TokenUse.CHALLENGE, expected=expected
    )
    return challenge_answers.declined(context, board, seat)
