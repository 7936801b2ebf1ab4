"""`list`: list open boards, and players who seek games."""

from __future__ import annotations

import click

from pbmserv.commands.framework import GAMES, player_command
from pbmserv.context import Context
from pbmserv.errors import Refused
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.listings import LIST, Sought

MOST_ROWS = 200


@player_command(
    "list",
    example="list perudo",
    letters=("list",),
    reads=True,
)
@click.argument("game", required=False)
def command(context: Context, game: str | None) -> list[Letter]:
    """List the open boards, and the players who seek games.

    A board is open if it is being played, or if some players have not accepted yet.  Perudo is the
    only GAME here.
    """
    from pbmserv.boards import listing
    from pbmserv.lobby import matchmaking

    if game is not None and game.lower() not in GAMES:
        raise Refused("unknown_word", word=game[:20], known=list(GAMES))
    rows = listing.rows(context.connection, [], "active", MOST_ROWS)
    found = matchmaking.seekers(context.connection)[:MOST_ROWS]
    seeking: list[Sought] = [{**each.payload(), "who": each.userid} for each in found]
    return [LIST.to(None, {"rows": rows, "seeking": seeking})]
