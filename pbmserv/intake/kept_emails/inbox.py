"""The inbox: which emails were received, by which transport, and with which result.

For an email that is done only the envelope is kept, because its text may have a password.  An email
that failed keeps its text until it is done.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import Connection, String, bindparam, cast, select, update

from pbmserv.database import models
from pbmserv.database.prepared_statements import Prepared
from pbmserv.mail.incoming import IncomingMail
from pbmserv.monitoring import operator_alerts
from pbmserv.security.tokens import blanked
from pbmserv.timeunits import DAY

if TYPE_CHECKING:  # a shell command reads no email
    from pbmserv.mail.reading import Mail

WAITING, DONE, ASIDE, DROPPED = "waiting", "done", "aside", "dropped"
# RFC 5321, 4.5.4.1: a server tries for four to five days.
COPIES = 5 * DAY  # seconds in which an email without Message-ID and date is recognized by its text
AT_ONCE = 300  # seconds in which copies of an email to several of our addresses are received
MOST_TRIES = 3  # then an email is set aside for the operator

_CHANGE = update(models.InboxMail).where(models.InboxMail.id == bindparam("mail"))


@cache
def _note(dialect: str) -> Prepared:
    """The insert statement of a dialect: SQLAlchemy has a class for each of them."""
    insert = import_module(f"sqlalchemy.dialects.{dialect}").insert
    row = models.InboxMail
    stored = row.id, row.sender, row.message_id
    return Prepared(insert(row).on_conflict_do_nothing().returning(*stored))


class Received(NamedTuple):
    """An email, how it was read, and what is recorded of it: its commands, and their board."""

    incoming: IncomingMail
    mail: Mail
    reason: str = ""
    board: int | None = None


def note(
    connection: Connection,
    incoming: IncomingMail,
    mail: Mail,
    now: int,
    *,
    state: str = DONE,
    reason: str = "",
) -> int | None:
    """Store an email; returns its id, or None if the same email was received before.

    As long as servers retry, emails without Message-ID and date are the same if their texts are the
    same.  The text, and the token in the recipient's address, are kept only while the email waits.
    """
    (number,) = note_all(connection, [Received(incoming, mail, reason)], now, state=state)
    return number


def note_all(
    connection: Connection, received: Sequence[Received], now: int, *, state: str = DONE
) -> list[int | None]:
    """Store emails as `note` does, in one statement; returns their ids."""
    note = _note(connection.dialect.name)
    stored = note.rows(connection, *[_row(each, now, state) for each in received])
    ids = {(sender, message_id): number for number, sender, message_id in stored}
    found: list[int | None] = []
    for each in received:
        mail = each.mail
        number = ids.pop((mail.sender, mail.message_id), None)
        if number is None and not mail.is_marked and _renamed(connection, mail, now - COPIES):
            number = next((row.id for row in note.rows(connection, _row(each, now, state))), None)
        found.append(number)
    return found


def _row(received: Received, now: int, state: str) -> dict[str, object]:
    """The row of an email."""
    waits = state == WAITING
    incoming, mail, reason, board = received
    return {
        "sender": mail.sender,
        "message_id": mail.message_id,
        "envelope_sender": incoming.envelope_sender,
        "recipient": incoming.recipient if waits else blanked(incoming.recipient),
        "transport": incoming.transport,
        "raw": incoming.raw if waits else b"",
        "credentials": incoming.credentials if waits else "",
        "received_at": now,
        "state": state,
        "reason": reason,
        "board": board,
    }


def _renamed(connection: Connection, mail: Mail, before: int) -> bool:
    """Rename an email with the same text from before a moment; returns whether there was one."""
    row = models.InboxMail
    old = row.sender == mail.sender, row.message_id == mail.message_id, row.received_at < before
    renamed = update(row).where(*old).values(message_id=row.message_id + "-" + cast(row.id, String))
    return connection.execute(renamed).rowcount > 0


class Earlier(NamedTuple):
    """The earlier email of which another one is a copy: its id, its time, and its state."""

    id: int
    received_at: int
    state: str


def earlier(connection: Connection, mail: Mail) -> Earlier:
    """The earlier email with the same sender and Message-ID, where `note` returned None."""
    row = models.InboxMail
    query = select(row.id, row.received_at, row.state).where(
        row.sender == mail.sender, row.message_id == mail.message_id
    )
    return Earlier(*connection.execute(query).one())


def must_be_told(mail: Mail, before: Earlier, now: int) -> bool:
    """Whether the writer is told that an email was taken for a copy: it may be none."""
    return not (mail.is_marked or mail.automatic) and before.received_at < now - AT_ONCE


def waiting(connection: Connection, most: int) -> list[tuple[int, int, IncomingMail]]:
    """The waiting emails, oldest first: id, number of tries, and the email."""
    row = models.InboxMail
    rows = connection.execute(
        select(
            row.id,
            row.tries,
            row.raw,
            row.envelope_sender,
            row.recipient,
            row.transport,
            row.credentials,
        )
        .where(row.state == WAITING)
        .order_by(row.id)
        .limit(most)
    )
    return [
        (number, tries, IncomingMail(raw, envelope_sender, recipient, transport, credentials))
        for number, tries, raw, envelope_sender, recipient, transport, credentials in rows
    ]


def mark_done(
    connection: Connection, number: int, reason: str, recipient: str, board: int | None
) -> None:
    """Record that a waiting email is done, and erase its text and the token in its recipient."""
    change = {"state": DONE, "reason": reason, "raw": b"", "credentials": "", "board": board}
    connection.execute(_CHANGE, {"mail": number, "recipient": blanked(recipient), **change})


def set_reason(connection: Connection, number: int, reason: str) -> None:
    """Record the result of an email if it says more than its commands."""
    connection.execute(_CHANGE, {"mail": number, "reason": reason})


def failed(
    connection: Connection, number: int, kept: IncomingMail, tries: int, reason: str, now: int
) -> bool:
    """Record that an email failed; True if it is now set aside.

    `kept` is the email as it is stored for the next try.
    """
    quarantine = tries >= MOST_TRIES
    change = {"state": ASIDE if quarantine else WAITING, "tries": tries, "reason": reason}
    change |= {"raw": kept.raw, "credentials": kept.credentials}
    connection.execute(_CHANGE, {"mail": number, **change})
    if quarantine:
        operator_alerts.note(connection, "aside", f"in{number}", reason, now)
    return quarantine
