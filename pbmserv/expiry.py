"""Expiry: old mails and letters are forgotten, a small piece at each look at the clock.

What happened on boards is kept for ever; this is about the post only.  A mail that had been set
aside and that nobody looked after goes, too, and the operator hears of it.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, delete, func, select

from pbmserv import budgets, errands, inbox, incidents, outbox
from pbmserv.desk import Desk
from pbmserv.models import Attempt, InboxMail, OutboxLetter, Try

DAY = 24 * 60 * 60
PIECE = 200  # rows of one state at a time: milliseconds, in which nobody else can write


def expire(desk: Desk) -> None:
    """Forget a piece of what is older than the setting `keep_days`.

    The newest mail and letter stay: SQLite gives the numbers behind the newest anew, and letters
    in mailboxes are named by them.
    """
    before = desk.now - desk.settings.keep_days * DAY
    for state in (inbox.DONE, inbox.DROPPED, inbox.ASIDE):
        _expire_mails(desk.connection, state, before, desk.now)
    for state in (outbox.SENT, outbox.RETURNED, outbox.DROPPED, outbox.FAILED):
        _expire_letters(desk.connection, state, before)
    _expire_counts(desk.connection, before, desk.now)


def _expire_mails(connection: Connection, state: str, before: int, now: int) -> None:
    newest = select(func.max(InboxMail.id)).scalar_subquery()
    oldest = (
        select(InboxMail.id, InboxMail.received_at)
        .where(InboxMail.state == state, InboxMail.id < newest)
        .order_by(InboxMail.id)
    )
    old = _before(connection, oldest, before)
    if not old:
        return
    if state == inbox.ASIDE:
        for number in old:
            incidents.note(connection, "given_up", f"in{number}", "", now)
    connection.execute(delete(InboxMail).where(InboxMail.id.in_(old)))


def _expire_letters(connection: Connection, state: str, before: int) -> None:
    newest = select(func.max(OutboxLetter.id)).scalar_subquery()
    oldest = (
        select(OutboxLetter.id, OutboxLetter.due_at)
        .where(OutboxLetter.state == state, OutboxLetter.id < newest)
        .order_by(OutboxLetter.due_at)
    )
    if old := _before(connection, oldest, before):
        connection.execute(delete(Try).where(Try.letter_id.in_(old)))
        connection.execute(delete(OutboxLetter).where(OutboxLetter.id.in_(old)))


def _expire_counts(connection: Connection, before: int, now: int) -> None:
    """Forget how often something happened longer ago than post is kept: addresses stand there.

    That a mail has proven its sender is remembered, without an address.
    """
    old = Attempt.since < before, Attempt.what != errands.PROOF
    connection.execute(delete(Attempt).where(*old))
    budgets.forget_full(connection, now)


def _before(connection: Connection, oldest: Any, moment: int) -> list[int]:
    """The numbers among the first rows (a query for numbers and moments) of before a moment."""
    rows = connection.execute(oldest.limit(PIECE))
    return [number for number, happened_at in rows if happened_at < moment]
