"""Reasons for a failure that SQLite does not report: a full disk, or too many open files."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

_INDEX = 32 * 1024  # bytes by which SQLite's index of the log grows


def reason(said: str, code: int, room: int) -> str:
    """Why a statement failed, from SQLite's words and code, and the free bytes of its disk.

    A full disk may have no room for the index of SQLite's log.  Then SQLite reports an error of the
    disk.
    """
    is_full = code == sqlite3.SQLITE_IOERR and room < _INDEX
    return f"the disk is full ({said})" if is_full else said


def may_be_opened(file: str | None) -> bool:
    """Whether this user may open a file of SQLite and create others beside it.

    If it could not be opened nevertheless, the system had too many open files.  It is not tried:
    to close the file would end all locks of this process on it.
    """
    found = Path(file or ".")
    effective = os.access in os.supports_effective_ids
    return (
        found.is_file()
        and os.access(found, os.R_OK | os.W_OK, effective_ids=effective)
        and os.access(found.parent, os.W_OK | os.X_OK, effective_ids=effective)
    )


def room_for(file: str | None) -> int:
    """The free bytes beside a file of SQLite, or enough of them if that cannot be known."""
    try:
        found = os.statvfs(Path(file or ".").parent)
    except OSError:
        return _INDEX
    return found.f_bavail * found.f_frsize
