"""`reject`: reject an invitation or a draw, or all challenges from now on."""

from __future__ import annotations

import click

from pbmserv.commands.completion import boards
from pbmserv.commands.framework import Secret, board_last, message_option, player_command
from pbmserv.commands.perudo.accept import LETTERS, answered_or_set
from pbmserv.context import Context
from pbmserv.letters.payloads.letter import Letter


@player_command(
    "reject",
    example="perudo reject bob secret 12",
    letters=(*LETTERS, "perudo/moved", "declined"),
    ordered=board_last,
)
@click.argument("userid")
@click.argument("password", cls=Secret, by_button=True)
@click.argument("board", required=False, shell_complete=boards)
@message_option
def command(context: Context, userid: str, password: str, board: str | None) -> list[Letter]:
    """Refuse an invitation, a seat, or a proposed draw.

    To refuse a seat is the same as decline.

    If you refuse an invitation, it is withdrawn.  The others are told; the text below the command
    goes to them.  The player who sent an invitation can call it off in the same way.

    Without a board: nobody can challenge you any more.  accept allows it again.
    """
    return answered_or_set(context, userid, password, board, accepts=False)
