"""Hear the statements of a database, whether SQLAlchemy or SQLite's driver executes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event

from pbmserv.database.prepared_statements import Prepared, Values


@contextmanager
def heard(where: Engine | Connection, note: Callable[[str, Any], object]) -> Iterator[None]:
    """Call `note` with the SQL and the values of each statement, before it is executed.

    A statement with several rows of values is one.  What it raises keeps it from being executed.
    """

    def by_sqlalchemy(_: Any, __: Any, sql: str, values: Any, *___: Any) -> None:
        note(sql, values)

    def before(method: Callable[..., Any]) -> Callable[..., Any]:
        def noted(self: Prepared, connection: Connection, *given: Values) -> Any:
            if connection.dialect.name == "sqlite" and where in {connection, connection.engine}:
                made = self._made(connection, given[0])
                note(made.sql, made.values(given[0]))
            return method(self, connection, *given)

        return noted

    event.listen(where, "before_cursor_execute", by_sqlalchemy)
    try:
        with pytest.MonkeyPatch.context() as patch:
            for each in (Prepared.rows, Prepared.run):
                patch.setattr(Prepared, each.__name__, before(each))
            yield
    finally:
        event.remove(where, "before_cursor_execute", by_sqlalchemy)
