"""Budgets: how much of something may happen, in bursts and in a day, and when the next may.

Each name has a token bucket.  A full one holds a quarter of a day's tokens, and a day's tokens
flow in evenly.  Whoever finds it empty is not sent away but told when his turn will be, and that
turn is his.  So one number says all of a bucket: the moment at which it will be full again (the
virtual scheduling of ITU-T I.371, annex A).  What the budgets are for is said where they are used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select, update

from pbmserv.models import Bucket
from pbmserv.terms import DAY

BURST = 4  # a full bucket holds this part of a day's tokens
_MILLISECONDS = 1000  # a bucket of many tokens a day is finer than seconds
_LONGEST_NAME = 320


@dataclass(frozen=True, slots=True)
class Turn:
    """When it may happen, in seconds since 1970; `slowest` names the bucket that decided it."""

    at: int
    slowest: str


def turn(
    connection: Connection, daily: Mapping[str, int], now: int, patience: int, tokens: int = 1
) -> Turn | None:
    """Take tokens from every bucket; None, and none taken, where that would wait too long.

    `daily` says for each bucket how many tokens flow in a day, at least four; `patience` is how
    many seconds from `now` the turn may be away.  No more `tokens` are taken than a bucket holds.
    """
    moment = now * _MILLISECONDS
    daily = {name[:_LONGEST_NAME]: flow for name, flow in daily.items()}
    forget_full(connection, now)
    query = select(Bucket.name, Bucket.full_at).where(Bucket.name.in_(daily))
    filling = {row.name: row.full_at for row in connection.execute(query)}
    full, turns = {}, {}
    for name, flow in daily.items():
        pause = DAY * _MILLISECONDS // flow
        most = flow // BURST
        full[name] = filling.get(name, moment) + pause * min(tokens, most)
        turns[name] = full[name] - pause * most
    slowest = max(turns, key=lambda name: turns[name])
    at = max(now, -(-turns[slowest] // _MILLISECONDS))
    if at > now + patience:
        return None
    for name, full_at in full.items():
        if name in filling:
            connection.execute(update(Bucket).where(Bucket.name == name).values(full_at=full_at))
        else:
            connection.execute(insert(Bucket).values(name=name, full_at=full_at))
    return Turn(at, slowest)


def forget_full(connection: Connection, now: int) -> None:
    """Forget the buckets that are full again: they are as good as new."""
    connection.execute(delete(Bucket).where(Bucket.full_at <= now * _MILLISECONDS))


def put_back(connection: Connection, seconds: int) -> None:
    """The clock was put back by so many seconds: the buckets fill up as if it had not been."""
    earlier = Bucket.full_at - seconds * _MILLISECONDS
    connection.execute(update(Bucket).values(full_at=earlier))
