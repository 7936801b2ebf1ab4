"""One tick of the clock: runs the jobs that fall due with time, each in its own transaction.

A bug in one job, or over one of its boards, stops no other: that piece is rolled back and tried
again later, and the operator is told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from sqlalchemy import Connection, Engine

from pbmserv.boards import digest, rerolls, tallies
from pbmserv.context import UnitOfWork
from pbmserv.database.engine import reading, writing
from pbmserv.errors import TryLater, describe
from pbmserv.letters.payloads.letter import Letter
from pbmserv.lobby import invitations, matchmaking
from pbmserv.monitoring import operator_alerts
from pbmserv.outbox.transactions import Transactions
from pbmserv.schedule import board_deadlines, outages

PutOff: TypeAlias = Callable[[Connection, str], None]
"""Has something that a bug stopped wait; it is told where the bug showed itself."""


@dataclass(frozen=True, slots=True)
class Job:
    """Something that falls due with time; `about` names it to the operator where a bug stops it.

    `due(connection, now)` finds the boards or players that it is due for, by number, and
    `run(work, number)` does it for one of them.  Without `due`, `run(work)` runs at every tick.
    `put_off(connection, number, why, now)` has one that a bug stopped wait and tells the operator;
    without it the operator is told and the next tick tries again.
    """

    about: str
    run: Callable[..., list[Letter]]
    due: Callable[[Connection, int], Sequence[int]] | None = None
    put_off: Callable[[Connection, int, str, int], None] | None = None


REROLLS = Job(
    "the dice of {} after a restore",
    rerolls.renewed,
    rerolls.waiting,
)
OUTAGES = Job("the deadlines after an outage", outages.caught_up)
INVITATIONS = Job("the invitations", invitations.expire, invitations.due, board_deadlines.put_off)
BOARDS = Job("the deadlines", board_deadlines.attend, board_deadlines.due, board_deadlines.put_off)
LAPSED = Job("the searches that lapse", matchmaking.lapse)
SOUGHT = Job("the boards that players seek", matchmaking.begun)
DIGESTS = Job("the digests", digest.of_player, digest.due, digest.put_off)
OPERATOR = Job("the letter to the operator", operator_alerts.letter)


def run_jobs(transactions: Transactions, now: int) -> int:
    """Do all that is due at a moment; returns how many boards were attended to.

    Until the deadlines could be moved after an outage, none of them counts.
    """
    run = partial(_run, transactions, now)
    run(REROLLS)
    attended = 0
    if run(OUTAGES):
        run(INVITATIONS)
        attended = run(BOARDS)
    for job in (LAPSED, SOUGHT, DIGESTS):
        run(job)
    counting = told_of("the statistics of boards that are over", now)
    engine = transactions.engine
    guarded(engine, lambda: tallies.keep(engine, now), counting)
    run(OPERATOR)
    return attended


def reroll(transactions: Transactions, now: int) -> int:
    """Roll the running round of every board again, after a restore; returns of how many.

    On a board where a bug of ours prevents it nothing is played until a later tick has done it.
    """
    with writing(transactions.engine) as connection:
        rerolls.mark(connection, now)
    return _run(transactions, now, REROLLS)


def _run(transactions: Transactions, now: int, job: Job) -> int:
    """Run a job for all that it is due for; returns for how many no bug stopped it."""
    engine, execute = transactions.engine, transactions.execute
    about = told_of(job.about.format("boards"), now)
    if job.due is None:
        return alone(engine, partial(execute, work=job.run), about)
    numbers: list[int] = []
    guarded(engine, partial(_find, job.due, engine, now, numbers), about)
    done = 0
    for number in numbers:
        run = partial(_run_for, job.run, number)
        done += alone(engine, partial(execute, work=run), _put_off(job, number, now))
    return done


def _find(
    due: Callable[[Connection, int], Sequence[int]], engine: Engine, now: int, found: list[int]
) -> None:
    with reading(engine) as connection:
        found.extend(due(connection, now))


def _run_for(run: Callable[..., list[Letter]], number: int, work: UnitOfWork) -> list[Letter]:
    return run(work, number)


def _put_off(job: Job, number: int, now: int) -> PutOff:
    put_off = job.put_off
    if put_off is None:
        return told_of(job.about.format(f"board {number}"), now)
    return lambda connection, why: put_off(connection, number, why, now)


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
    """What puts off by telling the operator alone: the next tick tries again."""

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
