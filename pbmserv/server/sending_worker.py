"""The process of a server that sends letters: it words what is due and hands it to the relay.

It starts to work when another process tells of letters.  It also looks by itself for letters that
are due again.  Other letters may be of a process that was killed before it could tell of them.
"""

from __future__ import annotations

import logging
import os
import select
import signal
from collections.abc import Callable
from contextlib import suppress
from time import monotonic

from pbmserv.database.leases import Lease
from pbmserv.errors import Misconfigured, TryLater, describe
from pbmserv.mail.transport import Talking
from pbmserv.server import wakeups
from pbmserv.server.app import App

LOOK = 5.0  # seconds between checks of the outbox, where nobody tells of letters
PAUSE = 1.0  # seconds until the next try if another process sends, or nothing can be recorded
CHECK = 30.0  # seconds between checks of the lease
GRACE = 4.0  # seconds that the relay has for the current letter after SIGTERM
logger = logging.getLogger(__name__)


class SendingWorker:
    """One process that sends the letters of one home.

    `woken` is the end of a named pipe, at which other processes tell of letters.
    """

    def __init__(self, app: App, lease: Lease, woken: int | None) -> None:
        self._app, self._lease, self._woken = app, lease, woken
        self._signalled, self._signals = os.pipe()
        os.set_blocking(self._signalled, False)
        os.set_blocking(self._signals, False)
        self._stopping = self._has_sent = False

    def run(self, ready: Callable[[], None]) -> None:
        """Send until SIGTERM; raises TryLater or Misconfigured when `Lease.check` does.

        `ready` is called before the first letter.
        """
        signal.set_wakeup_fd(self._signals)
        signal.signal(signal.SIGTERM, self._stop)
        ready()
        checked = monotonic()
        while not self._stopping:
            self._lease.check_place()
            self._wait(LOOK if self._deliver() else PAUSE)
            if monotonic() - checked > CHECK:
                self._lease.check()
                checked = monotonic()

    def _stop(self, *_: object) -> None:
        self._stopping = True
        if isinstance(self._app.transport, Talking):
            self._app.transport.hurry(GRACE)

    def _wait(self, seconds: float) -> None:
        """Wait for a wake-up, a signal, or so many seconds."""
        ends = [self._signalled] if self._woken is None else [self._signalled, self._woken]
        select.select(ends, [], [], 0 if self._stopping else seconds)
        with suppress(BlockingIOError):
            os.read(self._signalled, 4096)
        if self._woken is not None:
            wakeups.heard(self._woken)

    def _deliver(self) -> bool:
        """Send what is due; False if that could not be done now."""
        try:
            sent = self._app.send(lambda: not self._stopping, ahead=self._has_sent)
            self._has_sent = sent is not None
            return self._has_sent
        except (TryLater, Misconfigured) as delay:
            logger.warning("letters wait: %s", delay)
        except Exception as problem:  # a bug, or an operator's action: the next run may succeed
            logger.error("letters not sent: %s", describe(problem))
        return False
