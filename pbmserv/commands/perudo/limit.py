"""`limit`: set how many boards at once a player wants."""

from __future__ import annotations

import click

from pbmserv.commands.framework import Secret, player_command
from pbmserv.context import Context
from pbmserv.errors import Refused
from pbmserv.letters.payloads.boards import LIMIT, Limit
from pbmserv.letters.payloads.letter import Letter
from pbmserv.text.numbers import whole

UNLIMITED = ("inf", "off", "none")
MOST = 999


@player_command(
    "limit",
    example="perudo limit ann secret 5",
    letters=("limit",),
)
@click.argument("userid")
@click.argument("password", cls=Secret, by_button=True)
@click.argument("most", metavar="[NUMBER|inf]", required=False)
def command(context: Context, userid: str, password: str, most: str | None) -> list[Letter]:
    """Set how many boards you play at once, at most.

    inf means no limit.  At your limit nobody can challenge you.  Your own challenges count, too.
    Boards that you have left, or where you have no dice left, do not count.  Without a number you
    see your limit.
    """
    from pbmserv.lobby import eligibility

    player = context.account(userid, password)
    if most is not None:
        eligibility.set_limit(context.connection, player, _read_limit(most))
    told: Limit = {
        "most": eligibility.limit_of(context.connection, player),
        "boards": eligibility.boards_at_once(context.connection, [player])[player],
        "changed": most is not None,
    }
    return [LIMIT.to(None, told)]


def _read_limit(text: str) -> int | None:
    """The number of boards, None for any; raises Refused `bad_limit`."""
    if text.lower() in UNLIMITED:
        return None
    if (limit := whole(text, MOST)) is None:
        raise Refused("bad_limit", value=text[:80])
    return limit
