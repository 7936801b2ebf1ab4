"""`takeover`: take a seat that a bot keeps for an absent player."""

from __future__ import annotations

import click

from pbmserv.commands.completion import boards
from pbmserv.commands.framework import Secret, player_command
from pbmserv.context import Context
from pbmserv.letters.payloads.letter import Letter


@player_command(
    "takeover",
    example="perudo takeover 12 dan secret",
    letters=("perudo/moved",),
)
@click.argument("board", shell_complete=boards)
@click.argument("userid")
@click.argument("password", cls=Secret)
def command(context: Context, board: str, userid: str, password: str) -> list[Letter]:
    """Take the seat of a player who did not come back.

    A house player plays in that seat until then.  The absent player can take it back in the same
    way, unless another player has taken it.  The game does not count for your rating, but your late
    moves count.
    """
    from pbmserv.boards import substitutions

    return substitutions.take_over(context, board, context.account(userid, password))
