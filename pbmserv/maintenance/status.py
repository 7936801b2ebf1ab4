"""The state of a server, in numbers that are quick to read: what runs, what waits, what was last.

`maintenance/doctor/` examines a server; this only looks, and is fast enough for a call a minute.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from sqlalchemy import ColumnElement, Connection, Engine, func, select

from pbmserv.boards.board import PLAYING
from pbmserv.database import leases, models
from pbmserv.database.engine import reading
from pbmserv.database.models import states
from pbmserv.database.upgrade import revision_of
from pbmserv.fast_dataclasses import dataclass
from pbmserv.intake.kept_emails import inbox
from pbmserv.maintenance.doctor import work
from pbmserv.maintenance.doctor.finding import Finding, ill
from pbmserv.maintenance.doctor.home import space
from pbmserv.settings import SETTINGS_FILE, Settings

_NOT_SENT = ill(
    "sending",
    "the process that sends letters does not run",
    "Read the server's log, and restart it. With --only, start the other process, too.",
)
_LOGS = ("", "-wal")  # what is added to the name of SQLite's file, for its parts


@dataclass(frozen=True, slots=True)
class Status:
    """The state of a server.  Moments are seconds since 1970, None if there was none.

    `server` names the running process and `since` is when it began; both are None without one.
    `changed`: the settings were changed after that.
    `boards` are running, and the cups of `closed` ones of them wait for the beacon.
    `letters` are due, and `failed` ones were given up.  `emails` wait, and
    `aside` ones were set aside.  `size` is that of the database in bytes, `revision` that of its
    newest migration.  `problems` are what an operator must look after.
    """

    version: str
    server: str | None
    since: int | None
    changed: bool
    last_email: int | None
    last_letter: int | None
    last_tick: int | None
    emails: int
    aside: int
    letters: int
    failed: int
    boards: int
    closed: int
    size: int
    revision: str
    problems: tuple[Finding, ...]


def status_of(engine: Engine, settings: Settings, now: int) -> Status:
    """The state of the server of a home; changes nothing."""
    is_served, is_sent = (leases.is_held(engine, each) for each in (leases.SERVING, leases.SENDING))
    findings = (
        work.clock(engine, now, is_served=is_served),
        work.deadlines(engine, now),
        work.queues(engine, now),
        work.sending(settings) if is_sent or not is_served else _NOT_SENT,
        space(settings),
        work.beacon(engine, settings, now),
    )
    mail, letter, board = models.InboxMail, models.OutboxLetter, models.Board
    with reading(engine) as connection:

        def counted(condition: ColumnElement[bool]) -> int:
            return int(connection.execute(select(func.count()).where(condition)).scalar_one())

        is_playing = board.state == PLAYING
        closed = counted(board.opens_at.is_not(None) & is_playing)
        holder = connection.execute(select(models.Installation)).first() if is_served else None
        latest = select(mail.received_at).order_by(mail.id.desc()).limit(1)
        sent = select(func.max(letter.due_at)).where(letter.state == states.SENT)
        return Status(
            version=version("pbmserv"),
            server=(holder.holder if holder else "") if is_served else None,
            since=holder.held_since if holder else None,
            changed=_is_changed_since(settings, holder.held_since if holder else None),
            last_email=connection.execute(latest).scalar(),
            last_letter=connection.execute(sent).scalar(),
            last_tick=connection.execute(select(models.Tick.ticked_at)).scalar(),
            emails=counted(mail.state == inbox.WAITING),
            aside=counted(mail.state == inbox.ASIDE),
            letters=counted(letter.state == states.DUE),
            failed=counted(letter.state == states.FAILED),
            boards=counted(board.due_at.is_not(None) & is_playing) + closed,
            closed=closed,
            size=_size(connection),
            revision=revision_of(connection) or "",
            problems=tuple(each for each in findings if each and each.is_well is False),
        )


def _is_changed_since(settings: Settings, began: int | None) -> bool:
    """Whether the file of the settings was written after a server began."""
    file = settings.home / SETTINGS_FILE
    return began is not None and file.exists() and int(file.stat().st_mtime) > began


def _size(connection: Connection) -> int:
    """The bytes of the database on the disk."""
    if connection.dialect.name == "postgresql":
        size = func.pg_database_size(func.current_database())
        return int(connection.execute(select(size)).scalar_one())
    files = [Path(f"{connection.engine.url.database}{each}") for each in _LOGS]
    return sum(each.stat().st_size for each in files if each.exists())
