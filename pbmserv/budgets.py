"""Budgets: how much of something may happen, in bursts and in a day, and when the next may.

Each name has a token bucket.  A full one holds a quarter of a day's tokens, and a day's tokens
flow in evenly.  Whoever finds it empty is not sent away but told when his turn will be, and that
turn is his.  So one number says all of a bucket: the moment at which it will be full again (the
virtual scheduling of ITU-T I.371, annex A).  What the budgets are for is said where they are used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from sqlalchemy import Connection, Executable, delete, select, update

from pbmserv.models import Bucket
from pbmserv.terms import DAY

BURST = 4  # a full bucket holds this part of a day's tokens
_MILLISECONDS = 1000  # a bucket of many tokens a day is finer than seconds
_DAY = DAY * _MILLISECONDS
_LONGEST_NAME = 320


@dataclass(frozen=True, slots=True)
class Share:
    """What something takes out of a bucket, into which `daily` tokens flow in a day, at least 4."""

    name: str
    daily: int
    tokens: int = 1


@dataclass(frozen=True, slots=True)
class Turn:
    """When it may happen, in seconds since 1970; `slowest` names the bucket that decided it."""

    at: int
    slowest: str


def turn(
    connection: Connection, shares: Sequence[Share], now: int, patience: int
) -> tuple[Turn, bool]:
    """When it may happen, and whether the tokens were taken: not where that is too long to wait.

    `patience` is how many seconds from `now` the turn may be away.  No more tokens are taken than
    a bucket holds.  Shares of the same bucket are added up.
    """
    found, full = _turn(connection, shares, now)
    if found.at > now + patience:
        return found, False
    rows = [{"name": name, "full_at": full_at} for name, full_at in full.items()]
    connection.execute(_fill(connection.dialect.name), rows)
    return found, True


def waiting(connection: Connection, shares: Sequence[Share], now: int) -> int:
    """For how many seconds it would have to wait; nothing is taken."""
    return _turn(connection, shares, now)[0].at - now


def _turn(connection: Connection, shares: Sequence[Share], now: int) -> tuple[Turn, dict[str, int]]:
    """When it may happen, and when each bucket would be full again after it."""
    moment = now * _MILLISECONDS
    wanted: dict[str, Share] = {}
    for each in shares:
        name = each.name[:_LONGEST_NAME]
        before = wanted[name].tokens if name in wanted else 0
        wanted[name] = Share(name, each.daily, before + each.tokens)
    query = select(Bucket.name, Bucket.full_at).where(Bucket.name.in_(wanted))
    filling = {row.name: max(row.full_at, moment) for row in connection.execute(query)}
    full, turns = {}, {}
    for name, each in wanted.items():
        most = each.daily // BURST
        full[name] = filling.get(name, moment) + _DAY * min(each.tokens, most) // each.daily
        turns[name] = full[name] - _DAY * most // each.daily
    slowest = max(turns, key=lambda name: turns[name])
    return Turn(max(now, -(-turns[slowest] // _MILLISECONDS)), slowest), full


@cache
def _fill(dialect: str) -> Executable:
    """The statement is the same on SQLite and PostgreSQL, but SQLAlchemy has a class for each."""
    insert = import_module(f"sqlalchemy.dialects.{dialect}").insert(Bucket)
    fill: Executable = insert.on_conflict_do_update(
        index_elements=[Bucket.name], set_={"full_at": insert.excluded.full_at}
    )
    return fill


def forget_full(connection: Connection, now: int) -> None:
    """Forget the buckets that are full again: they are as good as new."""
    connection.execute(delete(Bucket).where(Bucket.full_at <= now * _MILLISECONDS))


def put_back(connection: Connection, seconds: int) -> None:
    """The clock was put back by so many seconds: the buckets fill up as if it had not been."""
    earlier = Bucket.full_at - seconds * _MILLISECONDS
    connection.execute(update(Bucket).values(full_at=earlier))
