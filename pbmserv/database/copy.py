"""Copy all data from one database into another one, SQLite or PostgreSQL."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Engine, Table, func, insert, select, text

from pbmserv.database.engine import writing
from pbmserv.database.models import Base
from pbmserv.database.upgrade import upgrade
from pbmserv.errors import Misconfigured

_BATCH = 1000  # rows


def move(source: Engine, target: Engine) -> int:
    """Copy all rows, in one transaction; returns how many.

    `target` gets its tables first, and must be empty: raises Misconfigured.  `source` is not
    changed, and nobody else can change it meanwhile: what a pipe or a shell wrote would be lost.
    """
    upgrade(target)
    moved = 0
    with writing(source) as old, writing(target) as new:
        for table in Base.metadata.sorted_tables:
            if new.execute(select(func.count()).select_from(table)).scalar_one():
                raise Misconfigured(f"the new database is not empty: {table.name} has rows")
        for table in Base.metadata.sorted_tables:
            moved += _copy(old, new, table)
    return moved


def _copy(old: Connection, new: Connection, table: Table) -> int:
    count = 0
    rows = old.execution_options(yield_per=_BATCH).execute(select(table))
    for batch in rows.mappings().partitions(_BATCH):
        new.execute(insert(table), [dict(row) for row in batch])
        count += len(batch)
    _go_on_numbering(new, table)
    return count


def _go_on_numbering(new: Connection, table: Table) -> None:
    """Set PostgreSQL's own counter of row numbers, which does not know the copied rows."""
    number: Any = table.autoincrement_column
    if new.dialect.name != "postgresql" or number is None:
        return
    highest = select(func.coalesce(func.max(number), 0)).scalar_subquery()
    sequence = new.execute(
        text("select pg_get_serial_sequence(:table, :column)"),
        {"table": table.name, "column": number.name},
    ).scalar()
    if sequence:
        new.execute(select(func.setval(sequence, highest + 1, False)))
