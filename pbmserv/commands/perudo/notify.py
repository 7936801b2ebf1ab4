"""`notify`: get one letter when a board ends."""

from __future__ import annotations

import click

from pbmserv.commands.completion import boards
from pbmserv.commands.framework import Secret, board_last, player_command
from pbmserv.context import Context
from pbmserv.letters.payloads.letter import Letter


@player_command(
    "notify",
    example="perudo notify ann secret 12",
    letters=("watching",),
    ordered=board_last,
)
@click.argument("userid")
@click.argument("password", cls=Secret)
@click.argument("board", nargs=-1, shell_complete=boards)
def command(context: Context, userid: str, password: str, board: tuple[str, ...]) -> list[Letter]:
    """Get one letter when a board ends, and none before.

    Without a board this is switched on, or off again, for the boards of all players.
    """
    from pbmserv.boards import spectators

    player = context.account(userid, password)
    return spectators.until_end(context, player, board)
