"""Statements that every email needs: SQLAlchemy makes their SQL once, and SQLite's driver runs it.

At each call SQLAlchemy makes parameters, a context and a result.  That takes ten times as long as
SQLite needs for the statement.  That was a tenth of a move, and a fifth of an answer to a stranger.
"""

from __future__ import annotations

import sqlite3
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from operator import itemgetter
from typing import Any, TypeAlias

from sqlalchemy import Boolean, Connection, CursorResult
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.dml import UpdateBase
from sqlalchemy.sql.selectable import SelectBase

from pbmserv.fast_dataclasses import dataclass

Values: TypeAlias = Mapping[str, object]
"""The values of a statement's parameters, or of the columns that it writes, by their names."""


@dataclass(frozen=True, slots=True)
class _OnSqlite:
    """A statement for SQLite's driver: its SQL, and what puts values in the order of its marks."""

    sql: str
    fixed: Values  # of parameters that no caller gives
    in_order: Callable[[Values], tuple[object, ...]]

    def values(self, given: Values) -> tuple[object, ...]:
        """The values as the driver takes them."""
        return self.in_order({**self.fixed, **given})


class Prepared:
    """A statement that is often executed, within a transaction.

    It may not have a parameter for a list.  On PostgreSQL SQLAlchemy itself executes it.  On
    SQLite a listener to SQLAlchemy's statements does not get it: `tests/sql.py` does.
    """

    def __init__(self, statement: SelectBase | UpdateBase) -> None:
        self._statement = statement
        self._for: dict[tuple[str, ...], _OnSqlite] = {}  # by the names of the given values

    def rows(self, connection: Connection, *given: Values) -> list[Any]:
        """Execute it with each of these values; returns all rows as named tuples."""
        if not _is_for_driver(connection):
            return list(map(self._row, self._by_sqlalchemy(connection, given)))
        made = self._made(connection, given[0])
        # The rows of one are fetched before the next: SQLite's driver has the statement once, and
        # would prepare it anew beside unread rows.
        return [
            self._row(row)
            for values in given
            for row in _fetched(execute(connection, made.sql, made.values(values)), made.sql)
        ]

    def run(self, connection: Connection, *given: Values) -> None:
        """Execute it with each of these values, which have the same names."""
        if not _is_for_driver(connection):
            self._by_sqlalchemy(connection, given)
            return
        made = self._made(connection, given[0])
        execute(connection, made.sql, *map(made.values, given))

    def _by_sqlalchemy(self, connection: Connection, given: Sequence[Values]) -> CursorResult[Any]:
        values: Any = list(given) if len(given) > 1 else given[0]
        statement: Any = self._statement
        return connection.execute(statement, values)

    @cached_property
    def _row(self) -> Callable[[Sequence[Any]], Any]:
        return _row_of(self._statement)

    def _made(self, connection: Connection, given: Values) -> _OnSqlite:
        names = tuple(given)
        if names not in self._for:
            self._for[names] = _on_sqlite(self._statement, connection, names)
        return self._for[names]


def execute(connection: Connection, sql: str, *values: Sequence[object]) -> sqlite3.Cursor:
    """Have SQLite's driver execute a statement, which takes a tenth of SQLAlchemy's time.

    It executes it with each of these values; several sets of them return no rows.  Raises
    SQLAlchemy's errors, as its own methods do.
    """
    driver: sqlite3.Connection = connection.connection.driver_connection  # type: ignore[assignment] # SQLite's
    try:
        return driver.executemany(sql, values) if len(values) > 1 else driver.execute(sql, *values)
    except sqlite3.Error as error:
        raise _as_sqlalchemys(error, sql) from error


def _fetched(rows: sqlite3.Cursor, sql: str) -> list[Any]:
    """All rows; SQLite finds each when it is asked for, so any may meet a damaged page."""
    try:
        return rows.fetchall()
    except sqlite3.Error as error:
        raise _as_sqlalchemys(error, sql) from error


def _as_sqlalchemys(error: sqlite3.Error, sql: str) -> BaseException:
    return DBAPIError.instance(sql, None, error, sqlite3.Error)


def _is_for_driver(connection: Connection) -> bool:
    return connection.dialect.name == "sqlite"


def _on_sqlite(statement: Any, connection: Connection, names: Sequence[str]) -> _OnSqlite:
    made = statement.compile(dialect=connection.dialect, column_keys=list(names))
    assert not made.post_compile_params, "the SQL depends on the values"
    # The columns that the caller does not give have the defaults of their table.
    defaults = {each.key: each.default.arg for each in made.insert_prefetch}
    fixed = {name: value for name, value in made.params.items() if name not in names}
    order = made.positiontup
    in_order = itemgetter(*order) if len(order) > 1 else lambda values: (values[order[0]],)
    return _OnSqlite(str(made), fixed | defaults, in_order)


def _row_of(statement: Any) -> Callable[[Sequence[Any]], Any]:
    """Makes a row from its values.  A field of SQLAlchemy's rows takes fifteen times as long."""
    columns = list(statement.exported_columns)
    make = _named(tuple(each.name for each in columns))
    flags = [place for place, each in enumerate(columns) if isinstance(each.type, Boolean)]

    def with_flags(values: Sequence[Any]) -> Any:  # SQLite has numbers for them
        found = list(values)
        for place in flags:
            if found[place] is not None:
                found[place] = bool(found[place])
        return make(found)

    return with_flags if flags else make


@cache
def _named(names: tuple[str, ...]) -> Callable[[Sequence[Any]], Any]:
    make: Any = namedtuple  # mypy wants the names in the program
    found: Callable[[Sequence[Any]], Any] = make("Row", names)._make
    return found
