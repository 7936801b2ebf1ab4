"""`seek`: seek more boards with other players who seek the same."""

from __future__ import annotations

import click

from pbmserv.commands.framework import Secret, player_command
from pbmserv.commands.perudo.challenge import rule_options
from pbmserv.context import Context
from pbmserv.letters.payloads.letter import Letter


@player_command(
    "seek",
    example="perudo seek ann secret 2 -rules=bga -players=3",
    letters=("perudo/started", "seeking", "seek_lapsed"),
)
@rule_options
@click.option("-players", metavar="N", help="Number of players, 2 to 6; default 4.")
@click.argument("userid")
@click.argument("password", cls=Secret, by_button=True)
@click.argument("wanted", metavar="[NUMBER|off]", required=False)
def command(
    context: Context, userid: str, password: str, wanted: str | None, **words: str | None
) -> list[Letter]:
    """Look for players who want the same kind of board.

    A board begins as soon as there are enough such players.  NUMBER is how many boards you want,
    default 1.  0 or off ends the search.  Without rules and players it ends all your searches.  You
    can have ten searches at once.  The order of play is drawn, the times are the default ones, and
    your limit is kept.  The answer lists all your searches, and when they end.  A search ends after
    30 days unless you write it again, and you are told.  list shows what others seek.
    """
    from pbmserv.lobby import matchmaking

    player = context.account(userid, password)
    return matchmaking.seek(context, player, wanted, words)
