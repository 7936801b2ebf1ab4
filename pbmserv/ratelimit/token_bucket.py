"""Token buckets: how much may happen in a burst and in a day, and when more may happen.

Each name has a token bucket.  A full bucket holds a quarter of a day's tokens.  The other three
quarters flow in evenly during a day.  So no 24 hours hold more than a day's tokens.  A caller that
finds the bucket empty is told when its turn comes, and that turn is reserved.  So one number
describes a bucket: the moment at which it is full again. (This is the virtual scheduling of ITU-T
I.371, annex A.) The uses of the buckets are stated where they are used.

A caller may take more at once than a full bucket holds.  It waits until the bucket has been full
for a while, and leaves it with a debt.  The time for one token is a whole number of milliseconds,
rounded up.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, delete, update

from pbmserv.database.models import Counter
from pbmserv.database.prepared_statements import Prepared
from pbmserv.fast_dataclasses import dataclass, replace
from pbmserv.ratelimit.counters import Counters
from pbmserv.timeunits import DAY

BURST = 4  # a full bucket holds one part in four of a day's tokens
_MILLISECONDS = 1000  # a bucket of many tokens a day needs a finer unit than seconds
_DAY = DAY * _MILLISECONDS
NEVER = 1000 * DAY  # seconds
BUCKET = "bucket"  # the `what` of all buckets' rows; the `who` is a bucket's name
_IS_BUCKET = Counter.what == BUCKET
_FORGET = Prepared(delete(Counter).where(_IS_BUCKET, Counter.count <= bindparam("before")))


@dataclass(frozen=True, slots=True)
class Share:
    """The tokens that something takes out of a bucket with `daily` tokens a day, at least 4.

    If another bucket makes it wait, its `own` bucket gives the tokens when its turn comes.  A
    bucket that others share gives them at once: otherwise everybody would wait.
    """

    name: str
    daily: int
    tokens: int = 1
    own: bool = False


@dataclass(frozen=True, slots=True)
class EarliestTime:
    """When it may happen, in seconds since 1970; `slowest` names the bucket that decided it."""

    at: int
    slowest: str


def turn(
    connection: Connection, shares: Sequence[Share], now: int, patience: int
) -> tuple[EarliestTime, bool]:
    """When it may happen, and whether the tokens were taken.

    They are not taken if the turn is more than `patience` seconds after `now`.  At most a day's
    tokens of a bucket are taken.  Shares of the same bucket are added up.
    """
    counters = Counters(connection)
    found = turn_in(counters, shares, now, patience)
    counters.write()
    return found


def turn_in(
    counters: Counters, shares: Sequence[Share], now: int, patience: int
) -> tuple[EarliestTime, bool]:
    """When it may happen, and whether the tokens were taken, as `turn`.

    The caller writes the counters.
    """
    found, full = _earliest(counters, shares, now)
    if found.at > now + patience:
        return found, False
    for name, full_at in full.items():
        counters.add(BUCKET, name, 0, full_at - counters.rows(BUCKET, name).get(0, 0))
    return found, True


def waiting(connection: Connection, shares: Sequence[Share], now: int) -> int:
    """For how many seconds it would have to wait; takes no tokens.

    Returns NEVER where a share is more than its bucket gives in a day.
    """
    if any(each.tokens > each.daily for each in _summed(shares).values()):
        return NEVER
    return _earliest(Counters(connection), shares, now)[0].at - now


def _earliest(
    counters: Counters, shares: Sequence[Share], now: int
) -> tuple[EarliestTime, dict[str, int]]:
    """When it may happen, and when each bucket would be full again after it."""
    moment = now * _MILLISECONDS
    wanted = _summed(shares)
    counters.load((BUCKET, name) for name in wanted)
    # A new bucket counts as full for a day.
    filling = {name: counters.rows(BUCKET, name).get(0, moment - _DAY) for name in wanted}
    full, ready_at = {}, {}
    for name, each in wanted.items():
        ready = filling[name] + (_taken(each) - each.daily // BURST) * _interval(each)
        ready_at[name] = max(moment, ready)
    slowest = max(ready_at, key=lambda name: ready_at[name])
    for name, each in wanted.items():
        leaves = ready_at[slowest if each.own else name]
        full[name] = max(leaves, filling[name]) + _taken(each) * _interval(each)
    return EarliestTime(-(-ready_at[slowest] // _MILLISECONDS), slowest), full


def _summed(shares: Sequence[Share]) -> dict[str, Share]:
    """The shares by the names of their buckets; shares of the same bucket are added up."""
    wanted: dict[str, Share] = {}
    for each in shares:
        if before := wanted.get(each.name):
            wanted[each.name] = replace(each, tokens=before.tokens + each.tokens)
        else:
            wanted[each.name] = each
    return wanted


def _taken(share: Share) -> int:
    return min(share.tokens, share.daily)


def _interval(share: Share) -> int:
    """The milliseconds for one token, rounded up so that a day never gives too many."""
    return -(-_DAY // (share.daily - share.daily // BURST))


def forget_full(connection: Connection, now: int) -> None:
    """Delete the buckets that have been full for a day: they equal new ones."""
    _FORGET.run(connection, {"before": now * _MILLISECONDS - _DAY})


def put_back(connection: Connection, seconds: int) -> None:
    """Adjust the buckets after the clock was put back by `seconds`: they keep filling evenly."""
    earlier = Counter.count - seconds * _MILLISECONDS
    connection.execute(update(Counter).where(_IS_BUCKET).values(count=earlier))
