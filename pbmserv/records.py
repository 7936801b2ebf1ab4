"""Records: what everybody may know of a board, from its first line to its last."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, select

from pbmserv import models
from pbmserv.boards import Board, load
from pbmserv.errors import Refused
from pbmserv.games.perudo.dice import chain_of
from pbmserv.games.perudo.record import Record, read_record, write_lines
from pbmserv.games.perudo.table import Cups, Revealed, Table, after, new_table

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


@lru_cache(maxsize=4)  # one mail may ask for a hundred moves of the same board
def replayed(text: str) -> tuple[Record, tuple[Table, ...]]:
    """A record as it is read, and the table after each of its events."""
    found = read_record(text)
    return found, tuple(refolded(found))


class Stood(NamedTuple):
    """A board as it stood before a move; `cups` are those of its round, once they are open."""

    board: Board
    cups: Cups | None


def as_it_stood(connection: Connection, board: Board, move: int) -> Stood:
    """The board as it stood before a move (from 1); raises Refused `no_such_move`.

    It knows no secrets, and no rounds before; its digest is that of the lines up to then.
    """
    public, tables = replayed(record(connection, board.id))
    places = [place for place, table in enumerate(tables) if table.round and table.move == move]
    if not places:
        raise Refused("no_such_move", board=board.id, given=move, last=board.table.move)
    place = places[-1]
    reveals = (event.cups for event in public.events[place:] if isinstance(event, Revealed))
    digest = chain_of(public.lines[: len(public.header) + place])
    then = replace(board, table=tables[place], chain=digest, recent=(), seed=None, next_seed=None)
    return Stood(then, next(reveals, None))
