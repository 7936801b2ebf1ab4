"""Detect a restored backup by a counter, the generation.

The database counts while it is in use.  A file beside it, which no backup contains, stores how far
the counter has come.  A database that is behind its file, or that has lost it, was restored from a
backup.  Players have seen dice that are still to come.

The file never gets ahead of the data on the disk.  So a power failure does not count as a restore.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable
from pathlib import Path

from sqlalchemy import Engine, select, update

from pbmserv.database.engine import reading, writing
from pbmserv.database.models import Installation
from pbmserv.errors import Misconfigured
from pbmserv.home import GENERATION_FILE

_DIGITS = 20  # they overwrite the old ones, so no new space is needed


def is_put_back(engine: Engine, home: Path) -> bool:
    """Whether the database was restored from a backup since it was last used in this home."""
    return all(_is_behind_now(engine, home) for _ in range(2))


def _is_behind(count: int, written: int | None) -> bool:
    """Whether a database with the counter `count` is not the one that the file was written for.

    `written` is None if the file is missing: in a new home, or in a restored one.
    """
    return count > 0 if written is None else written > count


def _is_behind_now(engine: Engine, home: Path) -> bool:
    # The file is read first, because others may count meanwhile: its value then never exceeds the
    # counter.  A home's first process may create the file meanwhile: hence the second read.
    written = _written(home)
    return _is_behind(_count(engine), written)


def begin(engine: Engine, home: Path) -> None:
    """Start to count in a new home, or in one that never did."""
    if _written(home) is None and _count(engine) == 0:
        _write(home, 0, synced=True)
        advance(engine, home, durable=True)


def advance(engine: Engine, home: Path, *, durable: bool) -> None:
    """Increase the counter and write it to the file; raises TryLater.

    If the counter need not be `durable`, the file gets the previous value.  A server counts
    repeatedly, and that value is on the disk by then.
    """
    with writing(engine, durable=durable) as connection:
        counted = update(Installation).values(generation=Installation.generation + 1)
        count = connection.execute(counted.returning(Installation.generation)).scalar_one()
    _write(home, count if durable else count - 1, synced=durable)


def note_restore(engine: Engine, now: int) -> None:
    """Record that a backup was restored: letters from before can no longer be answered."""
    with writing(engine) as connection:
        before = connection.execute(select(Installation.restores)).scalar_one()
        restores = ",".join(filter(None, (before, str(now))))
        connection.execute(update(Installation).values(restores=restores))


def go_on(engine: Engine, home: Path) -> None:
    """End the work after a restored backup: the file belongs to this database again."""
    _write(home, 0, synced=True, lower=True)
    advance(engine, home, durable=True)


def restores(engine: Engine) -> tuple[int, ...]:
    """The moments at which backups were restored, oldest first."""
    with reading(engine) as connection:
        found: Iterable[str] = connection.execute(select(Installation.restores)).scalars()
        return tuple(int(each) for each in ",".join(found).split(",") if each)


def _count(engine: Engine) -> int:
    with reading(engine) as connection:
        return connection.execute(select(Installation.generation)).scalar() or 0


def _written(home: Path) -> int | None:
    """The value in the file; None if it is missing or unreadable."""
    try:
        return int((home / GENERATION_FILE).read_text("ascii"))
    except (OSError, ValueError):
        return None


def _write(home: Path, count: int, *, synced: bool, lower: bool = False) -> None:
    """Write the file, and if `synced`, sync it to the disk.  Raises Misconfigured.

    If processes count at once, one may be late.  So a higher value is only replaced if the file is
    to be `lower`.
    """
    try:
        descriptor = os.open(home / GENERATION_FILE, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if lower or count >= (_written(home) or 0):
                os.pwrite(descriptor, f"{count:0{_DIGITS}}\n".encode(), 0)
            if synced:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        where = home / GENERATION_FILE
        raise Misconfigured(f"{where}: cannot be written: {error.strerror}") from error
