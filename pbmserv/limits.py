"""Limits: how often something may happen in a span of time.

Failed passwords, letters to strangers and the like are counted here, a row for each `what` and
`who`, in fixed spans that begin with the first happening.  What the limits are is said where
they are used.
"""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert, select, update

from pbmserv.models import Attempt

_LONGEST_WHO = 320


def allowed(connection: Connection, what: str, who: str, most: int, seconds: int, now: int) -> bool:
    """Whether it happened fewer than `most` times in the running span of `seconds`."""
    count = connection.execute(
        select(Attempt.count).where(
            Attempt.what == what,
            Attempt.who == who[:_LONGEST_WHO],
            Attempt.since > now - seconds,
        )
    ).scalar()
    return count is None or count < most


def note(
    connection: Connection, what: str, who: str, seconds: int, now: int, times: int = 1
) -> None:
    """Count one more (or so many), and forget every span of this `what` that is over."""
    who = who[:_LONGEST_WHO]
    connection.execute(delete(Attempt).where(Attempt.what == what, Attempt.since <= now - seconds))
    counted = connection.execute(
        update(Attempt)
        .where(Attempt.what == what, Attempt.who == who)
        .values(count=Attempt.count + times)
    )
    if counted.rowcount == 0:
        connection.execute(insert(Attempt).values(what=what, who=who, since=now, count=times))


def put_back(connection: Connection, seconds: int, now: int) -> None:
    """The clock was put back by so many seconds: spans that began in a time to come end with it."""
    ahead = update(Attempt).where(Attempt.since > now)
    connection.execute(ahead.values(since=Attempt.since - seconds))
