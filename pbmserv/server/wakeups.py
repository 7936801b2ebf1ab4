"""Wake-ups: a named pipe in the home, by which a process tells a role of the server of new work.

A process writes a byte after its commit.  So the role that waits finds the work in the database.  A
byte may be lost with the process that waited for it.  So each role also looks by itself now and
then.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pbmserv.server.roles import INTAKE, SENDING, Role

_FILES: dict[Role, str] = {INTAKE: "intake.wake", SENDING: "sending.wake"}
_ENOUGH = 4096  # bytes that are read at once


def wake(home: Path, role: Role) -> bool:
    """Wake a role of the server that runs in this home; False if nobody waits there."""
    flags = os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW
    try:
        pipe = os.open(home / _FILES[role], flags)
    except OSError:  # there is none, nobody reads it (ENXIO), or it is another user's
        return False
    try:
        if not stat.S_ISFIFO(os.fstat(pipe).st_mode):
            return False
        with suppress(BlockingIOError):  # it is full, so nobody needs another byte
            os.write(pipe, b"\n")
    except BrokenPipeError:  # the process that waited has just ended
        return False
    finally:
        os.close(pipe)
    return True


@contextmanager
def waiting(home: Path, role: Role) -> Iterator[int | None]:
    """The end at which the only process of a role waits: a file descriptor that never blocks.

    None where the home can have no named pipe.  Then the role only looks by itself.
    """
    file = home / _FILES[role]
    try:
        pipe = _opened(file)
    except OSError:
        yield None
        return
    try:
        yield pipe
    finally:
        with suppress(OSError):  # somebody has put something else there
            file.unlink()
        os.close(pipe)


def heard(pipe: int) -> None:
    """Read the bytes of all wake-ups until now; the work is to be looked for after that."""
    with suppress(BlockingIOError):
        while len(os.read(pipe, _ENOUGH)) == _ENOUGH:
            pass


def _opened(file: Path) -> int:
    with suppress(FileNotFoundError):
        if not stat.S_ISFIFO(file.lstat().st_mode):
            file.unlink()
    with suppress(FileExistsError):  # left by a process that was killed
        os.mkfifo(file, 0o600)
    # For writing, too: else it would be at its end whenever no other process has it open.
    return os.open(file, os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW)
