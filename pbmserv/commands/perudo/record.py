"""`record`: send the whole public record of a board."""

from __future__ import annotations

import click

from pbmserv.commands.completion import all_boards
from pbmserv.commands.framework import player_command
from pbmserv.context import Context
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.listings import RECORD


@player_command(
    "record",
    example="perudo record 12",
    letters=("record",),
    reads=True,
)
@click.argument("board", shell_complete=all_boards)
def command(context: Context, board: str) -> list[Letter]:
    """Send the whole record of a board, to keep or to check.

    It has the rules, the players, every move, and the proofs.  The record is a text file that
    perudo verify and perudo referee can read.
    """
    from pbmserv.boards.board import board_number
    from pbmserv.boards.record import record_text

    number = board_number(board)
    text = record_text(context.connection, number)
    return [RECORD.to(None, {"board": number, "record": text})]
