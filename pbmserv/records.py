"""Records: what everybody may know of a board, from its first line to its last."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlalchemy import Connection, bindparam, select

from pbmserv import models
from pbmserv.boards import Board, load
from pbmserv.errors import Refused
from pbmserv.games.perudo.record import Record, read_record, write_lines
from pbmserv.games.perudo.table import Table, after, new_table

_LINES = (
    select(models.Happening.line, models.Board.chain)
    .join(models.Board, models.Board.id == models.Happening.board_id)
    .where(models.Happening.board_id == bindparam("board"))
    .order_by(models.Happening.number)
)


def record(connection: Connection, number: int) -> str:
    """The whole public record of a board, sealed by the digest that was kept move by move.

    Raises Refused `no_such_board`, or `not_begun` for an invitation.
    """
    rows = connection.execute(_LINES, {"board": number}).all()
    if not rows:
        load(connection, number)  # raises: there is none, or it has not begun
    seal = rows[0].chain.hex()
    return write_lines((line for row in rows for line in row.line.split("\n")), seal)


def refolded(record: Record) -> Iterator[Table]:
    """The table after each event of a record, from the empty one on."""
    table = new_table(record.rules, len(record.players))
    yield table
    for event in record.events:
        table = after(table, event)
        yield table


def as_it_stood(connection: Connection, board: Board, move: int) -> Board:
    """The board as it stood before a move (from 1); raises Refused `no_such_move`."""
    tables = refolded(read_record(record(connection, board.id)))
    stood = [table for table in tables if table.round and table.move == move]
    if not stood:
        raise Refused("no_such_move", board=board.id, given=move, last=board.table.move)
    return replace(board, table=stood[-1], recent=())
