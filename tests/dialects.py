"""A statement is compiled once for all databases of a test run, and not once for each.

SQLAlchemy keeps compiled statements for each engine, and nearly every test has an engine of its
own.  Compiling took a third of the time.  Here all engines of one kind of database share them.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Engine
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

_COMPILED: dict[Any, Any] = {}


class _Shared:
    """A dialect that is the same as any other one of its class: it finds what those compiled."""

    supports_statement_cache = True

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))

    @classmethod
    def engine_created(cls, engine: Engine) -> None:
        """Called by SQLAlchemy for each engine."""
        engine.update_execution_options(compiled_cache=_COMPILED)


class Sqlite(_Shared, SQLiteDialect_pysqlite):
    """The dialect of SQLite's own driver."""

    supports_statement_cache = True


class Postgresql(_Shared, PGDialect_psycopg):
    """The dialect of psycopg."""

    supports_statement_cache = True


def share() -> None:
    """Have all engines that are made from now on share compiled statements."""
    registry.register("sqlite", __name__, Sqlite.__name__)
    registry.register("postgresql.psycopg", __name__, Postgresql.__name__)
