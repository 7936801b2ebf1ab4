"""`notify`: one letter when a board ends."""

from __future__ import annotations

import click

from pbmserv.commands import Secret, board_last, player_command
from pbmserv.desk import Desk, Letter


@player_command(
    "notify",
    example="perudo notify ann secret 12",
    letters=("watching",),
    ordered=board_last,
)
@click.argument("userid")
@click.argument("password", cls=Secret)
@click.argument("board", nargs=-1)
def command(desk: Desk, userid: str, password: str, board: tuple[str, ...]) -> list[Letter]:
    """Get one letter when a board ends, and none before.

    Without a board it is switched on, or off again, for all boards of everybody.
    """
    from pbmserv import watching

    player = desk.account(userid, password)
    return watching.until_end(desk, player, board)
