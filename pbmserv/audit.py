"""Audit: every board played again from its happenings, and compared with its row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import Engine, select

from pbmserv import boards, models
from pbmserv.database import reading
from pbmserv.errors import Refused
from pbmserv.games.perudo.dice import commitment, cups_from
from pbmserv.games.perudo.notation import write_view
from pbmserv.games.perudo.record import read_record
from pbmserv.games.perudo.table import view
from pbmserv.games.perudo.verify import verify


def board_numbers(engine: Engine) -> Sequence[int]:
    """The numbers of all boards."""
    with reading(engine) as connection:
        return connection.execute(select(models.Board.id).order_by(models.Board.id)).scalars().all()


def problems(engine: Engine, number: int) -> Iterator[str]:
    """What does not agree on a board: its position, its proofs, its running dice."""
    with reading(engine) as connection:
        board = boards.load(connection, number)
        text = boards.record(connection, number)
    try:
        record = read_record(text)
        proven = verify(record)
    except Refused as refusal:
        yield f"its record does not hold: {refusal}"
        return
    table = boards.refolded(record)
    if write_view(view(table, None)) != write_view(view(board.table, None)):
        yield "the position is not the one that its happenings lead to"
    if board.seed is None or board.table.winner is not None:
        return
    running = proven[-1]
    if commitment(board.seed) != running.commitment:
        yield "the running round's seed is not the one that was committed"
    dice = cups_from(board.seed, running.digest, board.table.counts, board.table.rules.faces)
    if dice != board.table.cups:
        yield "the running round's cups do not follow from its seed"
