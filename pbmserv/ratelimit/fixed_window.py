"""Count how often something happened in a span of time, and compare it with a limit.

Failed passwords, letters to strangers and the like are counted, with the moment of each.  The span
ends now, so no 24 hours hold more than one day's limit.  A `what` and a `who` have at most as many
rows as may happen in their span.  A span is at most one day, except for each `what` in LONG.  For
these, only the span in LONG is allowed.  The limits themselves are stated where they are used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from sqlalchemy import ColumnElement, Connection, and_, delete, func, insert, or_, select, update

from pbmserv.database.models import Attempt
from pbmserv.timeunits import DAY

# Kinds that are counted for longer than a day, and for how many seconds.  Their `who` must not
# contain an email address.
LONG = {"proof": 10 * 365 * DAY, "deaths": 30 * DAY}
_LONGEST_WHO = 320


@dataclass(frozen=True, slots=True)
class Quota:
    """How often something may happen in a span; `times` is how often it happens now."""

    what: str
    who: str
    most: int
    times: int = 1


def allowed(connection: Connection, what: str, who: str, most: int, seconds: int, now: int) -> bool:
    """Whether it happened fewer than `most` times in the last `seconds`."""
    return room(connection, [Quota(what, who, most)], seconds, now)[0] > 0


def note(
    connection: Connection, what: str, who: str, seconds: int, now: int, times: int = 1
) -> None:
    """Count `times` more, and delete what is older than the span for this `what`."""
    _check_span(what, seconds)
    connection.execute(delete(Attempt).where(Attempt.what == what, Attempt.since <= now - seconds))
    connection.execute(insert(Attempt), _row(Quota(what, who, 0, times), now))


def room(connection: Connection, quotas: Sequence[Quota], seconds: int, now: int) -> list[int]:
    """How often each of these may still happen now, asked in one statement.

    `seconds` is the length of all the spans; `times` is not used.
    """
    for each in quotas:
        _check_span(each.what, seconds)
    row, begin = Attempt, now - seconds
    # A query for each sum lets the database answer from the index alone.
    sums = [select(func.sum(row.count)).where(_is_of(each), row.since > begin) for each in quotas]
    spent = connection.execute(select(*(each.scalar_subquery() for each in sums))).one()
    return [each.most - int(times or 0) for each, times in zip(quotas, spent, strict=True)]


def count(connection: Connection, quotas: Sequence[Quota], seconds: int, now: int) -> None:
    """Count what happens now, and delete what is older than the span for the same quotas."""
    for each in quotas:
        _check_span(each.what, seconds)
    if rows := [_row(each, now) for each in quotas if each.times]:
        old = Attempt.since <= now - seconds
        connection.execute(delete(Attempt).where(or_(*map(_is_of, quotas)), old))
        connection.execute(insert(Attempt), rows)


def _is_of(quota: Quota) -> ColumnElement[bool]:
    return and_(Attempt.what == quota.what, Attempt.who == quota.who[:_LONGEST_WHO])


def _row(quota: Quota, now: int) -> dict[str, object]:
    who = quota.who[:_LONGEST_WHO]
    return {"what": quota.what, "who": who, "since": now, "count": quota.times}


def _check_span(what: str, seconds: int) -> None:
    """Raise ValueError for a span that `forget` would delete too early or too late."""
    long = LONG.get(what)
    if (long is None and seconds > DAY) or long not in (None, seconds):
        raise ValueError(f"{what}: {seconds} s is not its span: see fixed_window.LONG")


def forget(connection: Connection, now: int) -> None:
    """Delete every row whose span is over, also for a `who` that never returns."""
    row, edges = Attempt, ["", *sorted(LONG)]
    # Ranges use the index; != does not, and some kinds have very many long-lived rows.
    ranges = [and_(row.what > low, row.what < high) for low, high in pairwise(edges)]
    ranges.append(row.what > edges[-1])
    connection.execute(delete(row).where(row.since <= now - DAY, or_(*ranges)))
    for what, seconds in LONG.items():
        connection.execute(delete(row).where(row.what == what, row.since <= now - seconds))


def put_back(connection: Connection, seconds: int, now: int) -> None:
    """Adjust the rows after the clock was put back by `seconds`: future moments move back."""
    ahead = update(Attempt).where(Attempt.since > now)
    connection.execute(ahead.values(since=Attempt.since - seconds))
