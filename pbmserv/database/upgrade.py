"""Bring a database to the newest schema, at the first use of a home and after an upgrade.

The tables are in `database/models/`.  A step in `migrations/versions/` changes them from each
version of the schema to the next; alembic runs the steps, in one transaction.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.resources import files
from typing import Any

from sqlalchemy import Connection, Engine, inspect, text

from pbmserv.database.engine import engine_for, reading, transaction, translated
from pbmserv.errors import Misconfigured
from pbmserv.settings import Settings


def open_database(settings: Settings) -> Engine:
    """The engine of a database with the newest schema; creates both on first use."""
    engine = engine_for(settings)
    try:
        upgrade(engine)
    except BaseException:
        engine.dispose()
        raise
    return engine


def _make_private(engine: Engine) -> None:
    """Make a new SQLite file readable by its owner only; its log and index get the same mode.

    Other users of the host play, too, and the file contains dice and tokens.
    """
    file = engine.url.database
    if engine.dialect.name == "sqlite" and file:
        with suppress(OSError):  # it exists already, or cannot be made: SQLite reports why
            os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


@cache
def newest_revision() -> str:
    """The revision of the newest migration, by its file's name."""
    steps = files("pbmserv.migrations").joinpath("versions").iterdir()
    return max(step.name for step in steps if step.name[:4].isdigit())[:4]


def upgrade(engine: Engine) -> None:
    """Upgrade the database to the newest schema, in one transaction.

    If two processes do this at once, the second waits and finds the work done.  Raises
    Misconfigured when a newer program than this made the database.
    """
    _make_private(engine)
    with reading(engine) as connection:
        if revision_of(connection) == newest_revision():
            return
    with restructuring(engine) as connection:
        _run_steps(connection)


@contextmanager
def restructuring(engine: Engine) -> Iterator[Connection]:
    """One transaction that may drop and copy tables: SQLite checks foreign keys only at its end.

    Raises Misconfigured, and undoes all, if a row then refers to one that is not there.
    """
    with translated(engine), engine.connect() as connection:
        is_sqlite = engine.dialect.name == "sqlite"
        if is_sqlite:
            # A batch migration drops the table it has copied; rows that refer to it must not be
            # affected.  SQLite accepts this setting only outside of a transaction.
            driver: Any = connection.connection.driver_connection
            driver.execute("PRAGMA foreign_keys = OFF")
        try:
            with transaction(connection, writes=True):
                yield connection
                if is_sqlite:
                    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
                    if broken:
                        raise Misconfigured(f"{engine.url.database}: broken rows: {broken[:3]}")
        finally:
            connection.invalidate()  # the next user gets a connection that checks foreign keys


def revision_of(connection: Connection) -> str | None:
    """The revision of the database; None if it is empty."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.execute(
        text("select version_num from alembic_version")
    ).scalar()
    return revision


def _run_steps(connection: Connection) -> None:
    from alembic import command  # noqa: PLC0415 - alembic takes 0.3 s; only an upgrade needs it
    from alembic.config import Config  # noqa: PLC0415 - alembic takes 0.3 s; only an upgrade needs it

    if (revision_of(connection) or "") > newest_revision():
        raise Misconfigured(
            f"{connection.engine.url.database}: made by a newer pbmserv than this;"
            " install that one or a later one"
        )
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(files("pbmserv.migrations")).replace("%", "%%"))
    command.upgrade(config, "head")
