"""Homes with a database in them: its tables are made once in a process, and then copied.

Upgrading a database step by step takes a quarter of a second, and most tests begin with one.
Those in tests/database take the steps themselves.
"""

from __future__ import annotations

import sqlite3
import tempfile
from functools import cache
from pathlib import Path

from pbmserv.database.engine import close
from pbmserv.database.upgrade import open_database
from pbmserv.home import DATABASE_FILE, KEY_BYTES, KEY_FILE, open_home, write_key
from pbmserv.settings import Settings


def home_with_tables(home: Path) -> Settings:
    """The settings of a home, which is made if it does not exist.  A new one has a database and a
    fixed key."""
    settings = open_home(home)
    if not (home / KEY_FILE).exists():
        write_key(home, bytes(range(KEY_BYTES)))
    file = home / DATABASE_FILE
    if not settings.database and not file.exists():
        file.touch(0o600)
        file.write_bytes(_new_database())
    return settings


def has_only_tables(home: Path) -> bool:
    """Whether the file of a home's database is one of `home_with_tables`, without any row."""
    return (home / DATABASE_FILE).read_bytes() == _new_database()


def changed(home: Path, statement: str, *values: object) -> None:
    """Change one row of a home's database behind the program's back."""
    connection = sqlite3.connect(home / DATABASE_FILE)
    assert connection.execute(statement, values).rowcount == 1
    connection.commit()
    connection.close()


@cache
def _new_database() -> bytes:
    """The content of the file of a database that was opened for the first time."""
    with tempfile.TemporaryDirectory() as folder:
        close(open_database(open_home(Path(folder))))
        return (Path(folder) / DATABASE_FILE).read_bytes()
