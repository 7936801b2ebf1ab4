"""`subscribe`: watch boards."""

from __future__ import annotations

import click

from pbmserv.commands.completion import boards
from pbmserv.commands.framework import Secret, board_last, player_command
from pbmserv.context import Context
from pbmserv.letters.payloads.letter import Letter


@player_command(
    "subscribe",
    example="perudo subscribe ann secret 12",
    letters=("watching",),
    ordered=board_last,
)
@click.argument("userid")
@click.argument("password", cls=Secret)
@click.argument("board", nargs=-1, required=True, shell_complete=boards)
def command(context: Context, userid: str, password: str, board: tuple[str, ...]) -> list[Letter]:
    """Get every letter of a board, as a spectator sees it.

    They show dice only after the cups are opened.  You can name several boards; all means every
    board that is being played now.  At your own boards it brings your own letter for every move.
    unsubscribe ends it.
    """
    from pbmserv.boards import spectators

    player = context.account(userid, password)
    return spectators.begin(context, player, board)
