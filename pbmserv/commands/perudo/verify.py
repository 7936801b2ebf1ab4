"""`verify`: compute the proof of the dice again."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pbmserv.commands.framework import player_command
from pbmserv.context import Context
from pbmserv.errors import Refused
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.listings import VERIFIED, Proof


@player_command(
    "verify",
    example="perudo verify 12",
    letters=("verified",),
    reads=True,
)
@click.argument("board", metavar="BOARD|FILE")
def command(context: Context, board: str) -> list[Letter]:
    """Compute every roll of a board again, and show what is proven.

    This uses the seeds of its opened rounds.  At a shell you can also name a file with a record
    instead of a board's number.
    """
    from pbmserv.boards.board import board_number
    from pbmserv.boards.record import record_text
    from pbmserv.games.perudo.record import read_record
    from pbmserv.games.perudo.verify import verify

    def proven(record: str) -> list[Proof]:
        found = verify(read_record(record))
        return [{"round": each.round, "proven": each.proven, "why": each.why} for each in found]

    if context.at_shell and not board.isdigit():
        return [VERIFIED.to(None, {"file": board, "rounds": proven(read_file(Path(board)))})]
    number = board_number(board)
    rounds = proven(record_text(context.connection, number))
    return [VERIFIED.to(None, {"board": number, "rounds": rounds})]


def read_file(file: Path) -> str:
    """The text of a file, `-` for standard input; raises Refused `no_such_file`."""
    try:
        if str(file) == "-":
            return sys.stdin.buffer.read().decode("utf-8-sig")
        return file.read_text(encoding="utf-8-sig")  # some editors add a byte order mark
    except (OSError, UnicodeDecodeError) as problem:
        raise Refused("no_such_file", name=str(file), why=type(problem).__name__) from None
