"""One tick: runs the scheduled jobs, each in its own transaction.

A bug in one job, or with one of its boards, does not stop the others.  The failed part is rolled
back and tried again later, and the operator is alerted.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from sqlalchemy import Connection, Engine, bindparam, or_, select, update
from sqlalchemy.sql.selectable import SelectBase

from pbmserv.boards import beacon, daily_digest, rerolls, tallies
from pbmserv.context import UnitOfWork
from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.database.prepared_statements import Prepared
from pbmserv.errors import describe, raise_if_passing
from pbmserv.fast_dataclasses import dataclass, replace
from pbmserv.games.perudo.beacon import emitted_at
from pbmserv.letters.payloads.letter import Letter
from pbmserv.lobby import invitations, matchmaking
from pbmserv.monitoring import operator_alerts
from pbmserv.monitoring.operator_alerts import may_be_sent
from pbmserv.outbox.transactions import Transactions
from pbmserv.schedule import beacon_values, outages, overdue_boards
from pbmserv.schedule.beacon_values import Found
from pbmserv.schedule.tick_lease import LEASE, is_held_by_another
from pbmserv.timeunits import HOUR

logger = logging.getLogger(__name__)
BEACON_LATE = HOUR  # until the operator is told that a value of the beacon is missing
PutOff: TypeAlias = Callable[[Connection, str], None]
"""Postpones a part that failed because of a bug; its second argument is the place of the bug."""


@dataclass(frozen=True, slots=True)
class Job:
    """A scheduled job; `about` names it in alerts to the operator.

    `waiting` finds anything for which it has to run; `was_quiet` asks for it.  It is None for two
    jobs, whose rows are not enough: `was_quiet` asks for them in its own way.
    `due(connection, now)` finds the ids of boards or players for which it is due.  `run(work,
    number)` does it for one of them.  Without `due`, `run(work)` runs at every tick.
    `put_off(connection, number, why, now)` postpones one that failed because of a bug, and alerts
    the operator.  Without it the operator is alerted, and the next tick tries again.  A job that
    can be repeated after a power failure need not be `is_durable`.  One that `has_deadlines` does
    not run until these were moved after an outage.
    """

    about: str
    run: Callable[..., list[Letter]]
    waiting: SelectBase | None
    due: Callable[[Connection, int], Sequence[int]] | None = None
    put_off: Callable[[Connection, int, str, int], None] | None = None
    is_durable: bool = True
    has_deadlines: bool = False


OUTAGES = Job("the deadlines after an outage", outages.catch_up, None)
REROLLS = Job("the dice of {} after a restore", rerolls.reroll, rerolls.WAITING, rerolls.waiting)
CUPS = Job(
    "the cups of {}", beacon.open_cups, beacon.DUE_BOARDS
)  # with the values: see `_open_cups`
INVITATIONS = Job(
    "the invitations",
    invitations.expire,
    invitations.DUE_BOARDS,
    invitations.due,
    overdue_boards.put_off,
    has_deadlines=True,
)
BOARDS = Job(
    "the deadlines",
    overdue_boards.attend,
    overdue_boards.DUE_BOARDS,
    overdue_boards.due,
    overdue_boards.put_off,
    has_deadlines=True,
)
LAPSED = Job("the searches that lapse", matchmaking.lapse, matchmaking.LAPSED, has_deadlines=True)
SOUGHT = Job("the boards that players seek", matchmaking.begun, matchmaking.FULL)
DIGESTS = Job(
    "the digests",
    daily_digest.of_player,
    daily_digest.HELD_BACK,
    daily_digest.due,
    daily_digest.put_off,
)
TALLIES = Job(
    "the statistics of {}",
    tallies.keep,
    tallies.WAITING,
    tallies.due,
    tallies.put_off,
    is_durable=False,
)
OPERATOR = Job("the letter to the operator", operator_alerts.letter, None)
JOBS = (
    *(OUTAGES, REROLLS, CUPS, INVITATIONS, BOARDS, LAPSED),
    *(SOUGHT, DIGESTS, TALLIES, OPERATOR),
)
"""All jobs, in their order."""

_STATE = select(
    models.Tick,
    or_(*(job.waiting.exists() for job in JOBS if job.waiting is not None)).label("is_due"),
    operator_alerts.UNTOLD.exists().label("has_incidents"),
)
_QUIET = Prepared(
    update(models.Tick).values(
        ticked_at=bindparam("now"), holder=bindparam("by"), held_until=bindparam("until")
    )
)


def was_quiet(transactions: Transactions, holder: str, now: int) -> bool:
    """Take a tick at which nothing is due, as nearly all are: three statements in all.

    Returns False, and changes nothing, where a job may have work, and after an outage.  It also
    does so where another process has the lease.  If a bug hides what is due, it does so, too, and
    that job tells the operator.
    """
    try:
        with writing(transactions.engine, durable=False) as connection:
            opened = beacon.opened_by(transactions.settings, now)
            row = connection.execute(_STATE, {"now": now, "opened": opened}).first()
            if (
                row is None
                or row.is_due
                or not 0 <= now - row.ticked_at <= outages.OUTAGE
                or is_held_by_another(row, holder, now)
                or daily_digest.of_this_morning(connection, now)
                or (row.has_incidents and may_be_sent(connection, transactions.settings, now))
            ):
                return False
            _QUIET.run(connection, {"by": holder, "until": now + LEASE, "now": now})
            return True
    except Exception as problem:  # the job itself meets it, and tells the operator
        raise_if_passing(problem)
        return False


def asked_of_beacon(transactions: Transactions, now: int) -> Found:
    """The values for which boards wait.  The operator's program may take seconds to print them."""
    with reading(transactions.engine) as connection:
        waiting = beacon.due(connection, beacon.opened_by(transactions.settings, now))
    return beacon_values.found(transactions.settings, set(waiting.values()))


