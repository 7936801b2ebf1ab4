"""Retention: delete old emails and letters, a small part at each tick.

While old rows are left, each tick deletes a part; then there is a pause of six hours.  Accounts and
addresses that were not confirmed are deleted, too, and so are mailboxes that players gave up.  The
records of boards are kept for ever.  An old email that was set aside is deleted, too, and the
operator is alerted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import BindParameter, Connection, bindparam, delete, func, select, update

from pbmserv.boards import chat_log
from pbmserv.context import UnitOfWork
from pbmserv.database.models import DeliveryAttempt, InboxMail, OutboxLetter, states
from pbmserv.database.prepared_statements import Prepared
from pbmserv.intake.kept_emails import inbox
from pbmserv.lobby import invited_addresses
from pbmserv.monitoring import operator_alerts
from pbmserv.players import accounts, bans, mailbox_owners
from pbmserv.ratelimit import fixed_window, token_bucket
from pbmserv.timeunits import DAY, HOUR

ACCOUNTS = 10  # at a time: for each of them the database reads whole tables
PIECE = 200  # rows of one state at a time: milliseconds in which nobody else can write
PAUSE = 6 * HOUR  # retention is counted in days

_STATE: BindParameter[str] = bindparam("state")
_OLD_MAILS = Prepared(
    select(InboxMail.id, InboxMail.received_at)
    .where(InboxMail.state == _STATE)
    .order_by(InboxMail.id)
    .limit(PIECE)
)
_OLD_LETTERS = Prepared(
    select(OutboxLetter.id, OutboxLetter.due_at)
    .where(OutboxLetter.state == _STATE)
    .order_by(OutboxLetter.due_at)
    .limit(PIECE)
)


@dataclass(slots=True)
class Pause:
    """When to search for old rows again; `found_none` is the moment at which none were left."""

    found_none: int | None = None

    def is_over(self, now: int) -> bool:
        """Whether to search now; also True after the system clock was set back."""
        return self.found_none is None or not 0 <= now - self.found_none < PAUSE


def expire(work: UnitOfWork) -> bool:
    """Delete a part of the rows older than the setting `keep_days`; True if more may be left.

    The newest email and letter are kept without their text.  SQLite would reuse their ids, and
    emails in players' mailboxes name letters by id.
    """
    before = work.now - work.settings.keep_days * DAY
    connection = work.connection
    found = [_give_up_mails(connection, before, work.now)]
    found += [_expire_mails(connection, state, before) for state in (inbox.DONE, inbox.DROPPED)]
    found += [_give_up_letters(connection, before)]
    for state in (states.SENT, states.RETURNED, states.DROPPED):
        found += [_expire_letters(connection, state, before)]
    fixed_window.forget(connection, work.now)
    token_bucket.forget_full(connection, work.now)
    bans.forget(connection, work.now)
    mailbox_owners.expire(connection, work.now)
    invited_addresses.expire(connection, work.now)
    found += [chat_log.expire(connection, before, work.now, PIECE)]
    found += [accounts.forget_unconfirmed(connection, work.now, ACCOUNTS)]
    return any(found)


def _give_up_mails(connection: Connection, before: int, now: int) -> bool:
    """Erase the text of old emails that were set aside, and alert the operator."""
    old = _old_mails(connection, inbox.ASIDE, before)
    for number in old:
        operator_alerts.note(connection, "given_up", f"in{number}", "", now)
    if old:
        blank = {"state": inbox.DROPPED, "raw": b"", "credentials": ""}
        connection.execute(update(InboxMail).where(InboxMail.id.in_(old)).values(blank))
    return bool(old)


def _expire_mails(connection: Connection, state: str, before: int) -> bool:
    if old := _but_newest(connection, InboxMail.id, _old_mails(connection, state, before)):
        connection.execute(delete(InboxMail).where(InboxMail.id.in_(old)))
    return bool(old)


def _old_mails(connection: Connection, state: str, before: int) -> list[int]:
    return _before(connection, _OLD_MAILS, state, before)


def _give_up_letters(connection: Connection, before: int) -> bool:
    if old := _old_letters(connection, states.FAILED, before):
        blank = {"state": states.DROPPED, "payload": "", "token": ""}
        connection.execute(update(OutboxLetter).where(OutboxLetter.id.in_(old)).values(blank))
    return bool(old)


def _expire_letters(connection: Connection, state: str, before: int) -> bool:
    if old := _but_newest(connection, OutboxLetter.id, _old_letters(connection, state, before)):
        connection.execute(delete(DeliveryAttempt).where(DeliveryAttempt.letter_id.in_(old)))
        connection.execute(delete(OutboxLetter).where(OutboxLetter.id.in_(old)))
    return bool(old)


def _old_letters(connection: Connection, state: str, before: int) -> list[int]:
    return _before(connection, _OLD_LETTERS, state, before)


def _before(connection: Connection, oldest: Prepared, state: str, moment: int) -> list[int]:
    """The ids from the first rows (a query of ids and moments) that are from before a moment."""
    rows = oldest.rows(connection, {"state": state})
    return [number for number, happened_at in rows if happened_at < moment]


def _but_newest(connection: Connection, numbers: Any, old: list[int]) -> list[int]:
    """The old ids without the newest id of the table (`numbers` is its column)."""
    if not old:  # as in most ticks
        return old
    newest = connection.execute(select(func.max(numbers))).scalar()
    return [each for each in old if each != newest]
