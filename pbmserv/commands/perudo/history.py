"""`history`: list finished boards."""

from __future__ import annotations

import click

from pbmserv.commands.framework import player_command
from pbmserv.context import Context
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.listings import HISTORY


@player_command(
    "history",
    example="perudo history ann",
    letters=("history",),
    reads=True,
)
@click.argument("userid", nargs=-1)
def command(context: Context, userid: tuple[str, ...]) -> list[Letter]:
    """List the boards that are over, the latest first.

    Each with who won, and when it began and ended.  With userids only boards on which one of them
    sat.  At most 200 are listed.
    """
    from pbmserv.lobby import standings

    return [HISTORY.to(None, {"rows": standings.history(context.connection, userid)})]
