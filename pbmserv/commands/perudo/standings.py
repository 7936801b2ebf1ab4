"""`standings`: list the players by rating."""

from __future__ import annotations

import click

from pbmserv.commands.framework import player_command
from pbmserv.context import Context
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.listings import STANDINGS


@player_command(
    "standings",
    example="perudo standings bga",
    letters=("standings",),
    spellings=("ratings",),
    reads=True,
    as_json=True,
)
@click.argument("rules", required=False, default="")
def command(context: Context, rules: str) -> list[Letter]:
    """List the players by rating.

    You also see games won and lost, boards in play, and who seeks games.  RULES is a rule set;
    without it all games count.  A rating from fewer than 20 games is marked with ?.  What the
    number means: help ratings.

    The keys of --json are rules (null: all), players and newcomers (who seek games and have no
    rating here).  Each player has name, rating, provisional, won, lost, playing, on_time (percent)
    and seeking.
    """
    from pbmserv.lobby import standings

    rows = standings.standings(context.connection, rules.lower())
    newcomers = standings.seeking_newcomers(context.connection, rows)
    return [STANDINGS.to(None, {"rules": rules.lower(), "rows": rows, "newcomers": newcomers})]
