"""Copy the home while the server runs, complete and consistent.

SQLite's own online backup copies the database; the key and the settings are copied as files.  The
letters in `mail/` belong to the players and are not copied.  A database in PostgreSQL has its own
tools.
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import Engine

from pbmserv.database import restore_detection
from pbmserv.errors import Misconfigured
from pbmserv.home import KEY_FILE, sync
from pbmserv.settings import SETTINGS_FILE, Settings

_PAGES = 1000  # copied at a time; the server may write in between


def backup(engine: Engine, settings: Settings, target: Path) -> list[str]:
    """Copy the home into a new directory; returns the names of the files in it.

    The directory gets its name when it is complete, and on the disk.  Raises Misconfigured if it
    exists already or cannot be made, or the copy is damaged.
    """
    if target.exists():
        raise Misconfigured(f"{target}: already exists; give each backup a new name")
    draft = target.with_name(f".{target.name}.unfinished")
    try:
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(mode=0o700, parents=True)
        if engine.dialect.name == "sqlite":
            _copy_database(engine, draft / Path(engine.url.database or "").name)
        for name in (KEY_FILE, SETTINGS_FILE):
            if (settings.home / name).exists():
                shutil.copy2(settings.home / name, draft)
        # From now on the database is ahead of its copy: this is how a restore is noticed.
        if not restore_detection.is_put_back(engine, settings.home):
            restore_detection.advance(engine, settings.home, durable=True)
        for each in (*draft.iterdir(), draft):
            sync(each)
        draft.rename(target)
        sync(target.parent)
    except OSError as error:
        raise Misconfigured(f"{target}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return sorted(file.name for file in target.iterdir())


def _copy_database(engine: Engine, target: Path) -> None:
    with closing(sqlite3.connect(target)) as copy, engine.connect() as connection:
        source: Any = connection.connection.driver_connection
        source.backup(copy, pages=_PAGES)
        (said,) = copy.execute("PRAGMA integrity_check(1)").fetchone()
        if said != "ok":
            raise Misconfigured(f"the copy of the database is damaged: {said}")
    target.chmod(0o600)
