"""Attendance: what has fallen due is done one thing at a time, and a bug in one stops no other."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, Engine

from pbmserv.database import writing
from pbmserv.errors import TryLater, named


def alone(
    engine: Engine,
    work: Callable[[Connection], None],
    put_off: Callable[[Connection, str], None],
) -> None:
    """Do one thing in a transaction of its own; where a bug of ours undoes it, put it off.

    `put_off` sees to it that it is tried again later, and is told where the bug showed itself.
    """
    try:
        with writing(engine) as connection:
            work(connection)
    except TryLater:
        raise
    except Exception as problem:  # a bug of ours, and no fault of what else is due
        with writing(engine) as connection:
            put_off(connection, named(problem))
