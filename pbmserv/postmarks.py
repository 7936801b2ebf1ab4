"""Postmarks: the letters that have left, until the database knows of them.

A transaction for each letter would cost more than the letter.  So a batch is marked in the
database at once, and what left before is noted in a small file: a crash in between repeats one
letter at most, not the batch.  The file is used by one process at a time (`house.deliver`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

FILE = "postmarks"
_BYTES = 8  # of a letter's number


@dataclass(frozen=True, slots=True)
class Postmarks:
    """The noted numbers of letters.  They survive a crash of the program, not a power cut."""

    descriptor: int

    def note(self, letter: int) -> None:
        """Note that a letter has left."""
        os.write(self.descriptor, letter.to_bytes(_BYTES, "big"))

    def noted(self) -> list[int]:
        """The letters that left since `clear`."""
        raw = os.pread(self.descriptor, os.fstat(self.descriptor).st_size, 0)
        whole = range(0, len(raw) - len(raw) % _BYTES, _BYTES)
        return [int.from_bytes(raw[place : place + _BYTES], "big") for place in whole]

    def clear(self) -> None:
        """Forget them: the database knows."""
        os.ftruncate(self.descriptor, 0)


@contextmanager
def postmarks(home: Path) -> Iterator[Postmarks]:
    """The postmarks of a home."""
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND
    descriptor = os.open(home / FILE, flags, 0o600)
    try:
        yield Postmarks(descriptor)
    finally:
        os.close(descriptor)
