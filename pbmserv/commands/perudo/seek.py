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
@click.option(
    "-players", metavar="N", help="How many are to play, 2 to 6; 4 where nothing is said."
)
@click.argument("userid")
@click.argument("password", cls=Secret)
@click.argument("wanted", metavar="[NUMBER|off]", required=False)
def command(
    context: Context, userid: str, password: str, wanted: str | None, **words: str | None
) -> list[Letter]:
    """Say that you want more boards, with whoever wants the same.

    As soon as there are enough such players a board begins.  NUMBER is how many, 1 where nothing is
    said; 0 or off ends the search, and with neither rules nor players all of your searches.  You
    can seek ten kinds of boards at once.  The order of play is drawn, the times are the usual ones,
    and your limit is kept.  The answer tells all that you seek, and until when: a search lapses
    after 30 days unless you write it again, and you are told.  list shows what others seek.
    """
    from pbmserv.lobby import matchmaking

    player = context.account(userid, password)
    return matchmaking.sought(context, player, wanted, words)
