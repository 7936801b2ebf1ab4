"""The database: whether it is whole, written ahead, and of this program's version."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, Engine

from pbmserv.checks import Finding, ill, unseen, well
from pbmserv.database import newest_revision, reading, revision_of
from pbmserv.errors import Misconfigured, TryLater

_RESTORE = "Stop the server and restore a backup: docs/operating.md, Backup and restore."


def database(engine: Engine) -> Finding:
    """Whether the database can be read and holds together."""
    path = engine.url.database or ""
    if engine.dialect.name == "sqlite" and not Path(path).exists():
        return unseen("database", f"{path}: not there yet, the first use makes it")
    try:
        with reading(engine) as connection:
            if engine.dialect.name == "sqlite":
                return _sqlite(connection, path)
            version = connection.exec_driver_sql("SHOW server_version").scalar()
            return well("database", f"PostgreSQL {version}")
    except Misconfigured as problem:
        return ill("database", str(problem), _RESTORE)
    except TryLater as delay:
        remedy = "See that it runs and that `database` in pbmserv.toml names it; then try again."
        return ill("database", str(delay).partition("\n")[0], remedy)


def _sqlite(connection: Connection, path: str) -> Finding:
    said = connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar()
    if said != "ok":
        return ill("database", f"{path}: {' '.join(str(said).split())}", _RESTORE)
    if broken := connection.exec_driver_sql("PRAGMA foreign_key_check").first():
        return ill("database", f"{path}: a row of {broken[0]} points to nothing", _RESTORE)
    mode = connection.exec_driver_sql("PRAGMA journal_mode").scalar()
    if mode != "wal":
        remedy = "Put the home on a local disk: a file share cannot do this."
        return ill("database", f"{path}: writes no log ahead ({mode})", remedy)
    return well("database", f"{path}: whole, writes ahead, keeps foreign keys")


def migrations(engine: Engine) -> Finding:
    """Whether the tables are those of this program."""
    with reading(engine) as connection:
        revision = revision_of(connection)
    if revision == newest_revision():
        return well("migrations", f"at {revision}, the newest")
    if (revision or "") > newest_revision():
        remedy = "Install the pbmserv that was here before, or a later one."
        return ill("migrations", f"at {revision}, of a newer pbmserv", remedy)
    remedy = "Restart the server, or type any command: it upgrades by itself. Back up first."
    return ill("migrations", f"at {revision or 'none'} of {newest_revision()}", remedy)
