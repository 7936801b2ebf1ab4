"""Check the database: its integrity, its write-ahead log, and its version."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from sqlalchemy import Connection, Engine

from pbmserv.database import leases, restore_detection
from pbmserv.database.engine import BUSY_SECONDS, reading, writing
from pbmserv.database.installation import is_without_tables, mismatch, shown
from pbmserv.database.upgrade import newest_revision, revision_of
from pbmserv.errors import Misconfigured, TryLater
from pbmserv.maintenance.doctor.finding import Finding, ill, unseen, well
from pbmserv.settings import Settings

_RESTORE = "Stop the server and restore a backup: docs/operating.md, Backup and restore."

_GIVE = "Give it and its folder to the user that runs pbmserv (chown); its disk must be writable."


def _is_damage(problem: Misconfigured) -> bool:
    """Whether the file itself is broken, so that a backup would help."""
    code = getattr(getattr(problem.__cause__, "orig", None), "sqlite_errorcode", 0)
    return code & 0xFF in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def database(engine: Engine, *, has_key: bool) -> Finding:
    """Whether the database can be read and is intact; a missing one is reported.

    `has_key` is whether the home has a key, and so had a database.
    """
    path = engine.url.database or ""
    try:
        if is_without_tables(engine):
            if not has_key:
                said = "there is no database yet; a server makes it when it starts"
                return unseen("database", f"{shown(engine)}: {said}")
            said = f"{shown(engine)}: is missing or empty, but the key exists"
            return ill("database", said, f"{_RESTORE} Or begin again: pbmserv serve --new")
        with reading(engine) as connection:
            if engine.dialect.name == "sqlite":
                return _sqlite(connection, path)
            version = connection.exec_driver_sql("SHOW server_version").scalar()
            return well("database", f"PostgreSQL {version}")
    except Misconfigured as problem:
        return ill("database", str(problem), _RESTORE if _is_damage(problem) else _GIVE)
    except TryLater as delay:
        remedy = "Check that it runs and that `database` in pbmserv.toml is right; then try again."
        if "the disk is full" in str(delay):
            remedy = "Free some space."
        return ill("database", str(delay).partition("\n")[0], remedy)


def _sqlite(connection: Connection, path: str) -> Finding:
    said = connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar()
    if said != "ok":
        return ill("database", f"{path}: {' '.join(str(said).split())}", _RESTORE)
    if broken := connection.exec_driver_sql("PRAGMA foreign_key_check").first():
        return ill("database", f"{path}: a row of {broken[0]} refers to a missing row", _RESTORE)
    mode = connection.exec_driver_sql("PRAGMA journal_mode").scalar()
    if mode != "wal":
        remedy = "Move the home to a local disk: a network share does not support WAL."
        return ill("database", f"{path}: no write-ahead log ({mode})", remedy)
    return well("database", f"{path}: intact, with write-ahead log and foreign keys")


def key(engine: Engine, settings: Settings) -> Finding:
    """Whether the key belongs to the database."""
    try:
        if found := mismatch(engine, settings):
            said, remedy = found
            return ill("key", said, f"{remedy[0].upper()}{remedy[1:]}.")
    except Misconfigured as problem:  # damaged: the check `privacy` says what to do
        return unseen("key", str(problem))
    return well("key", "belongs to the database")


def writable(engine: Engine) -> Finding:
    """Whether a transaction can begin to write; it waits as long as the server does."""
    try:
        with writing(engine, durable=False):
            pass
    except Misconfigured as problem:
        return ill("writing", str(problem), _GIVE)
    except TryLater as delay:
        said = f"{str(delay).partition(chr(10))[0]}: for {BUSY_SECONDS} s another program writes"
        find = f"fuser {shown(engine)}" if engine.dialect.name == "sqlite" else "pg_stat_activity"
        return ill("writing", said, f"Find that program ({find}) and end it: all email waits.")
    return well("writing", "the database can be written")


def fsync(engine: Engine) -> Iterator[Finding]:
    """Whether a PostgreSQL writes nothing to its disk; each connection tells SQLite to write."""
    if engine.dialect.name == "sqlite":
        return
    with reading(engine) as connection:
        is_off = connection.exec_driver_sql("SHOW fsync").scalar() == "off"
    if is_off:
        said = "is off in PostgreSQL: a power failure can lose email and boards"
        yield ill("fsync", said, "Set fsync = on in postgresql.conf; then: pg_ctl reload.")


_START = "Start it: pbmserv serve, or systemctl start pbmserv. A pipe with cron needs none."
_SEND = "Read the server's log. After `pbmserv serve --only intake`: pbmserv serve --only sending."


def server(engine: Engine) -> Finding:
    """The server that works on the database; none is needed where cron does its work."""
    sends = leases.is_held(engine, leases.SENDING)
    if leases.is_held(engine, leases.SERVING):
        who = leases.holder_of(engine)
        if sends:
            return well("server", who)
        return ill("server", f"{who}: its letters wait, because no process sends them", _SEND)
    if sends:
        return unseen("server", "letters are sent, but no server takes email", _START)
    return unseen("server", "no server is running", _START)


def restored(engine: Engine, settings: Settings) -> Iterator[Finding]:
    """Whether the database was restored to an earlier state that was not handled yet."""
    if restore_detection.is_put_back(engine, settings.home):
        said = "from a backup: the next start of the server rolls every running round again"
        yield unseen("restored", said)


def migrations(engine: Engine) -> Finding:
    """Whether the tables have the version of this program."""
    with reading(engine) as connection:
        revision = revision_of(connection)
    if revision == newest_revision():
        return well("migrations", f"at {revision}, the newest")
    if (revision or "") > newest_revision():
        remedy = "Install the previous pbmserv, or a later one."
        return ill("migrations", f"at {revision}, made by a newer pbmserv", remedy)
    remedy = (
        "Make a backup. Then restart the server, or type any command: it upgrades the database."
    )
    return ill("migrations", f"at {revision or 'none'} of {newest_revision()}", remedy)
