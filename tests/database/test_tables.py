"""The classes that stand for tables, and what a process imports for them."""

from __future__ import annotations

import subprocess
import sys

from sqlalchemy import select

from pbmserv.database.models import Base, Board, Seat
from pbmserv.database.models.base import complete_indexes

SLOW = ("sqlalchemy.orm", "sqlalchemy.dialects.postgresql")


def test_tables_need_neither_the_orm_nor_the_drivers_of_postgresql() -> None:
    """Either takes as long to import as all of our own modules that a command needs."""
    program = f"import sys, pbmserv.database.models; print([x for x in {SLOW} if x in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout == b"[]\n"


def test_an_annotation_says_the_type_of_a_column_and_whether_it_may_be_empty() -> None:
    columns = {name: getattr(Board, name) for name in ("due_at", "turn", "rated", "challenger_id")}
    told = {name: (str(each.type), each.nullable) for name, each in columns.items()}
    assert told == {
        "due_at": ("BIGINT", True),
        "turn": ("BIGINT", False),
        "rated": ("BOOLEAN", False),
        "challenger_id": ("BIGINT", True),
    }


def test_a_table_occurs_twice_in_a_statement() -> None:
    one, other = Seat.aliased(), Seat.aliased()
    query = select(one.seat, other.seat).join(other, other.board_id == one.board_id)
    assert str(query).splitlines() == [
        "SELECT seats_1.seat, seats_2.seat AS seat_1 ",
        "FROM seats AS seats_1 JOIN seats AS seats_2 ON seats_2.board_id = seats_1.board_id",
    ]


def test_a_new_migration_has_the_conditions_of_indexes_for_both_databases() -> None:
    """They are completed when a migration is written; the models begin with SQLite's alone."""
    complete_indexes()
    partial = [
        index
        for table in Base.metadata.tables.values()
        for index in table.indexes
        if index.dialect_kwargs.get("sqlite_where") is not None
    ]
    assert len(partial) == 6
    for index in partial:
        both = {str(index.dialect_kwargs[f"{each}_where"]) for each in ("sqlite", "postgresql")}
        assert len(both) == 1
