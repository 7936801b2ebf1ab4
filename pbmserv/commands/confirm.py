"""`confirm`: what a letter asked to be confirmed."""

from __future__ import annotations

import click

from pbmserv.commands import Secret, player_command
from pbmserv.desk import Desk, Letter


@player_command(
    "confirm",
    example="confirm 7XQ2M4KDPLR5NVTA3SWZ6YBHCE",
    letters=("confirmed",),
)
@click.argument("token", cls=Secret)
def command(desk: Desk, token: str) -> list[Letter]:
    """Confirm what a letter asked you to confirm, such as your address.

    Replying to that letter does the same.
    """
    from pbmserv import players, tokens

    player, address = players.confirm(desk.connection, tokens.digest(token.upper()), desk.now)
    return [Letter(address, "confirmed", {"userid": player.userid, "address": address})]
