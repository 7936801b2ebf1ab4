"""Prepared statements: SQLite's driver does with them what SQLAlchemy does."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import (
    Connection,
    Engine,
    bindparam,
    event,
    exists,
    func,
    insert,
    null,
    select,
    update,
)
from sqlalchemy.exc import DatabaseError, IntegrityError

from pbmserv.database import models
from pbmserv.database.engine import close, reading, writing
from pbmserv.database.prepared_statements import Prepared
from pbmserv.database.upgrade import open_database
from pbmserv.home import open_home
from tests.database.board_row import BOARD
from tests.sql import heard

ADD = Prepared(insert(models.Board).returning(models.Board.id))
CHANGE = Prepared(update(models.Board).where(models.Board.id == bindparam("board")))
FIND = Prepared(
    select(
        models.Board.id,
        models.Board.rated,
        models.Board.seed,
        null().label("none"),
        exists().where(models.Seat.board_id == models.Board.id).label("taken"),
    )
    .where(models.Board.id >= bindparam("first"), models.Board.move == 1)
    .order_by(models.Board.id)
)


@pytest.fixture
def connection(any_home: Path) -> Iterator[Connection]:
    """A transaction in an empty database; PostgreSQL's statements are SQLAlchemy's."""
    engine = open_database(open_home(any_home))
    with writing(engine) as connection:
        yield connection
    close(engine)


def test_rows_have_the_names_and_types_of_their_columns(connection: Connection) -> None:
    ADD.rows(connection, {**BOARD, "rated": False})
    ADD.rows(connection, {**BOARD, "seed": b"\0\xff"})
    rows = FIND.rows(connection, {"first": 1})
    assert [row._asdict() for row in rows] == [
        {"id": 1, "rated": False, "seed": None, "none": None, "taken": False},
        {"id": 2, "rated": True, "seed": b"\0\xff", "none": None, "taken": False},
    ]
    assert all(type(row.rated) is bool and type(row.taken) is bool for row in rows)


def test_sqlite_prepares_a_statement_once_for_several_values(home: Path) -> None:
    prepared: list[tuple[int, str | None]] = []

    def note(action: int, table: str | None, *_: object) -> int:
        prepared.append((action, table))
        return sqlite3.SQLITE_OK

    engine = open_database(open_home(home))
    with writing(engine) as connection:
        driver: Any = connection.connection.driver_connection
        driver.set_authorizer(note)  # SQLite asks it while it prepares a statement
        assert len(ADD.rows(connection, BOARD, BOARD, BOARD)) == 3
        driver.set_authorizer(None)
    close(engine)
    assert prepared.count((sqlite3.SQLITE_INSERT, models.Board.__tablename__)) == 1


def test_columns_that_are_not_given_have_the_defaults_of_their_table(
    connection: Connection,
) -> None:
    Prepared(insert(models.Board)).run(connection, BOARD)
    found = connection.execute(select(models.Board.rated, models.Board.opening)).one()
    assert tuple(found) == (True, "")


def test_a_statement_is_executed_with_different_columns(connection: Connection) -> None:
    ADD.rows(connection, BOARD)
    CHANGE.run(connection, {"board": 1, "seed": b"seed"})
    CHANGE.run(connection, {"board": 1, "rated": False, "lines": 7})
    CHANGE.run(connection, {"board": 2, "seed": b"of another board"})
    columns = select(models.Board.seed, models.Board.rated, models.Board.lines)
    assert tuple(connection.execute(columns).one()) == (b"seed", False, 7)


def test_several_rows_are_written_by_one_call(connection: Connection) -> None:
    assert len(ADD.rows(connection, BOARD, BOARD)) == 2
    Prepared(insert(models.BoardEvent)).run(
        connection,
        *({"board_id": board, "number": 1, "line": "A", "digits": None} for board in (1, 2)),
    )
    lines = select(models.BoardEvent.board_id).order_by(models.BoardEvent.board_id)
    assert list(connection.execute(lines).scalars()) == [1, 2]


def test_the_errors_are_those_of_sqlalchemy(connection: Connection) -> None:
    with pytest.raises(IntegrityError):
        ADD.rows(connection, {**BOARD, "game": None})


def test_an_error_at_a_later_row_is_one_of_sqlalchemys_too(connection: Connection) -> None:
    """SQLite reads row by row: it finds a damaged page after it has answered."""
    ADD.rows(connection, BOARD, {**BOARD, "moved_at": -(2**63)})
    sizes = select(func.abs(models.Board.moved_at)).where(models.Board.id >= bindparam("first"))
    with pytest.raises(DatabaseError, match=r"integer overflow|out of range"):
        Prepared(sizes).rows(connection, {"first": 1})


def test_a_listener_changes_nothing_of_how_it_is_executed(engine: Engine) -> None:
    """SQLAlchemy does not hear of it, and `heard` does."""
    by_sqlalchemy: list[str] = []
    event.listen(engine, "before_cursor_execute", lambda *told: by_sqlalchemy.append(told[2]))
    ours: list[str] = []
    with heard(engine, lambda sql, _: ours.append(sql)), reading(engine) as connection:
        assert FIND.rows(connection, {"first": 1}) == []
    assert (len(by_sqlalchemy), len(ours)) == (0, 1)
