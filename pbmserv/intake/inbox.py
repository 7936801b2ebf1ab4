"""The inbox: which mails came in, by which door, and what became of them.

A mail that was dealt with keeps its envelope only: its text may hold a password.  A mail that
failed keeps its text until it was dealt with.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Executable, String, bindparam, cast, select, update

from pbmserv.database import models
from pbmserv.mail.incoming import IncomingMail
from pbmserv.monitoring import operator_alerts
from pbmserv.security.tokens import blanked
from pbmserv.timeunits import DAY

if TYPE_CHECKING:  # a shell command reads no mail
    from pbmserv.mail.reading import Mail

WAITING, DONE, ASIDE, DROPPED = "waiting", "done", "aside", "dropped"
# RFC 5321, 4.5.4.1: a server goes on trying for four to five days.
COPIES = 5 * DAY  # seconds in which a mail without Message-ID and date is known by its words
AT_ONCE = 300  # seconds in which a mail for several of our addresses comes
MOST_TRIES = 3  # then a mail is set aside, for the operator to look at

_CHANGE = update(models.InboxMail).where(models.InboxMail.id == bindparam("mail"))


@cache
def _note(dialect: str) -> Executable:
    """The statement is the same on SQLite and PostgreSQL, but SQLAlchemy has a class for each."""
    insert = import_module(f"sqlalchemy.dialects.{dialect}").insert
    note: Executable = (
        insert(models.InboxMail).on_conflict_do_nothing().returning(models.InboxMail.id)
    )
    return note


def noted(
    connection: Connection,
    incoming: IncomingMail,
    mail: Mail,
    now: int,
    *,
    state: str = DONE,
    reason: str = "",
    board: int | None = None,
) -> int | None:
    """Write a mail down; its number, or None if the same mail was here before.

    One without Message-ID and date is the same if it says the same: for as long as servers try.

    The text, and the token in the recipient's address, are kept only while there is something
    left to do with them.
    """
    waits = state == WAITING
    row = {
        "sender": mail.sender,
        "message_id": mail.message_id,
        "envelope_sender": incoming.envelope_sender,
        "recipient": incoming.recipient if waits else blanked(incoming.recipient),
        "door": incoming.door,
        "raw": incoming.raw if waits else b"",
        "vouched": incoming.vouched if waits else "",
        "received_at": now,
        "state": state,
        "reason": reason,
        "board": board,
    }
    note = _note(connection.dialect.name)
    number: int | None = connection.execute(note, row).scalar()
    if number is None and not mail.is_marked and _renamed(connection, mail, now - COPIES):
        number = connection.execute(note, row).scalar()
    return number


def _renamed(connection: Connection, mail: Mail, before: int) -> bool:
    """Give a mail that says the same, if it is from before a moment, a name of its own."""
    row = models.InboxMail
    old = row.sender == mail.sender, row.message_id == mail.message_id, row.received_at < before
    renamed = update(row).where(*old).values(message_id=row.message_id + "-" + cast(row.id, String))
    return connection.execute(renamed).rowcount > 0


def taken_for(connection: Connection, mail: Mail, now: int) -> tuple[int, int, str] | None:
    """The mail of which this one is taken for a copy: its number, when it came, and its state.

    None where that is certain, or where nobody is to be told.
    """
    if mail.is_marked or mail.automatic:
        return None
    row = models.InboxMail
    query = select(row.id, row.received_at, row.state).where(
        row.sender == mail.sender,
        row.message_id == mail.message_id,
        row.received_at < now - AT_ONCE,
    )
    found = connection.execute(query).first()
    return (found.id, found.received_at, found.state) if found else None


def waiting(connection: Connection, most: int) -> list[tuple[int, int, IncomingMail]]:
    """The mails that wait to be dealt with, oldest first: number, tries so far, the mail."""
    row = models.InboxMail
    rows = connection.execute(
        select(
            row.id, row.tries, row.raw, row.envelope_sender, row.recipient, row.door, row.vouched
        )
        .where(row.state == WAITING)
        .order_by(row.id)
        .limit(most)
    )
    return [
        (number, tries, IncomingMail(raw, envelope_sender, recipient, door, vouched))
        for number, tries, raw, envelope_sender, recipient, door, vouched in rows
    ]


def dealt_with(
    connection: Connection, number: int, reason: str, recipient: str, board: int | None
) -> None:
    """Note that a waiting mail is done; its text is blanked, and the token it was sent to."""
    change = {"state": DONE, "reason": reason, "raw": b"", "vouched": "", "board": board}
    connection.execute(_CHANGE, {"mail": number, "recipient": blanked(recipient), **change})


def reread(connection: Connection, number: int, reason: str) -> None:
    """Note what became of a mail, where that is more than what it was read as."""
    connection.execute(_CHANGE, {"mail": number, "reason": reason})


def failed(
    connection: Connection, number: int, kept: IncomingMail, tries: int, reason: str, now: int
) -> bool:
    """Note that a mail could not be dealt with; True when it is now set aside.

    `kept` is the mail as it is to lie here until it is tried again.
    """
    quarantine = tries >= MOST_TRIES
    change = {"state": ASIDE if quarantine else WAITING, "tries": tries, "reason": reason}
    change |= {"raw": kept.raw, "vouched": kept.vouched}
    connection.execute(_CHANGE, {"mail": number, **change})
    if quarantine:
        operator_alerts.note(connection, "aside", f"in{number}", reason, now)
    return quarantine
