"""`verify`: compute the proof of the dice again."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbmserv.commands.completion import boards_and_files
from pbmserv.commands.framework import player_command
from pbmserv.context import Context
from pbmserv.errors import Refused
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.listings import VERIFIED, Drand, Proof, Verified

if TYPE_CHECKING:  # the game is imported inside the command
    from pbmserv.games.perudo.record import Record
    from pbmserv.games.perudo.verify import Proof as Rolled

files_are_here = True  # False in the server's process for shells: a path is its caller's
_DIGEST = re.compile("[0-9a-f]{8,64}")
_BRACKETED = re.compile("<.+>")


class NotHere(BaseException):
    """A file (its name is the argument) is to be read that only the caller's process may read."""


@player_command(
    "verify",
    example="perudo verify 12",
    letters=("verified",),
    reads=True,
)
@click.argument("board", metavar="BOARD|FILE", shell_complete=boards_and_files)
@click.argument("proof", nargs=-1)
def command(context: Context, board: str, proof: tuple[str, ...]) -> list[Letter]:
    """Compute every roll of a board again, and show what is proven.

    This uses the seeds of its opened rounds.  At a shell you can also name a file with a record
    instead of a board's number.  PROOF is the number below a letter about the board, or at least
    its first 8 characters.  The answer says after which move the board had it.  PROOF can also be
    the Message-ID of your email with a move, or salt and your words after it.  The answer says
    which move has that salt.  At a shell the exit code is 1 if none has it, or if the board never
    had that number.
    """
    from pbmserv.boards.board import board_number
    from pbmserv.boards.record import move_of_digest, moves_with_salt, record_text
    from pbmserv.games.perudo.beacon import CHAIN
    from pbmserv.games.perudo.record import read_record
    from pbmserv.games.perudo.verify import is_over, verify

    of_file = context.at_shell and not board.isdigit()
    number = 0 if of_file else board_number(board)
    text = read_file(Path(board)) if of_file else record_text(context.connection, number)
    record = read_record(text)
    found = verify(record)
    digest, salt = _asked(record, proof)
    told: Verified = {"rounds": in_spans(found), "over": is_over(record)}
    if any(each.salted for each in found if each.proven):
        told["salts"] = True
    if any(each.beacon for each in found):
        told["beacons"], told["network"] = of_beacon(found, record.started), CHAIN
        told["unmixed"] = [
            str(each.round) for each in found if not (each.beacon and each.beacon.value)
        ]
    if of_file:
        told["file"] = board
    else:
        told["board"] = number
    salted = moves_with_salt(record, salt)
    if salt and (salted or not digest):
        told["salt"] = salt
        told["salted"] = [
            {"move": each.move, "name": record.players[each.seat], "what": each.what}
            for each in salted
        ]
    elif digest:
        told["digest"], told["after"] = digest, move_of_digest(text, digest)
    return [VERIFIED.to(None, told)]


def _asked(record: Record, proof: Sequence[str]) -> tuple[str, str]:
    """The digest and the part of a salt that may be asked about, "" for none.

    A digest may have blanks, as some programs break it.  A Message-ID may have no `@`: then it has
    angle brackets, or a move of this record has its salt.  Raises Refused `unreadable_digest`.
    """
    from pbmserv.boards.record import moves_with_salt
    from pbmserv.games.perudo.notation import without_salt
    from pbmserv.games.perudo.player_salts import bare, part_of

    text = " ".join(proof)
    _, words = without_salt(f"- {text}")
    if words:
        return "", part_of(words)
    identifier = part_of(bare(text)) if text else ""
    if "@" in text or _BRACKETED.fullmatch(text):
        return "", identifier
    digest = "".join(proof).lower()
    if text and moves_with_salt(record, identifier):
        return "", identifier
    if text and not _DIGEST.fullmatch(digest):
        raise Refused("unreadable_digest")
    return digest, digest if len(digest) == len(part_of("")) else ""


def in_spans(found: Sequence[Rolled]) -> list[Proof]:
    """The proofs with consecutive proven rounds joined; each other round is named by itself."""
    spans: list[Proof] = []
    for each in found:
        like: Proof = {"round": each.round, "proven": each.proven, "why": each.why}
        if each.proven and not each.salted and not (each.beacon and each.beacon.value):
            like["alone"] = True
        if spans and each.proven and _is_same(spans[-1], like):
            spans[-1]["last"] = each.round
        else:
            spans.append(like)
    return spans


def of_beacon(found: Sequence[Rolled], started: str | None) -> list[Drand]:
    """The rounds that were rolled with the beacon, each with its value, to compare with drand's.

    Two kinds of calls prove nothing.  One names a round that is not later than that of a call
    before.  The other names a round from before the day (in UTC) when the game started, if that
    is known.
    """
    from pbmserv.games.perudo.beacon import emitted_at

    begin = 0.0
    with suppress(ValueError):  # a file may name a day that does not exist
        begin = datetime.fromisoformat(f"{started}T00:00Z").timestamp() if started else 0.0
    told: list[Drand] = []
    latest = 0
    for each in found:
        if beacon := each.beacon:
            told.append({"round": each.round, "number": beacon.round, "value": beacon.value or ""})
            if emitted_at(beacon.round) < begin:
                told[-1]["known"] = told[-1]["early"] = True
            elif beacon.round <= latest:
                told[-1]["known"] = True
            latest = max(latest, beacon.round)
    return told


def _is_same(one: Proof, other: Proof) -> bool:
    """Whether two rounds are proven alike."""
    same = one["proven"], one["why"], one.get("alone")
    return same == (other["proven"], other["why"], other.get("alone"))


def read_file(file: Path) -> str:
    """The text of a file, `-` for standard input; raises Refused `no_such_file`, or NotHere."""
    try:
        if str(file) == "-":
            return sys.stdin.buffer.read().decode("utf-8-sig")
        if not files_are_here:
            raise NotHere(str(file))
        return file.read_text(encoding="utf-8-sig")  # some editors add a byte order mark
    except (OSError, UnicodeDecodeError) as problem:
        raise Refused("no_such_file", name=str(file), why=type(problem).__name__) from None
