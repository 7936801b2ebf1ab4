"""Lock files, which one process holds at a time, and what tells one file from another."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pbmserv.errors import Misconfigured

PAUSE = 0.02  # seconds between tries


@contextmanager
def locked(file: Path, *, shared: bool = False, patience: float = 0.0) -> Iterator[bool]:
    """Hold a lock file while the block runs; False if another process holds it.

    Use `shared` only to ask whether it is held: two that ask then do not block each other.  The
    holder waits up to `patience` seconds for them.  The operating system releases the lock when the
    process ends for any reason.  Raises Misconfigured for a file of another user.
    """
    until = time.monotonic() + patience
    how = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    try:
        descriptor = os.open(file, os.O_RDONLY if shared else os.O_RDWR | os.O_CREAT, 0o600)
    except FileNotFoundError:
        if not shared:
            raise
        yield True  # nobody ever held it
        return
    except PermissionError as error:
        remedy = "give the home to the user that runs pbmserv (chown -R); see: pbmserv doctor"
        raise Misconfigured(f"{file}: {error.strerror}; {remedy}") from error
    try:
        while not (mine := _taken(descriptor, how)) and time.monotonic() < until:
            time.sleep(PAUSE)
        yield mine
    finally:
        os.close(descriptor)


def identity(path: Path) -> tuple[int, int] | None:
    """What tells a file or folder from another one that is put into its place.

    None if it is not there, or out of this user's reach.
    """
    with suppress(FileNotFoundError, PermissionError):
        found = path.stat()
        return found.st_dev, found.st_ino
    return None


def _taken(descriptor: int, how: int) -> bool:
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
