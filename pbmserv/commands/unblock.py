"""`unblock`: the end of a block."""

from __future__ import annotations

import click

from pbmserv.commands import Secret, player_command
from pbmserv.commands.block import switched
from pbmserv.desk import Desk, Letter


@player_command("unblock", example="unblock ann secret bob", letters=("blocked",))
@click.argument("userid")
@click.argument("password", cls=Secret)
@click.argument("other")
def command(desk: Desk, userid: str, password: str, other: str) -> list[Letter]:
    """Hear again from a player whom you have blocked.

    OTHER is that player's userid.
    """
    return switched(desk, userid, password, other, on=False)
