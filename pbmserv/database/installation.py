"""The installation: the key and the database of a home, which belong together.

The database stores the key's fingerprint.  A home with only one of them, or with the key of another
database, is refused.  An empty server that reports no problem would be worse.

In a new home the key gets its name last.  So a home whose creation was interrupted still counts as
new, and the next process completes it.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from sqlalchemy import Connection, Engine, insert, inspect, select, update

from pbmserv.database import leases, models
from pbmserv.database.engine import close, engine_for, reading, writing
from pbmserv.database.models import Installation
from pbmserv.database.upgrade import newest_revision, revision_of, upgrade
from pbmserv.errors import Misconfigured, TryLater
from pbmserv.file_locks import locked
from pbmserv.home import (
    GENERATION_FILE,
    KEY_BYTES,
    KEY_FILE,
    SENT_JOURNAL_FILE,
    read_key,
    write_key,
)
from pbmserv.settings import Settings

LOCK = "opening.lock"
_PATIENCE = 60.0  # seconds that another process may take to make or upgrade a home
_PURPOSE = b"pbmserv key fingerprint 1\0"  # separates this use of the key from others
_FINGERPRINT = select(Installation.fingerprint)


def fingerprint(key: bytes) -> str:
    """The database's fingerprint of a key: 64 hexadecimal digits, which do not reveal it."""
    return sha256(_PURPOSE + key).hexdigest()


def open_installation(
    settings: Settings, *, new: bool = False, is_there: bool = False
) -> tuple[Engine, bytes]:
    """The database of a home, with the newest schema, and its key; both are made in a new home.

    `new` starts again if the database is lost: with an empty one, and with another key.  Raises
    Misconfigured where key and database do not belong together.  Raises TryLater if a server of an
    older program uses the database.  If it must be there, nothing is made; raises Misconfigured.
    """
    engine = engine_for(settings)
    try:
        if not new and (key := _known(engine, settings)):
            return engine, key
        if is_there:
            _require(engine, settings)
        with locked(settings.home / LOCK, patience=_PATIENCE) as mine:
            if not mine:
                raise TryLater(f"{settings.home}: another process is creating or upgrading it")
            # The process that had the lock may have done it all, and a server may use it now.
            if not new and (key := _known(engine, settings)):
                return engine, key
            return engine, _made(engine, settings, new=new)
    except BaseException:
        engine.dispose()
        raise


@contextmanager
def unchanged(settings: Settings) -> Iterator[Engine]:
    """The database of a home for a caller that only reads: it is neither made nor upgraded.

    Raises Misconfigured if it is missing, or has not the newest schema.
    """
    engine = engine_for(settings)
    try:
        _require(engine, settings)
        with reading(engine) as connection:
            is_old = revision_of(connection) != newest_revision()
        if is_old:
            said = "it is of an older version; a server upgrades it when it starts"
            raise Misconfigured(f"{shown(engine)}: {said}")
        yield engine
    finally:
        close(engine)


def _require(engine: Engine, settings: Settings) -> None:
    """Raise Misconfigured if there is no database, or it does not belong to the key."""
    if found := mismatch(engine, settings):
        raise Misconfigured("; ".join(found))
    if is_without_tables(engine):
        said = "there is no database yet; a server makes it when it starts"
        raise Misconfigured(f"{shown(engine)}: {said}")


def mismatch(engine: Engine, settings: Settings) -> tuple[str, str] | None:
    """Why key and database do not belong together, and a remedy; None if they do.

    This changes nothing.  An unused database may get a new key.
    """
    key, name = settings.home / KEY_FILE, shown(engine)
    had_key = key.exists()  # read first: another process may be making the home, the key last
    if is_without_tables(engine):
        said = f"{name}: is missing or empty, but {key} is there"
        remedy = "restore the backup, or begin again: pbmserv serve --new"
        return (said, remedy) if had_key else None
    with reading(engine) as connection:
        ours, is_used = _fingerprint_in(connection), _is_used(connection)
    remedy = f"bring {KEY_FILE} back from the backup of this database"
    if not key.exists():
        return (f"{key}: is missing", remedy) if is_used else None
    if ours and ours != fingerprint(read_key(settings.home)):
        return f"{key}: is not the key of {name}", remedy
    return None


def is_without_tables(engine: Engine) -> bool:
    """True if there is no database, or an empty one; this creates none."""
    if _is_without_file(engine):
        return True
    with reading(engine) as connection:
        return revision_of(connection) is None


def shown(engine: Engine) -> str:
    """The database's name for the operator, without a password."""
    url = engine.url
    if engine.dialect.name == "sqlite":
        return str(url.database)
    return f"database {url.database} at {url.host or url.query.get('host') or 'localhost'}"


def _is_without_file(engine: Engine) -> bool:
    return engine.dialect.name == "sqlite" and not Path(engine.url.database or "").exists()


def _known(engine: Engine, settings: Settings) -> bytes | None:
    """The key, if key and database exist, are up to date and belong together."""
    if not (settings.home / KEY_FILE).exists() or _is_without_file(engine):
        return None
    with reading(engine) as connection:
        if revision_of(connection) != newest_revision():
            return None
        ours = connection.execute(_FINGERPRINT).scalar()
    key = read_key(settings.home)
    return key if ours == fingerprint(key) else None


def _made(engine: Engine, settings: Settings, *, new: bool) -> bytes:
    """Make the missing parts; returns the key.  One process at a time does this in a home."""
    home = settings.home
    if new and not is_without_tables(engine):
        raise Misconfigured(f"{shown(engine)}: already has a database: leave out --new")
    if not new and (found := mismatch(engine, settings)):
        raise Misconfigured("; ".join(found))
    if new and (home / KEY_FILE).exists():
        # With the old key, letters of the old boards would be valid for the new ones.
        (home / KEY_FILE).rename(home / f"{KEY_FILE}.{fingerprint(read_key(home))[:8]}")
    is_new = not (home / KEY_FILE).exists()
    key = secrets.token_bytes(KEY_BYTES) if is_new else read_key(home)
    if is_new:  # files of another database do not apply to this one
        for name in (GENERATION_FILE, SENT_JOURNAL_FILE):
            (home / name).unlink(missing_ok=True)
    _upgrade(engine)
    with writing(engine) as connection:
        row = {"fingerprint": fingerprint(key)}
        if not connection.execute(update(Installation).values(row)).rowcount:
            connection.execute(insert(Installation).values(row))
    if is_new:
        write_key(home, key)
    return key


def _upgrade(engine: Engine) -> None:
    """Upgrade a database that no server uses: an older program could not go on with it."""
    if is_without_tables(engine):
        upgrade(engine)
        return
    if leases.is_held(engine, leases.SERVING):
        said = "a server of an older version uses it; restart that server, and it is upgraded"
        raise TryLater(f"{shown(engine)}: {said}")
    with leases.alone(engine, _PATIENCE):
        upgrade(engine)


def _fingerprint_in(connection: Connection) -> str:
    """The fingerprint in the database; "" if it is older than fingerprints."""
    if not inspect(connection).has_table(Installation.__tablename__):
        return ""
    return connection.execute(_FINGERPRINT).scalar() or ""


def _is_used(connection: Connection) -> bool:
    """True if somebody has signed up, or a letter was written."""
    tables = (models.Player, models.OutboxLetter)
    return any(connection.execute(select(table.id).limit(1)).first() for table in tables)
