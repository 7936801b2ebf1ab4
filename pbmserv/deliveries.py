"""Deliveries: what came of every try to hand a letter over, and when the next one is.

A letter that left keeps the carrier's answer in its own row.  Tries that failed are counted
here, those with the same answer together.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from pbmserv import incidents, logbook
from pbmserv.models import Try
from pbmserv.terms import DAY

# Seconds after which an undelivered letter is tried again; then hourly, until it is too old.
PAUSES = (60, 5 * 60, 15 * 60, 60 * 60)
LONGEST = 5 * DAY


def next_try(letter: Mapping[Any, Any], now: int) -> int | None:
    """When a letter that could not leave is tried again; None when it is too old for that."""
    at = now + PAUSES[min(letter["tries"], len(PAUSES) - 1)]
    return None if at - letter["written_at"] > LONGEST else at


def failed(
    connection: Connection, letter: Mapping[Any, Any], answer: str, now: int, *, given_up: bool
) -> None:
    """Note a try that failed; the operator hears of a letter that was given up.

    `letter` is its row in the outbox, `answer` what the carrier said, without tokens.
    """
    logbook.stayed(letter, answer, given_up=given_up)
    latest = select(func.max(Try.id)).where(Try.letter_id == letter["id"]).scalar_subquery()
    again = update(Try).where(Try.id == latest, Try.answer == answer)
    if not connection.execute(again.values(last_at=now, count=Try.count + 1)).rowcount:
        row = {"letter_id": letter["id"], "answer": answer, "first_at": now, "last_at": now}
        connection.execute(insert(Try).values(**row, count=1))
    # That a letter to the operator failed is no news that a letter could bring.
    if given_up and letter["kind"] != "incidents":
        name = f"out{letter['id']} to {letter['address']}"
        incidents.note(connection, "undelivered", name, answer, now)
