"""The processor time of the database's part of some work: SQLAlchemy, and SQLite below it.

The program's own calls are measured while it works: those that begin a transaction, build, bind and
execute a statement, read its rows, and commit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from time import thread_time
from typing import Any
from unittest.mock import patch

from sqlalchemy import Connection, Engine, Result, ScalarResult, Transaction

from pbmserv.database import engine
from pbmserv.database.prepared_statements import Prepared

_CALLS: tuple[tuple[object, tuple[str, ...]], ...] = (
    (engine, ("_begin",)),  # the driver's statement, without SQLAlchemy
    (Prepared, ("rows", "run")),
    (Engine, ("connect",)),
    (Connection, ("begin", "execute", "execution_options", "__exit__")),
    (Transaction, ("__exit__", "rollback")),
    (Result, ("__iter__", "all", "first", "one", "scalar", "scalar_one", "scalars")),
    (ScalarResult, ("__iter__", "all", "first")),
)


class DatabaseTime:
    """The processor time in these calls so far, in seconds; a call within a call counts once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._depth = 0

    def measured(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """The call, measured; rows are read at once where they would be read one by one."""

        @wraps(call)
        def measured(*arguments: Any, **options: Any) -> Any:
            self._depth += 1
            begun = thread_time()
            try:
                found = call(*arguments, **options)
                return iter(list(found)) if name == "__iter__" else found
            finally:
                self._depth -= 1
                if not self._depth:
                    self.seconds += thread_time() - begun

        return measured


@contextmanager
def database_time() -> Iterator[DatabaseTime]:
    """Measure the calls of this process, which should have one thread, during the block."""
    spent = DatabaseTime()
    with ExitStack() as changed:
        for owner, names in _CALLS:
            for name in names:
                call = getattr(owner, name)
                changed.enter_context(patch.object(owner, name, spent.measured(name, call)))
        yield spent
