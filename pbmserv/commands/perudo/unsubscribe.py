"""`unsubscribe`: look on no longer."""

from __future__ import annotations

import click

from pbmserv.commands import Secret, board_last, player_command
from pbmserv.desk import Desk, Letter


@player_command(
    "unsubscribe",
    example="perudo unsubscribe ann secret 12",
    letters=("watching",),
    ordered=board_last,
)
@click.argument("userid")
@click.argument("password", cls=Secret)
@click.argument("board", nargs=-1, required=True)
def command(desk: Desk, userid: str, password: str, board: tuple[str, ...]) -> list[Letter]:
    """Get no more letters of boards that you look on at.

    There may be several boards; all stands for every board that you look on at.
    """
    from pbmserv import watching

    player = desk.account(userid, password)
    return watching.end(desk, player, board)
