"""Homes whose players have signed up by email: it is done once in a process, and then copied.

Most tests begin with the same players.  The copy has the home as the emails left it, and the state
of the town.  Only the memory of the process is missing.  A database in PostgreSQL gets the rows.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, delete, func, insert, select

from pbmserv.database.engine import writing
from pbmserv.database.models import Base
from pbmserv.home import DATABASE_FILE, SENT_JOURNAL_FILE

MAIL = "mail"


@dataclass(frozen=True)
class Snapshot:
    """What sign-ups leave: the database, the mailboxes, and the state of the town's chance."""

    database: bytes
    files: Mapping[str, bytes]
    folders: tuple[str, ...]
    drawn: tuple[int, int]
    chance: tuple[Any, ...]


def database_of(engine: Engine) -> bytes:
    """The bytes of an SQLite database, what is only in its log included."""
    with engine.connect() as connection:
        driver: Any = connection.connection.driver_connection
        found: bytes = driver.serialize()
        return found


def taken(home: Path, engine: Engine, drawn: tuple[int, int], chance: tuple[Any, ...]) -> Snapshot:
    """A snapshot of a home."""
    inside = sorted((home / MAIL).rglob("*"))
    files = [each for each in (*inside, home / SENT_JOURNAL_FILE) if each.is_file()]
    return Snapshot(
        database_of(engine),
        {str(each.relative_to(home)): each.read_bytes() for each in files},
        (MAIL, *(str(each.relative_to(home)) for each in inside if each.is_dir())),
        drawn,
        chance,
    )


def restored(home: Path, engine: Engine, snapshot: Snapshot) -> None:
    """Put a snapshot into a home; its database must not be in use."""
    engine.dispose()
    for ending in ("-wal", "-shm"):
        (home / f"{DATABASE_FILE}{ending}").unlink(missing_ok=True)
    (home / DATABASE_FILE).write_bytes(snapshot.database)
    if engine.dialect.name != "sqlite":
        _copy_rows(home / DATABASE_FILE, engine)
        (home / DATABASE_FILE).unlink()
    for folder in snapshot.folders:
        (home / folder).mkdir(mode=0o700)
    for name, data in snapshot.files.items():
        with open(home / name, "wb", opener=_private) as file:
            file.write(data)


def _private(name: str, flags: int) -> int:
    """Open a file that only its owner may read."""
    return os.open(name, flags, 0o600)


def _copy_rows(file: Path, engine: Engine) -> None:
    """Give a database in PostgreSQL the rows of an SQLite file; its next numbers follow theirs."""
    source = create_engine(f"sqlite:///{file}")
    tables = Base.metadata.sorted_tables
    with source.connect() as old, writing(engine) as new:
        for table in reversed(tables):
            new.execute(delete(table))
        for table in tables:
            if rows := [dict(row) for row in old.execute(select(table)).mappings()]:
                new.execute(insert(table), rows)
                if (column := table.autoincrement_column) is not None:
                    sequence = func.pg_get_serial_sequence(table.name, column.name)
                    new.execute(select(func.setval(sequence, func.max(column))))
    source.dispose()
    for ending in ("-wal", "-shm"):
        file.with_name(f"{file.name}{ending}").unlink(missing_ok=True)
