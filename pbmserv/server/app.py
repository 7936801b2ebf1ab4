"""The application: one home with its settings, database, processor and outgoing transport.

Every process that works in a home opens it here.  Locks coordinate the processes.  One for each
role of a server says that it runs, and another says that a process delivers letters.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DataError, DBAPIError

from pbmserv.database import leases, restore_detection
from pbmserv.database.engine import close, writing
from pbmserv.database.installation import open_installation
from pbmserv.errors import Misconfigured, TryLater, describe, raise_if_passing
from pbmserv.file_locks import PAUSE, locked
from pbmserv.home import SENT_JOURNAL_FILE, open_home
from pbmserv.intake.kept_emails.retention import Pause, expire
from pbmserv.intake.password_pool import Late, Unchecked
from pbmserv.intake.processor import Processor
from pbmserv.intake.request import Request
from pbmserv.letters.compiled_templates import COMPILED
from pbmserv.mail.incoming import IncomingMail
from pbmserv.mail.transport import Transport
from pbmserv.monitoring import operator_alerts
from pbmserv.outbox import queue
from pbmserv.outbox.transactions import Transactions
from pbmserv.security.passwords import Passwords
from pbmserv.security.tokens import Tokens
from pbmserv.server import wakeups
from pbmserv.server.chosen_transports import transport_for
from pbmserv.server.roles import INTAKE, SENDING, Role
from pbmserv.settings import Settings

if TYPE_CHECKING:  # a shell command that only reads needs none of them
    from pbmserv.outbox.delivery import LostLetter
    from pbmserv.schedule.beacon_values import Found

SERVING, DELIVERING, FETCHING = "serving.lock", "delivering.lock", "fetching.lock"
RENEWING = "renewing.lock"
ROLE_LOCKS: dict[Role, str] = {INTAKE: SERVING, SENDING: "sending.lock"}
AfterRestore: TypeAlias = Literal["renew", "refuse", "look"]
PATIENCE = 10.0  # seconds to wait for another process
A_LOOK = 1.0  # seconds to wait for processes that only ask who has a lock


def _now() -> int:
    return int(time.time())


@dataclass(frozen=True, slots=True)
class App:
    """The opened home of a process."""

    settings: Settings
    engine: Engine
    processor: Processor
    transport: Transport
    _pause: Pause = field(default_factory=Pause, init=False)

    @property
    def transactions(self) -> Transactions:
        """The transactions for scheduled jobs and for the operator."""
        return self.processor.transactions

    def accept(self, incoming_mails: Sequence[IncomingMail]) -> list[IncomingMail]:
        """Process emails, as `Processor.accept` does; raises Beyond if an email triggers a bug."""
        with _mails_to_blame():
            return self.processor.accept(incoming_mails)

    def take(
        self, incoming_mails: Sequence[IncomingMail], proven: Sequence[Request]
    ) -> list[Unchecked]:
        """Process emails that need no hash, as `Processor.take` does; may raise Beyond."""
        with _mails_to_blame():
            return self.processor.take(incoming_mails, proven)

    def prove(self, unproven: Unchecked, late: Late) -> Request | None:
        """Check the passwords of an email, as `Processor.prove` does; may raise Beyond."""
        with _mails_to_blame():
            return self.processor.prove(unproven, late)

    def refuse_large(self, incoming: IncomingMail) -> None:
        """Record an email larger than the settings allow, as `Processor.refuse_large` does."""
        with _mails_to_blame():
            self.processor.refuse_large(incoming, self.settings.largest_mail)

    def asked_of_beacon(self) -> Found | None:
        """The values of the beacon for which boards wait, if a program of the operator gives them.

        This may take seconds, so it is not for the thread that writes.  Raises TryLater.
        """
        settings = self.settings
        if not (settings.beacon and settings.beacon_command):
            return None
        from pbmserv.schedule import tick  # noqa: PLC0415 - a shell command that only reads needs none

        return tick.asked_of_beacon(self.transactions, self.processor.clock())

    def tick(self, holder: str, found: Found | None = None) -> int:
        """Run the jobs that have fallen due; returns how many boards were handled.

        `holder` names this process: only one process at a time runs the jobs.  `found` is what
        `asked_of_beacon` has returned.
        """
        from pbmserv.schedule import tick, tick_lease  # noqa: PLC0415 - a shell command that only reads needs none

        now = self.processor.clock()
        attended = 0
        if not tick.was_quiet(self.transactions, holder, now):
            with writing(self.engine, durable=False) as connection:
                if not tick_lease.take_lease(connection, holder, now):
                    return 0
            attended = tick.run_jobs(self.transactions, now, found)
        if self._pause.is_over(now):
            put_off = tick.told_of("old emails and letters", now)
            tick.alone(self.engine, self._forget, put_off, durable=False)
        return attended

    def _forget(self, connection: Connection) -> None:
        """Delete a part of the old emails and letters."""
        work = self.transactions.unit_of_work(connection)
        self._pause.found_none = None if expire(work) else work.now

    def tell_of_mailbox(self, about: str, why: str) -> None:
        """Record for the operator that a mailbox failed, if the database is available."""
        with suppress(TryLater, Misconfigured), writing(self.engine, durable=False) as connection:
            operator_alerts.note(connection, "mailbox", about, why, self.processor.clock())

    def work(self) -> None:
        """Carry out the emails that wait, or have the server of this home do it."""
        self.wake(INTAKE)
        if not self.is_served():
            self.processor.work()

    def wake(self, role: Role) -> bool:
        """Tell a role of this home's server of new work; False if none runs."""
        return wakeups.wake(self.settings.home, role)

    def deliver(self, going: Callable[[], bool] = lambda: True) -> int | None:
        """Send all due letters; None if a server of this home, or another process, does it.

        Another process may have checked the outbox before our letters were written: then we wait
        until it ends.  No batch begins after `going()` was false, or the lease was lost.
        """
        until = time.monotonic() + PATIENCE
        while not self.wake(SENDING):
            if not queue.is_due(self.engine, self.processor.clock()):
                return 0
            if (sent := self.send(going)) is not None:
                return sent
            if time.monotonic() > until:
                return None
            time.sleep(PAUSE)
        return None

    def send(self, going: Callable[[], bool] = lambda: True, *, ahead: bool = False) -> int | None:
        """Send all due letters in this process; None if another one does it now.

        `ahead` is for a process that has sent letters before, as `delivery.deliver` says.
        """
        from pbmserv.outbox import delivery  # noqa: PLC0415 - a shell command that only reads needs none

        with self._delivering() as is_mine:
            if not is_mine:
                return None
            return delivery.deliver(
                self.engine,
                self.settings,
                self.processor.tokens,
                self.transport,
                self.processor.clock,
                going=lambda: going() and is_mine(),
                ahead=ahead,
                lost=self._lost,
            )

    def _lost(self, connection: Connection, letters: Sequence[LostLetter]) -> None:
        """Treat letters that could not be delivered like bounces."""
        from pbmserv.deliverability import bounces  # noqa: PLC0415 - a shell command that only reads needs none

        self.transactions.execute(connection, partial(bounces.lost, letters=letters))

    @contextmanager
    def _delivering(self) -> Iterator[Callable[[], bool] | None]:
        """Become the only deliverer of this home and its database; None if another process is it.

        The yielded function says whether that is still true: the connection that holds the lease
        may break.
        """
        with locked(self.settings.home / DELIVERING) as mine:
            if not mine:
                yield None
                return
            with leases.held(self.engine, leases.DELIVERING) as held:
                yield held.is_kept if held else None

    def advance(self) -> None:
        """Record that the database has advanced, so that a restored backup is noticed."""
        restore_detection.advance(self.engine, self.settings.home, durable=False)

    def is_served(self) -> bool:
        """True while a server runs in this home and does the remaining work."""
        return is_served(self.settings.home)


