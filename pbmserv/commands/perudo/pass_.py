"""`pass`: explain that Perudo has no such move."""

from __future__ import annotations

import click

from pbmserv.commands.framework import Secret, player_command
from pbmserv.context import Context
from pbmserv.errors import Refused
from pbmserv.letters.payloads.letter import Letter


@player_command(
    "pass",
    example="perudo pass 12 ann secret",
    letters=("refused",),
    hidden=True,
)
@click.argument("words", nargs=-1, cls=Secret)  # there may be a password among them
def command(context: Context, words: tuple[str, ...]) -> list[Letter]:
    """Refused: Perudo has no pass.

    On your turn you raise the bid or call it.  To leave a game, use resign.
    """
    if context.answered and context.answered.board:
        from pbmserv.boards.possible_moves import possible_moves

        board = context.answered.board
        possible = possible_moves(context.connection, board, context.answered.player)
        if possible.is_over:
            raise Refused("game_over", winner=possible.winner, board=board)
        if possible.invited:
            raise Refused("no_pass", invited=True)
        if possible.declines:
            raise Refused("no_pass", declines=True)
    raise Refused("no_pass")
