"""`unmute`: get messages of the other players of a board again."""

from __future__ import annotations

import click

from pbmserv.commands.completion import boards
from pbmserv.commands.framework import Secret, board_last, player_command
from pbmserv.commands.perudo.mute import switched
from pbmserv.context import Context
from pbmserv.letters.payloads.letter import Letter


@player_command(
    "unmute", example="perudo unmute ann secret 12", letters=("muted",), ordered=board_last
)
@click.argument("userid")
@click.argument("password", cls=Secret, by_button=True)
@click.argument("board", shell_complete=boards)
def command(context: Context, userid: str, password: str, board: str) -> list[Letter]:
    """Get again what the others write at a board that you have muted."""
    return switched(context, userid, password, board, on=False)
