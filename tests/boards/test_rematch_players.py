"""Who left a board early is read from the few rows of its record that say so."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from sqlalchemy import Connection, Engine, delete, insert, select

from pbmserv.boards import play
from pbmserv.boards.record import record_text
from pbmserv.boards.record_compression import restored
from pbmserv.boards.rematch_players import early_seats
from pbmserv.context import Context
from pbmserv.database import models
from pbmserv.database.engine import writing
from pbmserv.games.perudo.final_places import left_early
from pbmserv.games.perudo.notation import read_action
from pbmserv.games.perudo.record import read_record
from tests.boards.contexts import context_on, opened


def played(context: Context, moves: Sequence[str]) -> int:
    """The number of a board of three, after these moves, each of the player on turn."""
    board = opened(context, ("ann", "bob", "cleo"))
    for word in moves:
        board = play.move(context, board, board.table.turn, read_action(word)).board
    return board.id


def in_a_row_each(connection: Connection) -> None:
    """Store each line of the records in its own row, as older versions did."""
    row = models.BoardEvent
    for each in connection.execute(select(row).where(row.number > 0)).all():
        connection.execute(
            delete(row).where(row.board_id == each.board_id, row.number == each.number)
        )
        for place, line in enumerate(restored(each.line, each.digits).split("\n"), each.number):
            values = {"board_id": each.board_id, "number": place, "line": line}
            connection.execute(insert(row).values(values))


@pytest.mark.parametrize(
    ("moves", "count"),
    [
        (("1-2s",), 0),
        (("1-2s", "resign"), 1),
        (("1-2s", "dudo", "resign"), 1),
        (("resign", "1-2s", "dudo", "1-2s"), 1),
        (("resign", "resign"), 1),
        (("1-2s", "resign", "1-2s", "resign"), 1),
    ],
)
def test_who_left_before_the_last_deal_left_early(
    engine: Engine, moves: Sequence[str], count: int
) -> None:
    """As the whole record says, also with a row for each of its lines."""
    with writing(engine) as connection:
        number = played(context_on(connection), moves)
        wanted = left_early(read_record(record_text(connection, number)).events)
        assert len(wanted) == count
        assert early_seats(connection, number) == wanted
        in_a_row_each(connection)
        assert left_early(read_record(record_text(connection, number)).events) == wanted
        assert early_seats(connection, number) == wanted
