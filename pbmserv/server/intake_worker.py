"""The process of a server that takes email: it listens and processes emails in batches.

All waiting emails share one transaction, and each sender gets 250 after the commit.  One thread
processes emails.  Further threads check passwords (`intake/password_pool.py`).  Another process
sends the letters (`sending_worker.py`), so that a slow relay delays no move.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

from pbmserv.database.engine import checkpoint
from pbmserv.database.leases import Lease
from pbmserv.errors import Misconfigured, TryLater, describe
from pbmserv.intake.password_pool import LATER, PasswordCheckPostponed, PasswordPool, Unchecked
from pbmserv.intake.processor import BATCH
from pbmserv.intake.request import Request
from pbmserv.mail.incoming import HEARING, IncomingMail
from pbmserv.schedule.beacon_values import Found
from pbmserv.server import wakeups
from pbmserv.server.app import App
from pbmserv.server.chosen_transports import mailboxes_for
from pbmserv.server.roles import SENDING
from pbmserv.server.shell_socket import ShellSocket
from pbmserv.transports.endpoint import why_believed_nowhere
from pbmserv.transports.listener import listen
from pbmserv.transports.lmtp_in import LmtpIn
from pbmserv.transports.mailbox_poller import Beyond, MailboxPoller, Receiver
from pbmserv.transports.smtp_in import SmtpIn

GATHERING = 0.004  # seconds that an email waits for others to share its commit, if others come
TICK = 30.0  # seconds between runs of the scheduler
GRACE = 4.0  # seconds that connections and mailbox pollers have to finish after SIGTERM
LOOK = 5.0  # seconds between checks for emails from the pipe, where nobody tells of them
REHEARSED = IncomingMail(b"From: ann@example.org\r\nSubject: help\r\n\r\n", None, "", "smtp")
logger = logging.getLogger(__name__)

Arrival = IncomingMail | Request  # a request waits with its passwords checked
Waiting = tuple[Arrival, "asyncio.Future[None]"]
Close = Callable[[], Awaitable[None]]


class IntakeWorker:
    """One process that takes email in one home.

    `woken` is the end of a named pipe, at which other processes tell of emails that they stored.
    """

    def __init__(
        self, app: App, lease: Lease, shells: ShellSocket | None = None, woken: int | None = None
    ) -> None:
        self._app = app
        self._woken = woken
        self._shells = shells
        self._lease = lease
        self._lost: TryLater | Misconfigured | None = None
        self._arrived: asyncio.Queue[Waiting] = asyncio.Queue()
        self._left_work = asyncio.Event()
        self._stopping = asyncio.Event()
        self._worker = ThreadPoolExecutor(1, "processor")
        self._asking = ThreadPoolExecutor(1, "beacon")
        self._hashing = PasswordPool(app.prove)
        self._proving: set[asyncio.Task[None]] = set()
        self._name = f"{socket.gethostname()} {os.getpid()}"

    async def run(
        self, started: Callable[[str], None], ready: Callable[[], None] = lambda: None
    ) -> None:
        """Serve until SIGTERM; raises TryLater or Misconfigured when `Lease.check` does.

        `started` receives every address that listens; `ready` is called when all of them do.  A bug
        that ends a part of the work ends all of it, and is raised: without that part a server would
        listen and do nothing.  So the supervisor starts another one.  Several bugs are raised as an
        ExceptionGroup.
        """
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, self._stopping.set)
        closers: list[Close] = []
        try:
            await loop.run_in_executor(self._worker, self._rehearse)
            await self._open_transports(closers, started)
            if self._woken is not None:
                loop.add_reader(self._woken, self._hear, self._woken)
            work = [
                asyncio.create_task(each)
                for each in (
                    self._take_in(),
                    self._do_left_work(),
                    self._watch_the_clock(),
                    self._keep_the_lease(),
                    self._until_stopped(),
                )
            ]
            ready()
            await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
        finally:
            # All at once: a listener that waits for a slow caller must not keep another one open.
            await asyncio.gather(*(close() for close in closers))
        for task in work:
            task.cancel()
        ended = await asyncio.gather(*work, return_exceptions=True)
        self._hashing.close()
        self._asking.shutdown()
        self._worker.shutdown()
        self._raise([each for each in ended if isinstance(each, Exception)])

    def _raise(self, bugs: Sequence[Exception]) -> None:
        """Log the bugs that ended the server, and raise them or what `Lease.check` raised."""
        for each in bugs:
            logger.error("a part of the server failed: %s", describe(each))
        if problem := self._lost or _together(bugs):
            raise problem

    async def accept(self, mail: Arrival) -> None:
        """Hand over one email; returns when it is stored, raises TryLater if it cannot be."""
        safe: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._arrived.put_nowait((mail, safe))
        await safe

    async def _open_transports(self, closers: list[Close], started: Callable[[str], None]) -> None:
        settings = self._app.settings
        if why := why_believed_nowhere(settings):
            logger.warning("authserv_id proves no sender: %s; see pbmserv doctor", why)
        for name, where, protocol in (
            ("SMTP", settings.smtp, SmtpIn),
            ("LMTP", settings.lmtp, LmtpIn),
        ):
            if where:
                listener = await listen(
                    protocol,
                    where,
                    address=settings.address,
                    largest_mail=settings.largest_mail,
                    accept=self.accept,
                    group=settings.lmtp_group,
                )
                closers.append(partial(listener.close, GRACE))
                started(f"{name} on {listener.address}")
        receiver = self._receiver()
        for mailbox in mailboxes_for(settings):
            collector = MailboxPoller(mailbox, receiver)
            closers.append(partial(asyncio.to_thread, collector.stop, GRACE))
            collector.start()
            started(f"collecting from {mailbox.name}")
        if self._shells:
            closers.append(partial(self._shells.close, GRACE))
            await self._shells.open()

    def _rehearse(self) -> None:
        """Parse a test email, so that the first real one need not wait for imports."""
        self._app.processor.request_reader.open(REHEARSED, 0)

    def _receiver(self) -> Receiver:
        """The functions that the mailbox pollers' threads call."""
        loop, settings = asyncio.get_running_loop(), self._app.settings

        def accept(incoming_mails: Sequence[IncomingMail]) -> list[IncomingMail]:
            return asyncio.run_coroutine_threadsafe(self._accept_all(incoming_mails), loop).result()

        def refuse(incoming: IncomingMail) -> None:
            self._worker.submit(self._app.refuse_large, incoming).result()
            self._app.wake(SENDING)

        def tell(about: str, why: str) -> None:
            self._worker.submit(self._app.tell_of_mailbox, about, why)

        return Receiver(settings.address, settings.largest_mail, accept, refuse, tell)

    async def _accept_all(self, incoming_mails: Sequence[IncomingMail]) -> list[IncomingMail]:
        """Hand over emails; returns those that must come again, with unchecked passwords.

        Raises the exception of any other one.
        """
        became = await asyncio.gather(*map(self.accept, incoming_mails), return_exceptions=True)
        for problem in became:
            if problem is not None and not isinstance(problem, PasswordCheckPostponed):
                raise problem
        return [each for each, problem in zip(incoming_mails, became, strict=True) if problem]

    async def _take_in(self) -> None:
        """Process all waiting emails in one transaction."""
        batch: list[Waiting] = []
        while True:
            first = await self._arrived.get()
            # Where emails come one by one, none waits.
            await asyncio.sleep(GATHERING if len(batch) > 1 else 0)
            batch = [first]
            while len(batch) < BATCH and not self._arrived.empty():
                batch.append(self._arrived.get_nowait())
            await self._settle(batch)

    async def _settle(self, batch: list[Waiting]) -> None:
        """Process a batch, and give every transport its result; closed connections get none.

        An email that fails does not delay the others.
        """
        incoming_mails = [each for each, _ in batch if isinstance(each, IncomingMail)]
        proven = [each for each, _ in batch if isinstance(each, Request)]
        try:
            unproven = await asyncio.get_running_loop().run_in_executor(
                self._worker, self._take, incoming_mails, proven
            )
        except Exception as raised:
            if isinstance(raised, Beyond) and len(batch) > 1:
                for each in batch:
                    await self._settle([each])
                return
            _refuse([safe for _, safe in batch], raised)
            return
        self._have_proven(batch, unproven)

    def _take(
        self, incoming_mails: Sequence[IncomingMail], proven: Sequence[Request]
    ) -> list[Unchecked]:
        """Process emails, and tell the sending worker of letters as soon as these are stored.

        Raises Misconfigured if the home was moved: an email would be stored where nobody looks.
        """
        self._lease.check_place()
        try:
            return self._app.take(incoming_mails, proven)
        finally:
            self._app.wake(SENDING)

    def _have_proven(self, batch: list[Waiting], unproven: Sequence[Unchecked]) -> None:
        """Answer for the stored emails, and have the passwords of the others checked."""
        hearing: dict[object, list[asyncio.Future[None]]] = {}
        for mail, safe in batch:
            hearing.setdefault(mail.words if isinstance(mail, IncomingMail) else None, []).append(
                safe
            )
        for each in unproven:
            task = asyncio.create_task(self._prove(each, hearing.pop(each.request.incoming.words)))
            self._proving.add(task)
            task.add_done_callback(self._proving.discard)
        _tell([safe for heard in hearing.values() for safe in heard], None)

    async def _prove(self, unproven: Unchecked, hearing: list[asyncio.Future[None]]) -> None:
        """Check the passwords of an email in parallel, then hand it over again."""

        def late() -> None:
            if unproven.request.incoming.transport in HEARING:
                _refuse(hearing, PasswordCheckPostponed(LATER))

        try:
            request = await self._hashing.proven(unproven, late)
        except Exception as raised:
            _refuse(hearing, raised)
        else:
            try:
                if request:
                    await self.accept(request)
            except TryLater as logged:
                _tell(hearing, logged)
            else:
                _tell(hearing, None)
        self._app.wake(SENDING)  # a bug has led to a letter, too

    def _hear(self, woken: int) -> None:
        """Another process has stored an email."""
        wakeups.heard(woken)
        self._left_work.set()

    async def _do_left_work(self) -> None:
        """Do the work that other processes left, as soon as they tell of it."""
        loop = asyncio.get_running_loop()
        while True:
            with suppress(TimeoutError):
                # Not wait_for: on Python 3.11 a wake-up that comes now would cancel the
                # cancellation of this task.
                async with asyncio.timeout(LOOK):
                    await self._left_work.wait()
            self._left_work.clear()
            if await loop.run_in_executor(self._worker, self._look_around):
                self._app.wake(SENDING)

    def _look_around(self) -> bool:
        """Do the work that other processes left for the server; whether there was any."""
        try:
            found = self._app.processor.work()
            checkpoint(self._app.engine)
        except (TryLater, Misconfigured) as delay:
            logger.warning("will be tried again: %s", delay)
        except Exception as problem:  # a bug, or an operator's action: the next run may succeed
            logger.error("emails that wait: %s", describe(problem))
        else:
            return found > 0
        return True

    async def _watch_the_clock(self) -> None:
        """Run the scheduler in the thread of the emails: only one thread writes at a time.

        The program that gives values of the beacon may be slow, so another thread waits for it.
        """
        loop = asyncio.get_running_loop()
        while True:
            found = await loop.run_in_executor(self._asking, self._asked_of_beacon)
            await loop.run_in_executor(self._worker, self._tick, found)
            self._app.wake(SENDING)
            await asyncio.sleep(TICK)

    def _asked_of_beacon(self) -> Found | None:
        try:
            return self._app.asked_of_beacon()
        except Exception as problem:  # as in _look_around
            logger.warning("the beacon will be asked again: %s", describe(problem))
            return Found({})

    def _tick(self, found: Found | None) -> None:
        try:
            self._app.tick(self._name, found)
            self._app.advance()
        except (TryLater, Misconfigured) as delay:
            logger.warning("will be tried again: %s", delay)
        except Exception as problem:  # as in _look_around
            logger.error("deadlines: %s", describe(problem))

    async def _until_stopped(self) -> None:
        await self._stopping.wait()

    async def _keep_the_lease(self) -> None:
        """Stop as soon as another server could work on the database."""
        loop = asyncio.get_running_loop()
        while not self._lost:
            await asyncio.sleep(TICK)
            try:
                await loop.run_in_executor(self._worker, self._lease.check)
            except (TryLater, Misconfigured) as lost:
                self._lost = lost
        self._stopping.set()


def _together(bugs: Sequence[Exception]) -> Exception | None:
    """The one exception to raise for these; None if there are none."""
    if len(bugs) > 1:
        return ExceptionGroup("parts of the server failed", bugs)
    return next(iter(bugs), None)


def _refuse(hearing: Sequence[asyncio.Future[None]], problem: Exception) -> None:
    """Have the senders of emails try again, and log why; that strangers must wait is usual."""
    delay = problem if isinstance(problem, TryLater) else TryLater(describe(problem))
    level = logging.INFO if isinstance(delay, PasswordCheckPostponed) else logging.WARNING
    logger.log(level, "emails not accepted: %s", delay)
    _tell(hearing, delay)


def _tell(hearing: Sequence[asyncio.Future[None]], problem: Exception | None) -> None:
    """Give the waiting transports the result of an email."""
    for safe in hearing:
        if safe.done():
            continue
        if problem:
            safe.set_exception(problem)
        else:
            safe.set_result(None)
