"""`submit`: explain that Perudo has no such move."""

from __future__ import annotations

import click

from pbmserv.commands.framework import Secret, player_command
from pbmserv.context import Context
from pbmserv.errors import Refused
from pbmserv.letters.payloads.letter import Letter


@player_command(
    "submit",
    example="perudo submit 12 ann secret",
    letters=("refused",),
    hidden=True,
)
@click.argument("words", nargs=-1, cls=Secret)  # there may be a password among them
def command(context: Context, words: tuple[str, ...]) -> list[Letter]:
    """Refused: Perudo has no submit.

    Trying a move before submitting it would show hidden dice.  So every move counts at once.
    preview checks a bid, queue plans moves for your turn.
    """
    raise Refused("no_submit")
