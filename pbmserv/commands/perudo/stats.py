"""`stats`: show luck and bluffs, corrected for chance."""

from __future__ import annotations

import click

from pbmserv.commands.framework import player_command
from pbmserv.commands.name_lists import named
from pbmserv.context import Context
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.listings import STATS

MOST_PLAYERS = 6


@player_command(
    "stats",
    example="perudo stats ann bob",
    letters=("stats",),
    reads=True,
    as_json=True,
    ordered=named,
)
@click.argument("userid", nargs=-1)
def command(context: Context, userid: tuple[str, ...]) -> list[Letter]:
    """Show how players bid and call, and how lucky they are.

    Every number is next to what chance would give.  Only rounds whose cups were opened count, of a
    player's 100 latest boards.  How each number is computed: help luck.  At most six players are
    shown; without a userid, those who have played most.

    The key of --json is players.  Each player has name, on_time, bids, true, expected_true, bluffs,
    calls, right, expected_right, call_luck and dice_luck.  Shares are in percent, and null without
    any bids or calls.
    """
    from pbmserv.lobby import standings

    rows = standings.statistics(context.connection, userid, MOST_PLAYERS)
    return [STATS.to(None, {"rows": rows})]
