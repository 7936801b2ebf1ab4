"""`advise`: how good the moves of finished rounds were, and what a bot does."""

from __future__ import annotations

import click

from pbmserv.commands.completion import all_boards
from pbmserv.commands.framework import player_command
from pbmserv.context import Context
from pbmserv.letters.payloads.letter import Letter


@player_command(
    "advise",
    example="perudo advise 12",
    letters=("advice",),
    spellings=("advice",),
    reads=True,
    as_json=True,
)
@click.argument("board", shell_complete=all_boards)
@click.argument("round", required=False)
def command(context: Context, board: str, round: str | None) -> list[Letter]:
    """Show how good the moves of finished rounds were, and where luck was.

    Only rounds whose cups were opened are shown, also while the game goes on.  For each bid you see
    how likely it was to be true.  For each call you see how likely it was to be right.  These
    chances come from what the player could know: their own cup and the number of dice on the
    table.  Beside them is the move of a house player with the same cup.  It may choose by chance:
    then this is its most frequent move, and how often it makes it.

    Without ROUND you get all finished rounds, of a long game the last ones.  ROUND is the number of
    one of them: perudo advise 12 3.

    The keys of --json are board, first (the first finished round that is not left out) and rounds.
    Each round has round, cups (player, dice) and moves.  Each move has player, move, chance, right,
    house and share.  Chances and shares are in percent.  The last two are null for a calza out of
    turn.
    """
    from pbmserv.boards import advice
    from pbmserv.boards.board import board_number

    if round is None and "#" in board:
        board, _, round = board.partition("#")
    return [advice.of_board(context.connection, board_number(board), round)]
