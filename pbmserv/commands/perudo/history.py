"""`history`: list finished boards."""

from __future__ import annotations

import click

from pbmserv.commands.framework import player_command
from pbmserv.commands.name_lists import named
from pbmserv.context import Context
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.listings import HISTORY


@player_command(
    "history",
    example="perudo history ann",
    letters=("history",),
    reads=True,
    as_json=True,
    ordered=named,
)
@click.argument("userid", nargs=-1)
def command(context: Context, userid: tuple[str, ...]) -> list[Letter]:
    """List finished boards, the latest first.

    You see who won, and when the board began and ended.  With userids only boards of these players
    are listed.  At most 200 are listed.

    The key of --json is boards.  Each board has board, players, winner (null: nobody won), started
    and ended.
    """
    from pbmserv.lobby import standings

    return [HISTORY.to(None, {"rows": standings.history(context.connection, userid)})]
