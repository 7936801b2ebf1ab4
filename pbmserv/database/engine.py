"""The database engine and its transactions.

Every statement of the program runs on a connection from `writing` or `reading`.  The tables are in
`database/models/`, and `database/upgrade.py` makes them.  SQLite is the home's own database.
PostgreSQL uses the same functions, but begins transactions in its own way.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from pbmserv.database.full_disk import may_be_opened, reason, room_for
from pbmserv.database.postgresql_pool import replace_closed_connections
from pbmserv.database.prepared_statements import execute
from pbmserv.errors import Misconfigured, TryLater
from pbmserv.extras import how_to_add
from pbmserv.home import DATABASE_FILE
from pbmserv.settings import Settings

BUSY_SECONDS = 10  # a writer waits so long for another one before TryLater
_PAUSE = 0.005  # seconds between tries where SQLite itself does not wait
_WRITERS = 0x5045525544  # the number of PostgreSQL's lock for writers: "PERUD"
_REPEATABLE_READ = 3  # psycopg.IsolationLevel.REPEATABLE_READ
# A commit waits for its disk, also where PostgreSQL's own configuration says that none does.
_WAITS = (
    "set_config('synchronous_commit',"
    " coalesce(nullif(current_setting('synchronous_commit'), 'off'), 'on'), true)"
)
_DURABLE = "pbmserv_durable"

_PASSING = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    # Beginning a transaction was tried for ten seconds while others began theirs: a busy machine.
    sqlite3.SQLITE_PROTOCOL,
}
_LASTING = {
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
}

_SQLITE_SETTINGS = (
    # It must be first: the next statements may have to wait for another process.
    f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}",
    # In WAL mode only FULL survives a power failure: an email answered with 250 is on the disk.
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    # A deleted password leaves no copy in the free pages.
    "PRAGMA secure_delete = ON",
    # Reads of a large database use the page cache without a copy (256 MiB of addresses).
    f"PRAGMA mmap_size = {256 * 2**20}",
    # Checkpoints inside a commit cause the slowest percent of commits.  A server calls `checkpoint`
    # between its batches; this limit (16 MiB) is for programs that do not.
    "PRAGMA wal_autocheckpoint = 4000",
)
_KEPT: dict[URL, Engine] = {}
_HELD = threading.local()  # `connection`: the one that a thread holds


def keep_engine(settings: Settings) -> Engine:
    """An engine that `engine_for` returns from now on, instead of a new one, for this database.

    This is for a process that forks for each command: statements that were compiled before need not
    be compiled again.  `disconnect_kept_engines` comes before the fork.
    """
    engine = engine_for(settings)
    _KEPT[engine.url] = engine
    return engine


def disconnect_kept_engines() -> None:
    """Close every connection of kept engines: none may be used in two processes."""
    for each in _KEPT.values():
        each.dispose()


def engine_for(settings: Settings) -> Engine:
    """An engine for the settings' database, which may not exist yet; raises Misconfigured."""
    try:
        url = make_url(settings.database or URL.create("sqlite", database=DATABASE_FILE))
        if url.get_backend_name() == "sqlite":
            if not url.database or url.database == ":memory:":
                raise Misconfigured("database: several processes share it, so it must be a file")
            url = url.set(database=str(settings.home / url.database))
        elif url.get_backend_name() != "postgresql":
            raise Misconfigured("database: must be SQLite or PostgreSQL")
        return _KEPT.get(url) or _engine_at(url)
    except ArgumentError as error:
        # The URL may contain a password, and so may SQLAlchemy's message.
        raise Misconfigured("database: not a URL that SQLAlchemy understands") from error
    except ModuleNotFoundError as error:
        how = f"write postgresql+psycopg://…, and {how_to_add('postgresql')}"
        raise Misconfigured(f"database: the driver {error.name} is missing: {how}") from error


def _engine_at(url: URL) -> Engine:
    if url.get_backend_name() == "postgresql":
        engine = create_engine(url)
        replace_closed_connections(engine)
        return engine
    engine = create_engine(url)
    event.listen(engine, "connect", _prepare)
    return engine


def _prepare(driver: sqlite3.Connection, _record: object) -> None:
    # sqlite3 must not begin transactions by itself: `_begin` chooses their kind.
    driver.isolation_level = None
    for setting in _SQLITE_SETTINGS:
        driver.execute(setting)
    _log_ahead(driver)


def _log_ahead(driver: sqlite3.Connection) -> None:
    """Switch to WAL: readers do not wait for the writer, and a commit costs one fsync, not four."""
    last = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            driver.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            # Processes that open a new database at once can block each other.  SQLite does not let
            # them wait, but refuses at once.
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > last:
                raise
        time.sleep(_PAUSE)


