"""`games`: list boards in a table."""

from __future__ import annotations

import click

from pbmserv.commands.framework import player_command
from pbmserv.commands.name_lists import named
from pbmserv.context import Context
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.listings import GAMES

MOST_ROWS = 200


@player_command(
    "games",
    example="perudo games ann next",
    letters=("games",),
    reads=True,
    as_json=True,
    ordered=named,
)
@click.argument("what", nargs=-1)
def command(context: Context, what: tuple[str, ...]) -> list[Letter]:
    """List boards: move, whose turn it is, and the dice in every seat.

    WHAT is userids and one word: active (running boards), inactive (finished ones), next (where it
    is their turn) or all.  Without userids you get everybody's boards; without such a word, the
    active ones.

    The key of --json is boards.  Each board has board, status, move, rules, turn, winner, waiting
    (who has not accepted yet), beacon and players.  The status is invited, withdrawn, active, won,
    drawn or declined.  Each player has name and dice.  The name is null for a guest who has not
    answered, also in waiting.  dice is null if the number is hidden, and 0 if the player is out.
    While the cups wait for drand, turn is null, and beacon has number (of its round) and opens.
    """
    from pbmserv.boards import listing

    names, status = listing.names_and_status(what)
    rows = listing.rows(context.connection, names, status, MOST_ROWS)
    everything = status == "all" and not names
    return [GAMES.to(None, {"rows": rows, "everything": everything})]
