"""Leases: locks in the database for work that only one process may do at a time.

Several machines can use one PostgreSQL, and several homes one SQLite file.  A lock file in a home
cannot cover these.  A lease is a lock of the database itself.  It always ends with the connection
or the process that holds it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection, Engine, select, update
from sqlalchemy.exc import SQLAlchemyError

from pbmserv.database.engine import reading, translated, writing
from pbmserv.database.models import Installation
from pbmserv.errors import Misconfigured, TryLater
from pbmserv.file_locks import PAUSE, identity, locked

SERVING, DELIVERING, SENDING = "serving", "delivering", "sending"
"""A server takes email; any process sends a batch of letters; a server sends letters."""
_SPACE = 0x50425356  # the first half of our locks' numbers in PostgreSQL: "PBSV"
_NUMBERS = {SERVING: 1, DELIVERING: 2, SENDING: 3}  # the second half
# PostgreSQL gives up a server whose machine is lost after 30 + 3 * 10 seconds.  This includes a
# machine that is lost while an answer is sent (TCP would repeat it for fifteen minutes).
_KEEPALIVE = {
    "tcp_keepalives_idle": 30,
    "tcp_keepalives_interval": 10,
    "tcp_keepalives_count": 3,
    "tcp_user_timeout": 60000,  # milliseconds
}
_IS_HELD = (
    "SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database"
    " WHERE locktype = 'advisory' AND classid::bigint = %s AND objid::bigint = %s"
    " AND datname = current_database() AND granted"
)


class Lease:
    """A lease that is held; it can be lost, for example when PostgreSQL restarts.

    That of an SQLite database is a lock `file` beside it.
    """

    def __init__(self, connection: Connection | None, file: Path | None = None) -> None:
        self._connection = connection
        self._file, self._locked = file, file and identity(file)

    def check_place(self) -> None:
        """Raise Misconfigured if the home was moved, or a backup was put into its place.

        A server would go on with the database that it has opened, which is elsewhere now.  This
        takes some microseconds, and asks no database.
        """
        if self._file and identity(self._file) != self._locked:
            what = "the home was moved, or another one put into its place, while a server ran"
            raise Misconfigured(f"{self._file.parent}: {what}; start the server again")

    def check(self) -> None:
        """Raise TryLater if the lease is no longer held, or as `check_place`."""
        self.check_place()
        if self._connection is not None:
            try:
                self._connection.exec_driver_sql("SELECT 1")
                self._connection.rollback()
            except SQLAlchemyError as error:
                raise TryLater(
                    "the connection that reserves the database for this server was lost"
                ) from error

    def is_kept(self) -> bool:
        """Whether the lease is still held."""
        try:
            self.check()
        except (TryLater, Misconfigured):
            return False
        return True


@contextmanager
def held(engine: Engine, what: str, patience: float = 0.0) -> Iterator[Lease | None]:
    """Hold a lease of the database while the block runs; None if another process holds it.

    The holder has `patience` seconds to end.  Raises TryLater if the database does not answer.
    """
    if engine.dialect.name == "sqlite":
        file = Path(f"{engine.url.database}.{what}")
        with locked(file, patience=patience) as mine:
            yield Lease(None, file) if mine else None
        return
    with translated(engine), engine.connect() as connection:
        until = time.monotonic() + patience
        while not (mine := _taken(connection, what)) and time.monotonic() < until:
            time.sleep(PAUSE)
        if not mine:
            yield None
            return
        try:
            yield Lease(connection)
        finally:
            _let_go(connection, what)


@contextmanager
def sending(engine: Engine, patience: float) -> Iterator[Lease]:
    """Hold the lease of the process that sends a server's letters; raises as `alone` does."""
    with _role(engine, SENDING, patience) as lease:
        yield lease


@contextmanager
def alone(engine: Engine, patience: float = 0.0) -> Iterator[Lease]:
    """Hold a database that no part of a server uses; raises TryLater with the holder's name.

    The holder has `patience` seconds to end.
    """
    with _role(engine, SENDING, patience), _role(engine, SERVING, patience) as lease:
        yield lease


@contextmanager
def serving(engine: Engine, holder: str, now: int, patience: float) -> Iterator[Lease]:
    """Hold the lease of the server that takes email; raises as `alone` does."""
    with _role(engine, SERVING, patience) as lease:
        with writing(engine) as connection:
            connection.execute(update(Installation).values(holder=holder, held_since=now))
        yield lease


@contextmanager
def _role(engine: Engine, what: str, patience: float) -> Iterator[Lease]:
    with held(engine, what, patience) as lease:
        if lease is None:
            raise TryLater(f"another server uses this database: {holder_of(engine)}")
        yield lease


def is_held(engine: Engine, what: str) -> bool:
    """Whether a process holds a lease of the database; changes nothing."""
    if engine.dialect.name == "sqlite":
        with locked(Path(f"{engine.url.database}.{what}"), shared=True) as free:
            return not free
    with reading(engine) as connection:
        return connection.exec_driver_sql(_IS_HELD, (_SPACE, _NUMBERS[what])).first() is not None


def holder_of(engine: Engine) -> str:
    """The server that works on a database, or the last one, and since when; "" if none did."""
    with reading(engine) as connection:
        row = connection.execute(select(Installation.holder, Installation.held_since)).first()
    if row is None or not row.holder:
        return ""
    return f"{row.holder}, since {datetime.fromtimestamp(row.held_since, UTC):%Y-%m-%d %H:%M} UTC"


def _taken(connection: Connection, what: str) -> bool:
    # One statement, because each is a round trip.
    kept = ", ".join(f"set_config('{name}', '{each}', false)" for name, each in _KEEPALIVE.items())
    taken = f"SELECT {kept}, pg_try_advisory_lock({_lock(what)})"
    *_, is_taken = connection.exec_driver_sql(taken).one()
    connection.commit()
    return bool(is_taken)


def _let_go(connection: Connection, what: str) -> None:
    try:
        connection.exec_driver_sql(f"SELECT pg_advisory_unlock({_lock(what)})")
        connection.commit()
    except SQLAlchemyError:  # the lease ends with its connection
        connection.invalidate()


def _lock(what: str) -> str:
    return f"{_SPACE}, {_NUMBERS[what]}"