def is_served(home: Path) -> bool:
    """True while a server runs in a home."""
    with locked(home / SERVING, shared=True) as free:
        return not free


@contextmanager
def unserved(home: Path) -> Iterator[bool]:
    """Keep a server from starting in a home while the block runs; False if a part of one runs."""
    with ExitStack() as locks:
        files = (home / each for each in ROLE_LOCKS.values())
        yield all(locks.enter_context(locked(each, patience=A_LOOK)) for each in files)


@contextmanager
def opened(
    home: Path,
    clock: Callable[[], int] = _now,
    *,
    new: bool = False,
    is_there: bool = False,
    after_restore: AfterRestore = "refuse",
) -> Iterator[App]:
    """The App of a home, created on first use; closing it checkpoints the database's log.

    `new` and `is_there` are those of `open_installation`.  `after_restore` applies to a home that
    was restored from a backup.  "renew" first rolls every running round again, and "refuse" refuses
    the home. "look" opens it without this check, if it is there.  Raises Misconfigured.
    """
    settings = open_home(home)
    COMPILED.home = settings.home
    engine, key = open_installation(settings, new=new, is_there=is_there or after_restore == "look")
    with ExitStack() as at_end:
        at_end.callback(close, engine)
        if after_restore != "look":
            restore_detection.begin(engine, home)
            _after_restore(settings, engine, key, clock, renews=after_restore == "renew")
            at_end.callback(_advance_unless_served, engine, home)
        transport = at_end.enter_context(closing(transport_for(settings)))
        tokens = Tokens(key, restore_detection.restores(engine))
        processor = Processor(engine, tokens, Passwords(), settings, clock)
        at_end.enter_context(closing(processor.crashing))
        yield App(settings, engine, processor, transport)


