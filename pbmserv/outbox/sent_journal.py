"""The journal of sent letters, for those that the database does not have yet.

A transaction for each letter would cost more than the letter.  So a batch is marked in the database
at once.  Each sent letter is first noted in a small file.  After a crash at most one letter is
repeated, not the batch.  Only one process at a time uses the file (`App.deliver`).

The file has its full size from the beginning, and notes overwrite old content.  So a full disk does
not prevent them.  The file also says since when sending has stopped, because the file or the
database could not be written.

It names the letter that is rendered now.  If the process ends meanwhile, that letter is suspected,
unless the process knows that it is killed for another cause.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from struct import iter_unpack
from threading import Lock

from pbmserv.errors import TryLater, disk_may_fail, later
from pbmserv.home import SENT_JOURNAL_FILE

PLACES = 64  # letters that may be sent before `clear`
_BYTES = 8  # of a letter's id, and of a moment
_STOPPED = PLACES * _BYTES  # the position of the moment at which sending stopped
_RENDERED = _STOPPED + _BYTES  # the position of the letter that is rendered now
_SIZE = _RENDERED + _BYTES
_NOTHING = bytes(_BYTES)
_SECONDS_TO_EXCUSE = 1.0  # until the thread that renders leaves the file alone
_NOTING_RENDERED = Lock()


class SentJournal:
    """The ids of sent letters. They survive a crash of the program, but not a power failure."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._next = 0

    def reserve(self) -> None:
        """Check that the next note can be written; raises TryLater if not.

        It writes there, so that a failing disk fails before a letter is sent.
        """
        self._write(self._next, _NOTHING)

    def note(self, letter: int) -> None:
        """Record that a letter was sent; raises TryLater if the reserved space is lost."""
        self._write(self._next, letter.to_bytes(_BYTES, "big"))
        self._next += _BYTES

    def noted(self) -> list[int]:
        """The ids of the letters sent since `clear`."""
        raw = os.pread(self._descriptor, _STOPPED, 0)
        whole = raw[: len(raw) // _BYTES * _BYTES]
        return [letter for (letter,) in iter_unpack(">Q", whole) if letter]

    def clear(self) -> None:
        """Remove all notes, after the database has them; raises TryLater."""
        self._write(0, bytes(_STOPPED))
        self._next = 0

    def stop(self, now: int) -> None:
        """Record that sending stops now, if it has not stopped yet; ignores a failure to write."""
        if not self.stopped_at():
            with suppress(TryLater):
                self._write(_STOPPED, now.to_bytes(_BYTES, "big"))

    def go_on(self) -> None:
        """Record that sending goes on; raises TryLater."""
        self._write(_STOPPED, _NOTHING)

    def stopped_at(self) -> int:
        """The moment at which sending stopped; 0 if it goes on."""
        return int.from_bytes(os.pread(self._descriptor, _BYTES, _STOPPED), "big")

    def note_rendered(self, letter: int) -> None:
        """Note that this letter is rendered now, 0 for none; ignores a failure to write.

        It costs a system call and no fsync: the note must outlive the process, not the machine.
        """
        with _NOTING_RENDERED, suppress(TryLater):
            self._write(_RENDERED, letter.to_bytes(_BYTES, "big"))

    def suspect(self) -> int:
        """The letter that was being rendered when the last process ended; 0 for none."""
        return int.from_bytes(os.pread(self._descriptor, _BYTES, _RENDERED), "big")

    def excuse(self) -> None:
        """Suspect no letter, and let no thread of this process note another one from now on."""
        _NOTING_RENDERED.acquire(timeout=_SECONDS_TO_EXCUSE)  # it is never released
        self._write(_RENDERED, _NOTHING)

    def make_room(self) -> None:
        """Give the file its full size, on the disk; raises TryLater if the disk is full."""
        short = _SIZE - os.fstat(self._descriptor).st_size
        if short > 0:
            self._write(_SIZE - short, bytes(short))
            with disk_may_fail(SENT_JOURNAL_FILE):
                os.fsync(self._descriptor)

    def _write(self, place: int, data: bytes) -> None:
        try:
            written = os.pwrite(self._descriptor, data, place)
            if written != len(data):
                os.pwrite(self._descriptor, bytes(written), place)  # a part of an id is another id
                raise TryLater(f"{SENT_JOURNAL_FILE}: the disk is full")
        except OSError as error:
            raise later(SENT_JOURNAL_FILE, error) from error


@contextmanager
def open_journal(home: Path) -> Iterator[SentJournal]:
    """Open the journal of a home for writing; raises TryLater if the disk has no space for it."""
    with disk_may_fail(SENT_JOURNAL_FILE):
        descriptor = os.open(home / SENT_JOURNAL_FILE, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        marks = SentJournal(descriptor)
        marks.make_room()
        yield marks
    finally:
        os.close(descriptor)


def excuse(home: Path) -> None:
    """Suspect no letter: this process is about to be killed for another cause.

    Any thread may call this.  Ignores a failure to write.
    """
    with suppress(TryLater), open_journal(home) as noted:
        noted.excuse()


def stopped(home: Path) -> tuple[int, int]:
    """Since when sending has stopped (0 if it goes on), and how many letters are noted.

    Changes nothing.  Raises OSError if the file exists and cannot be written.
    """
    if not (home / SENT_JOURNAL_FILE).exists():
        return 0, 0
    descriptor = os.open(home / SENT_JOURNAL_FILE, os.O_RDWR)
    try:
        marks = SentJournal(descriptor)
        return marks.stopped_at(), len(marks.noted())
    finally:
        os.close(descriptor)