def run_jobs(transactions: Transactions, now: int, found: Found | None = None) -> int:
    """Run all jobs that are due at a moment; returns for how many boards a deadline was due.

    `found` are the values of the beacon; without them they are asked for here.  If deadlines cannot
    be moved after an outage, the jobs for deadlines do not run.
    """
    done: dict[str, list[bool]] = {}
    for job in JOBS:
        if job.has_deadlines and not all(done[OUTAGES.about]):
            continue
        if job is CUPS:
            about = told_of("the cups that wait for the beacon", now)
            _guarded(transactions.engine, partial(_open_cups, transactions, now, found), about)
        else:
            done[job.about] = _run(transactions, now, job)
    return len(done.get(BOARDS.about, ()))


def _open_cups(transactions: Transactions, now: int, found: Found | None) -> None:
    """Open the cups that wait for a value of the beacon, if it is there.

    If it is missing for `BEACON_LATE`, the operator is alerted.
    """
    with reading(transactions.engine) as connection:
        waiting = beacon.due(connection, beacon.opened_by(transactions.settings, now))
    if not waiting:
        return
    if found is None:
        found = beacon_values.found(transactions.settings, set(waiting.values()))
    values, why = found
    ready = [number for number, awaited in waiting.items() if awaited in values]
    opened = partial(beacon.open_cups, values)
    _run(transactions, now, replace(CUPS, run=opened, due=lambda connection, now: ready))
    missing = min(waiting.values() - values.keys(), default=None)
    if missing is not None and emitted_at(missing) <= now - BEACON_LATE:
        with writing(transactions.engine) as connection:
            about = f"boards wait for round {missing} of drand"
            operator_alerts.note(connection, "broken", about, why, now)


def reroll(transactions: Transactions, now: int) -> int:
    """Roll the running round of every board again, after a restore; returns how many were rolled.

    A board that fails because of a bug accepts no move until a later tick has rolled its round
    again.
    """
    with writing(transactions.engine) as connection:
        rerolls.mark(connection, now, transactions.seed)
    return sum(_run(transactions, now, REROLLS))


def _run(transactions: Transactions, now: int, job: Job) -> list[bool]:
    """Run a job for everything that it is due for; returns for each whether it succeeded.

    A bug in `due` or `put_off` stops this job only.
    """
    engine = transactions.engine
    about = told_of(job.about.format("boards"), now)
    if job.due is None:
        return [alone(engine, partial(transactions.execute, work=job.run), about)]
    done: list[bool] = []
    _guarded(engine, partial(_run_due, transactions, now, job, job.due, done), about)
    return done


def _run_due(
    transactions: Transactions,
    now: int,
    job: Job,
    due: Callable[[Connection, int], Sequence[int]],
    done: list[bool],
) -> None:
    with reading(transactions.engine) as connection:
        numbers = due(connection, now)
    for number in numbers:
        work = partial(transactions.execute, work=partial(_run_for, job.run, number))
        put_off = _put_off(job, number, now)
        done.append(alone(transactions.engine, work, put_off, durable=job.is_durable))


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
    """Run a function in a transaction of its own; returns False if a bug rolled it back.

    `put_off` is then called.
    """

    def carry_out() -> None:
        with writing(engine, durable=durable) as connection:
            work(connection)

    return _guarded(engine, carry_out, put_off)


def told_of(about: str, now: int) -> PutOff:
    """A function that postpones by alerting the operator only: the next tick tries again."""

    def put_off(connection: Connection, why: str) -> None:
        operator_alerts.note(connection, "broken", about, why, now)

    return put_off


def _guarded(engine: Engine, work: Callable[[], object], put_off: PutOff) -> bool:
    """Call a function; returns False if a bug stopped it and `put_off` was called."""
    try:
        work()
    except Exception as problem:  # a bug of ours must not stop the other jobs
        raise_if_passing(problem)
        logger.error("a job of the clock: %s", describe(problem))  # the alert has its beginning
        with writing(engine) as connection:
            put_off(connection, describe(problem))
        return False
    return True
