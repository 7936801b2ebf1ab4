"""The lease of the tick: only one process at a time runs the jobs of the clock."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, bindparam, func, insert, select, update

from pbmserv.database import models

LEASE = 120  # seconds that one process has the tick to itself
# Built once, because each tick runs them.
_HELD = select(models.Tick)
_TAKEN = update(models.Tick).values(holder=bindparam("by"), held_until=bindparam("until"))


def is_held_by_another(row: Any, holder: str, now: int) -> bool:
    """Whether a row of `ticks` says that a process other than `holder` has the lease."""
    # A lease longer than LEASE is from before the system clock was set back.
    return bool(row.holder != holder and now < row.held_until <= now + LEASE)


def take_lease(connection: Connection, holder: str, now: int) -> bool:
    """Take or renew the lease of the tick; False if another process has it."""
    row = connection.execute(_HELD).first()
    if row is None:
        # Before the first tick the clocks count up to the latest move.
        latest = connection.execute(select(func.max(models.Board.moved_at))).scalar() or now
        values = {"id": 1, "ticked_at": latest, "holder": holder, "held_until": now + LEASE}
        connection.execute(insert(models.Tick).values(values))
        return True
    if is_held_by_another(row, holder, now):
        return False
    connection.execute(_TAKEN, {"by": holder, "until": now + LEASE})
    return True