@contextmanager
def transaction(connection: Connection, *, writes: bool, durable: bool = True) -> Iterator[None]:
    """A transaction, committed at the end if it `writes`, and rolled back after an exception.

    One that only reads is rolled back on SQLite, and raises RuntimeError if it has written.
    `PRAGMA query_only` would refuse the statement itself, but SQLite then prepares every statement
    again.  PostgreSQL refuses it, so the transaction is committed: after a rollback, psycopg
    prepares all statements of the connection again.

    A listener to the event `begin` would do the same.  But if an engine has listeners, SQLAlchemy
    takes a fifth longer for each statement.
    """
    with connection.begin() as begun:
        if connection.dialect.name != "sqlite":
            _begin_on_postgresql(connection, writes=writes, durable=durable)
            yield
            return
        _begin(connection, writes=writes, durable=durable)
        if writes:
            yield
            return
        driver: Any = connection.connection.driver_connection
        before = driver.total_changes
        yield
        begun.rollback()
        if driver.total_changes != before:
            raise RuntimeError("a transaction that only reads has written")


def _begin(connection: Connection, *, writes: bool, durable: bool) -> None:
    if not writes:
        execute(connection, "BEGIN")
        return
    if connection.info.get(_DURABLE, True) != durable:
        execute(connection, f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        connection.info[_DURABLE] = durable
    # A writer takes the lock at once.  A transaction that reads first and then writes fails without
    # waiting if another one has written in between.
    execute(connection, "BEGIN IMMEDIATE")


def _begin_on_postgresql(connection: Connection, *, writes: bool, durable: bool) -> None:
    # One writer at a time, as on SQLite.  So the data that a command has read is still true when it
    # writes.  The library psycopg sends the isolation level with its BEGIN, which saves a round
    # trip.
    driver: Any = connection.connection.driver_connection
    driver.read_only = None if writes else True
    driver.isolation_level = None if writes else _REPEATABLE_READ
    if writes:
        # In one statement, for each is a round trip; the timeout comes first.
        limited = f"set_config('lock_timeout', '{BUSY_SECONDS}s', true)"
        waits = f"{_WAITS}, " if durable else ""
        connection.exec_driver_sql(f"SELECT {limited}, {waits}pg_advisory_xact_lock({_WRITERS})")


@contextmanager
def held(engine: Engine) -> Iterator[None]:
    """Use one connection for all transactions of this thread while the block runs.

    Checking a connection out of the pool and back in costs as much as two statements.  A
    transaction within another one has a connection of its own.  Raises TryLater if there is none.
    """
    with translated(engine):
        connection = engine.connect()
    with connection:
        _HELD.connection = connection
        try:
            yield
        finally:
            _HELD.connection = None


def _connected(engine: Engine) -> AbstractContextManager[Connection]:
    """The connection that this thread holds, if it has no transaction; otherwise another one."""
    mine: Connection | None = getattr(_HELD, "connection", None)
    if mine is not None and mine.engine is engine and not mine.in_transaction():
        return nullcontext(mine)
    return engine.connect()


@contextmanager
def writing(engine: Engine, *, durable: bool = True) -> Iterator[Connection]:
    """One transaction that may write: committed at the end, rolled back after an exception.

    With `durable` the commit is on the disk when this returns.  Without it, a power failure (not a
    crash of the program) may undo the whole transaction.  Use this for repeatable marks.  Raises
    TryLater when the database is full or locked for longer than BUSY_SECONDS.
    """
    with (
        translated(engine),
        _connected(engine) as connection,
        transaction(connection, writes=True, durable=durable),
    ):
        yield connection


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """One consistent snapshot of the database."""
    with (
        translated(engine),
        _connected(engine) as connection,
        transaction(connection, writes=False),
    ):
        yield connection


@contextmanager
def translated(engine: Engine) -> Iterator[None]:
    """Turn failures of the database into TryLater, or Misconfigured if they last; bugs stay."""
    try:
        yield
    except PoolTimeoutError as error:
        raise TryLater("all connections to the database are in use") from error
    except DatabaseError as error:
        code = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF  # without the extension
        if code in _PASSING or (not code and isinstance(error, OperationalError)):
            why = reason(str(error.orig), code, room_for(engine.url.database))
            raise TryLater(f"the database is not available: {why}") from error
        if code == sqlite3.SQLITE_CANTOPEN and may_be_opened(engine.url.database):
            raise TryLater(f"too many open files: {error.orig}") from error
        if code in _LASTING:
            raise Misconfigured(f"{engine.url.database}: {error.orig}") from error
        raise


def checkpoint(engine: Engine) -> None:
    """Copy committed data from the write-ahead log into the database; does not wait."""
    _checkpoint(engine, "PASSIVE")


def close(engine: Engine) -> None:
    """Empty the write-ahead log, unless others use it, and close the database."""
    try:
        _checkpoint(engine, "TRUNCATE")
    finally:
        engine.dispose()


def _checkpoint(engine: Engine, how: str) -> None:
    if engine.dialect.name != "sqlite" or not Path(engine.url.database or "").exists():
        return
    with translated(engine), engine.connect() as connection:
        driver: Any = connection.connection.driver_connection
        driver.execute("PRAGMA busy_timeout = 0")
        try:
            driver.execute(f"PRAGMA wal_checkpoint({how})")
        except sqlite3.OperationalError:
            return  # no data is lost: the log keeps it for the next checkpoint
        finally:
            driver.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
