"""Deliveries: what came of every try to hand a letter over, for the operator to trace.

A letter that left keeps the carrier's answer in its own row.  Tries that failed are counted
here, those with the same answer together.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from pbmserv import incidents
from pbmserv.models import Try


def failed(
    connection: Connection, letter: Mapping[Any, Any], answer: str, now: int, *, given_up: bool
) -> None:
    """Note a try that failed; the operator hears of a letter that was given up.

    `letter` is its row in the outbox, `answer` what the carrier said, without tokens.
    """
    latest = select(func.max(Try.id)).where(Try.letter_id == letter["id"]).scalar_subquery()
    again = update(Try).where(Try.id == latest, Try.answer == answer)
    if not connection.execute(again.values(last_at=now, count=Try.count + 1)).rowcount:
        row = {"letter_id": letter["id"], "answer": answer, "first_at": now, "last_at": now}
        connection.execute(insert(Try).values(**row, count=1))
    # That a letter to the operator failed is no news that a letter could bring.
    if given_up and letter["kind"] != "incidents":
        name = f"out{letter['id']} to {letter['address']}"
        incidents.note(connection, "undelivered", name, answer, now)
