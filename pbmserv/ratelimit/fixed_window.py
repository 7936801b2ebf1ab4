"""Count how often something happened in a span of time, and compare it with a limit.

Failed passwords, letters to strangers and the like are counted, with the moment of each.  The span
ends now, so no 24 hours hold more than one day's limit.  A `what` and a `who` have at most as many
rows as may happen in their span.  A span is at most one day, except for each `what` in LONG.  For
these, only the span in LONG is allowed.  The limits themselves are stated where they are used.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from sqlalchemy import Connection, and_, bindparam, delete, or_, select

from pbmserv.database.models import Counter
from pbmserv.database.prepared_statements import Prepared
from pbmserv.fast_dataclasses import dataclass
from pbmserv.ratelimit.counters import Counters
from pbmserv.ratelimit.token_bucket import BUCKET
from pbmserv.timeunits import DAY

# Kinds that are counted for longer than a day, and for how many seconds.  Their `who` must not
# contain an email address.
LONG = {
    "proof": 10 * 365 * DAY,
    "deaths": 30 * DAY,
    "button": 32 * DAY,
    "below mark": 366 * DAY,
    "below mark of a week": 7 * DAY,
    "language": 14 * DAY,
    "moment of offer": 3 * 366 * DAY,  # for longer than a board waits for a move
}
_FORGET = Prepared(
    delete(Counter).where(Counter.what == bindparam("kind"), Counter.since <= bindparam("begin"))
)


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
    _FORGET.run(connection, {"kind": what, "begin": now - seconds})
    counters = Counters(connection)
    counters.add(what, who, now, times)
    counters.write()


def room(connection: Connection, quotas: Sequence[Quota], seconds: int, now: int) -> list[int]:
    """How often each of these may still happen now, asked in one statement.

    `seconds` is the length of all the spans; `times` is not used.
    """
    return room_in(Counters(connection), quotas, seconds, now)


def room_in(counters: Counters, quotas: Sequence[Quota], seconds: int, now: int) -> list[int]:
    """How often each of these may still happen now, as `room`."""
    for each in quotas:
        _check_span(each.what, seconds)
    counters.load((each.what, each.who) for each in quotas)
    found = []
    for each in quotas:
        rows = counters.rows(each.what, each.who).items()
        found.append(each.most - sum(times for since, times in rows if since > now - seconds))
    return found


def again_at(counters: Counters, quota: Quota, seconds: int, now: int) -> int:
    """When this may happen once more; `now` if it may happen at once."""
    rows = counters.rows(quota.what, quota.who)
    counted = sorted(since for since in rows if since > now - seconds)
    left, moment = quota.most - sum(rows[since] for since in counted), now
    for since in counted:
        if left > 0:
            break
        left, moment = left + rows[since], since + seconds
    return moment


def count(connection: Connection, quotas: Sequence[Quota], seconds: int, now: int) -> None:
    """Count what happens now, and delete what is older than the span for the same quotas."""
    counters = Counters(connection)
    count_in(counters, quotas, seconds, now)
    counters.write()


def count_in(counters: Counters, quotas: Sequence[Quota], seconds: int, now: int) -> None:
    """Count what happens now, as `count`; the caller writes the counters."""
    for each in quotas:
        _check_span(each.what, seconds)
    counters.load((each.what, each.who) for each in quotas)
    for each in quotas:
        if each.times:
            counters.drop(each.what, each.who, now - seconds)
            counters.add(each.what, each.who, now, each.times)


def _check_span(what: str, seconds: int) -> None:
    """Raise ValueError for a span that `forget` would delete too early or too late."""
    long = LONG.get(what)
    if (long is None and seconds > DAY) or long not in (None, seconds):
        raise ValueError(f"{what}: {seconds} s is not its span: see fixed_window.LONG")


def forget(connection: Connection, now: int) -> None:
    """Delete every row whose span is over, also for a `who` that never returns."""
    _forget_others(*sorted({*LONG, BUCKET})).run(connection, {"begin": now - DAY})
    ends = [{"kind": what, "begin": now - seconds} for what, seconds in LONG.items()]
    _FORGET.run(connection, *ends)


@cache
def _forget_others(*kinds: str) -> Prepared:
    """Delete the old rows of all kinds but these."""
    row, edges = Counter, ["", *kinds]
    # Ranges use the index; != does not, and some kinds have very many long-lived rows.
    ranges = [and_(row.what > low, row.what < high) for low, high in pairwise(edges)]
    old = row.since <= bindparam("begin")
    return Prepared(delete(row).where(old, or_(*ranges, row.what > edges[-1])))


def put_back(connection: Connection, seconds: int, now: int) -> None:
    """Adjust the rows after the clock was put back by `seconds`: future moments move back."""
    row, counters = Counter, Counters(connection)
    ahead = connection.execute(
        select(row.what, row.who, row.since, row.count).where(row.since > now)
    ).all()
    connection.execute(delete(row).where(row.since > now))
    for what, who, since, times in ahead:  # another row may have the earlier moment
        counters.add(what, who, since - seconds, times)
    counters.write()
