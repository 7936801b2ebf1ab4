"""The server: doors open, mails taken in batches, letters sent, until it is told to stop.

Whatever waits at the doors shares one transaction, and each sender hears 250 after the commit.
Two threads do the work, one for the mails and one for the letters, so that a slow relay holds
up nobody's move.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from pbmserv.database import checkpoint
from pbmserv.doors.collecting import Beyond, Collector, Handover
from pbmserv.doors.listener import listen
from pbmserv.doors.lmtp import LmtpConversation
from pbmserv.doors.smtp import SmtpConversation
from pbmserv.errors import TryLater, named
from pbmserv.house import House, mailboxes_for
from pbmserv.mail.arrival import Arrival
from pbmserv.postoffice import BATCH

GATHERING = 0.004  # seconds that a mail waits for others, to share one commit with them
TICK = 30.0  # seconds between looks at the clock
PAUSE = 1.0  # seconds between looks for mails from the pipe and letters that are due again
log = logging.getLogger(__name__)

Waiting = tuple[Arrival, "asyncio.Future[None]"]
Close = Callable[[], Awaitable[None]]


class Server:
    """One running server in one home."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._arrived: asyncio.Queue[Waiting] = asyncio.Queue()
        self._letters = asyncio.Event()
        self._stopping = asyncio.Event()
        self._worker = ThreadPoolExecutor(1, "postoffice")
        self._sender = ThreadPoolExecutor(1, "outbox")
        self._name = f"{socket.gethostname()} {os.getpid()}"

    async def run(
        self, started: Callable[[str], None], ready: Callable[[], None] = lambda: None
    ) -> None:
        """Serve until SIGTERM or SIGINT.

        `started` is told every place that listens; `ready` is called when all of them do.
        """
        loop = asyncio.get_running_loop()
        for each in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(each, self._stopping.set)
        doors: list[Close] = []
        try:
            await self._open_doors(doors, started)
            work = [
                asyncio.create_task(each)
                for each in (self._take_in(), self._send(), self._watch_the_clock())
            ]
            ready()
            await self._stopping.wait()
        finally:
            # All at once: one that waits for a slow caller must not keep another open.
            await asyncio.gather(*(close() for close in doors))
        for task in work:
            task.cancel()
        await asyncio.gather(*work, return_exceptions=True)
        self._worker.shutdown()
        self._sender.shutdown()

    async def accept(self, arrival: Arrival) -> None:
        """Hand over one mail; returns when it is safe, raises TryLater when it is not."""
        safe: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._arrived.put_nowait((arrival, safe))
        await safe

    async def _open_doors(self, doors: list[Close], started: Callable[[str], None]) -> None:
        settings = self._house.settings
        for name, where, protocol in (
            ("SMTP", settings.smtp, SmtpConversation),
            ("LMTP", settings.lmtp, LmtpConversation),
        ):
            if where:
                door = await listen(
                    protocol,
                    where,
                    address=settings.address,
                    largest_mail=settings.largest_mail,
                    accept=self.accept,
                )
                doors.append(door.close)
                started(f"{name} on {door.address}")
        handover = self._handover()
        for mailbox in mailboxes_for(settings):
            collector = Collector(mailbox, handover)
            doors.append(partial(asyncio.to_thread, collector.stop))
            collector.start()
            started(f"collecting from {mailbox.name}")

    def _handover(self) -> Handover:
        """Where the threads that collect mails hand them in."""
        loop, settings = asyncio.get_running_loop(), self._house.settings

        def accept(arrivals: Sequence[Arrival]) -> None:
            asyncio.run_coroutine_threadsafe(self._accept_all(arrivals), loop).result()

        def refuse(arrival: Arrival) -> None:
            self._worker.submit(self._house.refuse_large, arrival).result()

        def tell(about: str, why: str) -> None:
            self._worker.submit(self._house.tell_of_mailbox, about, why)

        return Handover(settings.address, settings.largest_mail, accept, refuse, tell)

    async def _accept_all(self, arrivals: Sequence[Arrival]) -> None:
        await asyncio.gather(*map(self.accept, arrivals))

    async def _take_in(self) -> None:
        """Take in what arrived, all that waits in one transaction; look at the pipe's mails."""
        loop = asyncio.get_running_loop()
        while True:
            try:
                first = await asyncio.wait_for(self._arrived.get(), PAUSE)
            except TimeoutError:
                await loop.run_in_executor(self._worker, self._look_around)
                self._letters.set()
                continue
            await asyncio.sleep(GATHERING)
            batch = [first]
            while len(batch) < BATCH and not self._arrived.empty():
                batch.append(self._arrived.get_nowait())
            await self._settle(batch)
            self._letters.set()

    async def _settle(self, batch: list[Waiting]) -> None:
        """Take in a batch, and tell every door of it how it went; one that hung up hears nothing.

        A mail that is beyond us does not hold up the others.
        """
        problem: Exception | None = None
        arrivals = [arrival for arrival, _ in batch]
        try:
            await asyncio.get_running_loop().run_in_executor(
                self._worker, self._house.accept, arrivals
            )
        except Exception as raised:
            if isinstance(raised, Beyond) and len(batch) > 1:
                for each in batch:
                    await self._settle([each])
                return
            problem = raised if isinstance(raised, TryLater) else TryLater(named(raised))
            log.warning("mails not taken: %s", problem)
        for _, safe in batch:
            if safe.done():
                continue
            if problem:
                safe.set_exception(problem)
            else:
                safe.set_result(None)

    def _look_around(self) -> None:
        """Do what other processes left for the server to do."""
        try:
            self._house.postoffice.work()
            checkpoint(self._house.engine)
        except TryLater as delay:
            log.warning("later: %s", delay)
        except Exception as problem:  # a bug, or an operator at work: the next look may do better
            log.error("the mails that wait: %s", named(problem))

    async def _watch_the_clock(self) -> None:
        """Do what falls due with time, in the thread of the mails: one writes at a time."""
        loop = asyncio.get_running_loop()
        while True:
            await loop.run_in_executor(self._worker, self._tick)
            await asyncio.sleep(TICK)

    def _tick(self) -> None:
        try:
            self._house.postoffice.tick(self._name)
        except TryLater as delay:
            log.warning("later: %s", delay)
        except Exception as problem:  # as in _look_around
            log.error("what falls due: %s", named(problem))

    async def _send(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._letters.wait()
            self._letters.clear()
            await loop.run_in_executor(self._sender, self._deliver)

    def _deliver(self) -> None:
        try:
            self._house.deliver(lambda: not self._stopping.is_set())
        except TryLater as delay:
            log.warning("later: %s", delay)
        except Exception as problem:  # as in _look_around
            log.error("letters not sent: %s", named(problem))
