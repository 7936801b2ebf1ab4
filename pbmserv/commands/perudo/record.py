"""`record`: the whole public record of a board."""

from __future__ import annotations

import click

from pbmserv.boards import board_number
from pbmserv.commands import player_command
from pbmserv.desk import Desk, Letter
from pbmserv.facts.listings import RECORD
from pbmserv.record import record_text


@player_command(
    "record",
    example="perudo record 12",
    letters=("record",),
    reads=True,
)
@click.argument("board")
def command(desk: Desk, board: str) -> list[Letter]:
    """Send the whole record of a board, to keep or to check.

    It holds the rules, the players, every move, and the proofs.  The record is a text file that
    perudo verify and perudo referee read.
    """
    number = board_number(board)
    text = record_text(desk.connection, number)
    return [RECORD.to(None, {"board": number, "record": text})]
