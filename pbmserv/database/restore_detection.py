"""The generation: a count that tells when the database went back to an earlier state.

The database counts while it is worked on, and a file beside it, which no backup holds, says how
far the count has come.  A database that is behind its file, or that has lost it, was restored from
a backup: players have seen dice that are still to come.

The file never says more than what is sure to be on the disk, so a power cut is no restore.
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

_DIGITS = 20  # written over what stands there: no new space is needed


def is_put_back(engine: Engine, home: Path) -> bool:
    """Whether the database was restored from a backup since it was worked on in this home."""
    return all(_is_behind_now(engine, home) for _ in range(2))


def is_behind(count: int, written: int | None) -> bool:
    """Whether a database that has come to `count` is not the one that the file was written for.

    `written` is None where the file is missing: in a new home, or in one that was restored.
    """
    return count > 0 if written is None else written > count


def _is_behind_now(engine: Engine, home: Path) -> bool:
    # The file is read first: others count meanwhile, and what it said stays no more than the count.
    # Only a home's first process makes the file where there was none: hence the second look.
    written = _written(home)
    return is_behind(_count(engine), written)


def begin(engine: Engine, home: Path) -> None:
    """Begin to count in a new home, or in one that never did."""
    if _count(engine) == 0 and _written(home) is None:
        _write(home, 0, synced=True)
        advance(engine, home, durable=True)


def advance(engine: Engine, home: Path, *, durable: bool) -> None:
    """Count one more, and note it in the file; raises TryLater.

    Where the count need not be `durable` the file gets the one before it: a server counts again
    and again, and that one is on the disk by then.
    """
    with writing(engine, durable=durable) as connection:
        counted = update(Installation).values(generation=Installation.generation + 1)
        count = connection.execute(counted.returning(Installation.generation)).scalar_one()
    _write(home, count if durable else count - 1, synced=durable)


def note_restore(engine: Engine, now: int) -> None:
    """Note that a backup was restored: letters from before are not answered from now on."""
    with writing(engine) as connection:
        before = connection.execute(select(Installation.restores)).scalar_one()
        restores = ",".join(filter(None, (before, str(now))))
        connection.execute(update(Installation).values(restores=restores))


def go_on(engine: Engine, home: Path) -> None:
    """All that a restored backup asks for was done: the file is that of this database again."""
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
    """What the file says; None where there is none, or one that nobody can read."""
    try:
        return int((home / GENERATION_FILE).read_text("ascii"))
    except (OSError, ValueError):
        return None


def _write(home: Path, count: int, *, synced: bool, lower: bool = False) -> None:
    """Write the file, and where it is to be `synced`, to the disk.  Raises Misconfigured.

    Of processes that count at once one may come late: no count is written over a higher one,
    but where the file is to be `lower`.
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
