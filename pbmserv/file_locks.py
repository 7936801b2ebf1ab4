"""Locks: files that one process at a time holds."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PAUSE = 0.02  # seconds between tries


@contextmanager
def locked(file: Path, *, shared: bool = False, patience: float = 0.0) -> Iterator[bool]:
    """Hold a lock file while the block runs; False if another process holds it.

    Who only asks whether it is held takes it `shared`, so that two who ask do not take each other
    for the holder; the holder gives them `patience` seconds.  The system lets go of a lock when a
    process ends, however it ends.
    """
    until = time.monotonic() + patience
    how = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        while not (mine := _taken(descriptor, how)) and time.monotonic() < until:
            time.sleep(PAUSE)
        yield mine
    finally:
        os.close(descriptor)


def _taken(descriptor: int, how: int) -> bool:
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
