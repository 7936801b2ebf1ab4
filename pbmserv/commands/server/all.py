"""`all`: list a player's boards in every game."""

from __future__ import annotations

import click

from pbmserv.commands.framework import player_command
from pbmserv.context import Context
from pbmserv.errors import Refused
from pbmserv.letters.payloads.letter import Letter

SHOW = "show"


@player_command(
    "all",
    example="all show ann next",
    letters=("perudo/show", "invitation"),
    reads=True,
)
@click.argument("show", metavar="show")
@click.argument("userid", nargs=-1, required=True)
def command(context: Context, show: str, userid: tuple[str, ...]) -> list[Letter]:
    """Show a player's boards in every game, as a spectator sees them.

    After the userid you can write all, active, inactive or next (the player's turn).
    """
    from pbmserv.commands.perudo.show import of_players

    if show.lower() != SHOW:
        raise Refused("unknown_word", word=show[:20], known=[SHOW])
    return of_players(context, userid)
