"""Backup: the home copied while the server runs, whole and of one moment.

The database by SQLite's own online backup, the key and the settings as files.  The letters in
`mail/` are the players' and not copied; a database in PostgreSQL has tools of its own.
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
from pbmserv.home import KEY_FILE
from pbmserv.settings import SETTINGS_FILE, Settings

_PAGES = 1000  # copied at a time; between two pieces the server may write


def backup(engine: Engine, settings: Settings, target: Path) -> list[str]:
    """Copy the home into a new directory; the names of the files that are there now.

    The directory appears when it is complete: what is half done has another name.  Raises
    Misconfigured if it exists already or cannot be made, or the copy is not whole.
    """
    if target.exists():
        raise Misconfigured(f"{target}: is there already; give a name of its own to each backup")
    draft = target.with_name(f".{target.name}.unfinished")
    try:
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(mode=0o700, parents=True)
        if engine.dialect.name == "sqlite":
            _copy_database(engine, draft / Path(engine.url.database or "").name)
        for name in (KEY_FILE, SETTINGS_FILE):
            if (settings.home / name).exists():
                shutil.copy2(settings.home / name, draft)
        # From now on the database is ahead of its copy: that is how a restore is noticed.
        if not restore_detection.is_put_back(engine, settings.home):
            restore_detection.advance(engine, settings.home, durable=True)
        draft.rename(target)
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
            raise Misconfigured(f"the copy of the database is not whole: {said}")
    target.chmod(0o600)
