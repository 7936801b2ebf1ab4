"""`verify`: compute the proof of the dice again."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbmserv.commands.completion import boards_and_files
from pbmserv.commands.framework import player_command
from pbmserv.context import Context
from pbmserv.errors import Refused
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.listings import VERIFIED, Proof, Verified

if TYPE_CHECKING:  # the game is imported inside the command
    from pbmserv.games.perudo.verify import Proof as Rolled

_DIGEST = re.compile("[0-9a-fA-F]{8,64}")


@player_command(
    "verify",
    example="perudo verify 12",
    letters=("verified",),
    reads=True,
)
@click.argument("board", metavar="BOARD|FILE", shell_complete=boards_and_files)
@click.argument("digest", required=False)
def command(context: Context, board: str, digest: str | None) -> list[Letter]:
    """Compute every roll of a board again, and show what is proven.

    This uses the seeds of its opened rounds.  At a shell you can also name a file with a record
    instead of a board's number.  DIGEST is from a letter, at least its first 8 characters: the
    answer says after which move the board had it.
    """
    from pbmserv.boards.board import board_number
    from pbmserv.boards.record import move_of_digest, record_text
    from pbmserv.games.perudo.record import read_record
    from pbmserv.games.perudo.verify import verify

    def proven(record: str) -> list[Proof]:
        return in_spans(verify(read_record(record)))

    if digest is not None and not _DIGEST.fullmatch(digest):
        raise Refused("unreadable_digest")
    told: Verified
    if context.at_shell and not board.isdigit():
        record = read_file(Path(board))
        told = {"file": board, "rounds": proven(record)}
    else:
        number = board_number(board)
        record = record_text(context.connection, number)
        told = {"board": number, "rounds": proven(record)}
    if digest is not None:
        told["digest"], told["after"] = digest, move_of_digest(record, digest)
    return [VERIFIED.to(None, told)]


def in_spans(found: Sequence[Rolled]) -> list[Proof]:
    """The proofs with consecutive proven rounds joined; each other round is named by itself."""
    spans: list[Proof] = []
    for each in found:
        if spans and each.proven and (spans[-1]["proven"], spans[-1]["why"]) == (True, each.why):
            spans[-1]["last"] = each.round
        else:
            spans.append({"round": each.round, "proven": each.proven, "why": each.why})
    return spans


def read_file(file: Path) -> str:
    """The text of a file, `-` for standard input; raises Refused `no_such_file`."""
    try:
        if str(file) == "-":
            return sys.stdin.buffer.read().decode("utf-8-sig")
        return file.read_text(encoding="utf-8-sig")  # some editors add a byte order mark
    except (OSError, UnicodeDecodeError) as problem:
        raise Refused("no_such_file", name=str(file), why=type(problem).__name__) from None
