"""Postmarks: the letters that have left, until the database knows of them.

A transaction for each letter would cost more than the letter.  So a batch is marked in the
database at once, and what left before is noted in a small file: a crash in between repeats one
letter at most, not the batch.  The file is used by one process at a time (`house.deliver`).

The file has its full size from the beginning, and marks are written over what stands there: a
disk that is full takes them.  It also says since when sending has stopped, because the file or
the database could not be written.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pbmserv.errors import TryLater
from pbmserv.home import POSTMARKS_FILE

PLACES = 64  # letters that may leave before `clear`
_BYTES = 8  # of a letter's number, and of a moment
_STOPPED = PLACES * _BYTES  # where the moment stands at which sending stopped
_SIZE = _STOPPED + _BYTES
_NOTHING = bytes(_BYTES)


class SentJournal:
    """The noted numbers of letters.  They survive a crash of the program, not a power cut."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._next = 0

    def reserve(self) -> None:
        """Make sure of the place for the next mark; raises TryLater where it cannot be written.

        What stands there is written anew, so that a disk that fails does so before a letter leaves.
        """
        self._write(self._next, _NOTHING)

    def note(self, letter: int) -> None:
        """Note that a letter has left; raises TryLater if a place that was reserved is lost."""
        self._write(self._next, letter.to_bytes(_BYTES, "big"))
        self._next += _BYTES

    def noted(self) -> list[int]:
        """The letters that left since `clear`."""
        raw = os.pread(self._descriptor, _STOPPED, 0)
        found = (raw[place : place + _BYTES] for place in range(0, len(raw), _BYTES))
        return [int.from_bytes(each, "big") for each in found if any(each)]

    def clear(self) -> None:
        """Forget them: the database knows.  Raises TryLater."""
        self._write(0, bytes(_STOPPED))
        self._next = 0

    def stop(self, now: int) -> None:
        """Note that sending stopped now, unless it had before; where even that fails, nothing."""
        if not self.stopped_at():
            with suppress(TryLater):
                self._write(_STOPPED, now.to_bytes(_BYTES, "big"))

    def go_on(self) -> None:
        """Note that sending goes on; raises TryLater."""
        self._write(_STOPPED, _NOTHING)

    def stopped_at(self) -> int:
        """The moment at which sending stopped; 0 if it goes on."""
        return int.from_bytes(os.pread(self._descriptor, _BYTES, _STOPPED), "big")

    def make_room(self) -> None:
        """Give the file its full size, on the disk; raises TryLater where there is no room."""
        short = _SIZE - os.fstat(self._descriptor).st_size
        if short > 0:
            self._write(_SIZE - short, bytes(short))
            with _translated():
                os.fsync(self._descriptor)

    def _write(self, place: int, data: bytes) -> None:
        with _translated():
            written = os.pwrite(self._descriptor, data, place)
            if written != len(data):
                os.pwrite(self._descriptor, bytes(written), place)  # half a number is another one
                raise TryLater(f"{POSTMARKS_FILE}: there is no room")


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise TryLater(f"{POSTMARKS_FILE}: {error.strerror}") from error


@contextmanager
def open_journal(home: Path) -> Iterator[SentJournal]:
    """The postmarks of a home, to write; raises TryLater where they have no room."""
    with _translated():
        descriptor = os.open(home / POSTMARKS_FILE, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        marks = SentJournal(descriptor)
        marks.make_room()
        yield marks
    finally:
        os.close(descriptor)


def stopped(home: Path) -> tuple[int, int]:
    """Since when sending has stopped (0 if it goes on), and how many letters are noted.

    Nothing is changed.  Raises OSError where the file is there and cannot be written.
    """
    if not (home / POSTMARKS_FILE).exists():
        return 0, 0
    descriptor = os.open(home / POSTMARKS_FILE, os.O_RDWR)
    try:
        marks = SentJournal(descriptor)
        return marks.stopped_at(), len(marks.noted())
    finally:
        os.close(descriptor)