def _advance_unless_served(engine: Engine, home: Path) -> None:
    """Record that the database has advanced, as a running server does by itself."""
    if not is_served(home):
        with suppress(TryLater, Misconfigured):
            restore_detection.advance(engine, home, durable=True)


def renewed(home: Path, clock: Callable[[], int] = _now) -> int:
    """Roll every running round of a home again, as after a restore; returns their number.

    Raises TryLater if a server of any home works on the database.
    """
    settings = open_home(home)
    engine, key = open_installation(settings)
    try:
        with leases.alone(engine, A_LOOK):
            return _renewed(settings, engine, key, clock)
    finally:
        close(engine)


def _after_restore(
    settings: Settings, engine: Engine, key: bytes, clock: Callable[[], int], *, renews: bool
) -> None:
    home = settings.home
    if not restore_detection.is_put_back(engine, home):
        return
    if not renews:
        what = "start the server, or type: pbmserv restored"
        raise Misconfigured(f"{home}: was restored from a backup; {what}")
    # If two processes do this at once, the second finds it done, also by `renewed`.  A server of
    # another home would not notice the restore.
    with locked(home / RENEWING, patience=PATIENCE) as mine:
        if not mine:
            raise TryLater(f"{home}: another process handles its restored backup")
        if restore_detection.is_put_back(engine, home):
            with leases.alone(engine, PATIENCE):
                if restore_detection.is_put_back(engine, home):
                    _refuse_beside_a_listener(settings)
                    _renewed(settings, engine, key, clock)


def _refuse_beside_a_listener(settings: Settings) -> None:
    """Raise Misconfigured where a program listens: the server of the moved home may still run.

    It would go on with the old games, while the dice of the restored ones are rolled again.
    """
    from pbmserv.transports.endpoint import is_taken  # noqa: PLC0415 - only after a restore

    for where in filter(is_taken, (settings.smtp, settings.lmtp)):
        what = f"was restored from a backup, and a program already listens on {where}"
        raise Misconfigured(f"{settings.home}: {what}; end it, perhaps another pbmserv serve")


def _renewed(settings: Settings, engine: Engine, key: bytes, clock: Callable[[], int]) -> int:
    from pbmserv.schedule import tick  # noqa: PLC0415 - a shell command that only reads needs none

    (settings.home / SENT_JOURNAL_FILE).unlink(missing_ok=True)  # its letters are lost
    restore_detection.note_restore(engine, clock())
    tokens = Tokens(key, restore_detection.restores(engine))
    transactions = Transactions(engine, tokens, settings, clock)
    count = tick.reroll(transactions, clock())
    restore_detection.go_on(engine, settings.home)
    return count


@contextmanager
def _mails_to_blame() -> Iterator[None]:
    """Turn every exception into Beyond, except those of the database."""
    try:
        yield
    except Misconfigured:
        raise
    except Exception as problem:
        raise_if_passing(problem)
        from pbmserv.transports.mailbox_poller import Beyond  # noqa: PLC0415 - a shell command that only reads needs none

        is_of_database = isinstance(problem, DBAPIError) and not isinstance(problem, DataError)
        raise (TryLater if is_of_database else Beyond)(describe(problem)) from None
