"""`unblock`: end a block."""

from __future__ import annotations

import click

from pbmserv.commands.framework import Secret, player_command
from pbmserv.commands.server.block import switched
from pbmserv.context import Context
from pbmserv.letters.payloads.letter import Letter


@player_command("unblock", example="unblock ann secret bob", letters=("blocked",))
@click.argument("userid")
@click.argument("password", cls=Secret, by_button=True)
@click.argument("other")
def command(context: Context, userid: str, password: str, other: str) -> list[Letter]:
    """Get messages and games again from a player whom you have blocked.

    OTHER is that player's userid.
    """
    return switched(context, userid, password, other, on=False)
