"""Name a full disk where SQLite speaks of an error of the disk."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

_INDEX = 32 * 1024  # bytes by which SQLite's index of the log grows


def reason(said: str, code: int, room: int) -> str:
    """Why a statement failed, from SQLite's words and code, and the free bytes of its disk.

    If a full disk has no room for the index of its log, SQLite says that the disk has an error.
    """
    is_full = code == sqlite3.SQLITE_IOERR and room < _INDEX
    return f"the disk is full ({said})" if is_full else said


def room_for(file: str | None) -> int:
    """The free bytes beside a file of SQLite, or enough of them if that cannot be known."""
    try:
        found = os.statvfs(Path(file or ".").parent)
    except OSError:
        return _INDEX
    return found.f_bavail * found.f_frsize
