"""Attendance: what has fallen due is done one thing at a time, and a bug in one stops no other.

Every piece has a transaction of its own.  One that a bug of ours undoes is tried again later, and
the operator hears of it.  What the pieces are stands in `schedule/board_deadlines.py` and the rooms
beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from sqlalchemy import Connection, Engine

from pbmserv.boards import digest, rerolls, tallies
from pbmserv.context import Context
from pbmserv.database.engine import reading, writing
from pbmserv.errors import TryLater, describe
from pbmserv.letters.payloads.letter import Letter
from pbmserv.lobby import invitations, matchmaking
from pbmserv.monitoring import operator_alerts
from pbmserv.schedule import board_deadlines, outages

Work: TypeAlias = Callable[[Context], list[Letter]]
Put: TypeAlias = Callable[[Connection, Work], None]
"""Does some work in a transaction, and writes its letters into the outbox."""
PutOff: TypeAlias = Callable[[Connection, str], None]
"""Sees to it that something is tried again later; it is told where the bug showed itself."""


def look(engine: Engine, now: int, put: Put) -> int:
    """Do all that is due at a moment; returns how many boards were attended to.

    While the deadlines could not be moved after an outage, nothing that has one is looked at.
    """
    found: list[int] = []

    def tried(work: Work, put_off: PutOff) -> bool:
        return alone(engine, lambda connection: put(connection, work), put_off)

    def deadlines() -> None:
        with reading(engine) as connection:
            waiting = invitations.due(connection, now)
            found.extend(board_deadlines.due(connection, now))
        for number in waiting:
            put_off = partial(board_deadlines.put_off, number=number, now=now)
            tried(partial(invitations.expire, number=number), put_off)
        for number in found:
            put_off = partial(board_deadlines.put_off, number=number, now=now)
            tried(partial(board_deadlines.attend, number=number), put_off)

    def digests() -> None:
        with reading(engine) as connection:
            players = digest.due(connection, now)
        for player in players:
            put_off = partial(digest.put_off, player=player, now=now)
            tried(partial(digest.of_player, player=player), put_off)

    renewing = told_of("the dice of boards after a restore", now)
    guarded(engine, lambda: _renew_waiting(engine, now, put), renewing)
    if tried(outages.caught_up, told_of("the deadlines after an outage", now)):
        guarded(engine, deadlines, told_of("the deadlines", now))
    tried(matchmaking.lapse, told_of("the searches that lapse", now))
    tried(matchmaking.begun, told_of("the boards that players seek", now))
    guarded(engine, digests, told_of("the digests", now))
    counting = told_of("the statistics of boards that are over", now)
    guarded(engine, lambda: tallies.keep(engine, now), counting)
    tried(operator_alerts.letter, told_of("the letter to the operator", now))
    return len(found)


def renew(engine: Engine, now: int, put: Put) -> int:
    """Throw the running round of every board anew, after a restore; returns of how many.

    On a board where a bug of ours prevents it nothing is played until a later look has done it.
    """
    with writing(engine) as connection:
        rerolls.mark(connection, now)
    return _renew_waiting(engine, now, put)


def _renew_waiting(engine: Engine, now: int, put: Put) -> int:
    """Throw the void rounds anew; returns how many."""
    with reading(engine) as connection:
        numbers = rerolls.waiting(connection)
    renewed = 0
    for number in numbers:
        work = partial(rerolls.renewed, number=number)
        put_off = told_of(f"the dice of board {number} after a restore", now)
        renewed += alone(engine, partial(_put, put=put, work=work), put_off)
    return renewed


def _put(connection: Connection, put: Put, work: Work) -> None:
    put(connection, work)


def alone(
    engine: Engine,
    work: Callable[[Connection], None],
    put_off: PutOff,
    *,
    durable: bool = True,
) -> bool:
    """Do one thing in a transaction of its own; False where a bug undid it and it was put off."""

    def carry_out() -> None:
        with writing(engine, durable=durable) as connection:
            work(connection)

    return guarded(engine, carry_out, put_off)


def told_of(about: str, now: int) -> PutOff:
    """What puts off by telling the operator alone: the next look at the clock tries again."""

    def put_off(connection: Connection, why: str) -> None:
        operator_alerts.note(connection, "broken", about, why, now)

    return put_off


def guarded(engine: Engine, work: Callable[[], object], put_off: PutOff) -> bool:
    """Do some work; False where a bug stopped it and it was put off."""
    try:
        work()
    except TryLater:
        raise
    except Exception as problem:  # a bug of ours, and no fault of what else is due
        with writing(engine) as connection:
            put_off(connection, describe(problem))
        return False
    return True
