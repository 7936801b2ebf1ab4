"""The supervisor: a small process that runs the server in another one, the worker, and outlives it.

What can end or stop the worker is never in this process: no mail, no database, no library that
reads what strangers wrote.  So somebody is always there who starts the worker again, and who ends
it when it is told to and does not.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread
from time import monotonic

SECONDS_TO_STOP = 7.0  # after SIGTERM; then the worker is killed
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 60.0  # seconds before a worker that died is started again
STEADY = 60.0  # seconds: a worker that ran for so long begins with the first pause
MISCONFIGURED = 78  # sysexits.h: EX_CONFIG; starting again does not mend it
_READY = b"R"
_HEARD = (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD)


def supervised() -> Callable[[], None]:
    """Return in the worker, a process of its own, what it is to call when it takes mail.

    The calling process becomes the supervisor.  It leaves by SystemExit, with the worker's code.
    """
    return _Supervisor().run()


@dataclass(slots=True)
class _Worker:
    """The running server.  `says` is the end of a pipe on which it says that it takes mail."""

    pid: int
    says: int
    lifeline: int
    is_ready: bool = False

    def code(self) -> int | None:
        """How it ended, a signal as a negative number; None while it runs."""
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        return os.waitstatus_to_exitcode(status) if pid else None

    def hear(self) -> None:
        """Whatever it has said."""
        with suppress(BlockingIOError):
            self.is_ready |= os.read(self.says, 1) == _READY

    def close(self) -> None:
        """Its end was seen."""
        os.close(self.says)
        os.close(self.lifeline)


class _Supervisor:
    def __init__(self) -> None:
        self._ear, self._bell = _pipe()
        self._stopping = False
        self._told = False

    def run(self) -> Callable[[], None]:
        signal.set_wakeup_fd(self._bell)
        for each in _HEARD:
            signal.signal(each, lambda *_: None)  # a signal wakes `_wait`
        pause = FIRST_PAUSE
        while True:
            started = monotonic()
            worker = self._started()
            if callable(worker):
                return worker
            code = self._code_of(worker)
            worker.close()
            given_up = code > 0 and (not worker.is_ready or code == MISCONFIGURED)
            if self._stopping or code == 0 or given_up:
                sys.exit(max(code, 0))
            pause = FIRST_PAUSE if monotonic() - started > STEADY else pause
            _say(f"the server was ended by {_named(code)}; it starts again in {pause:g} s")
            if self._paused(pause):
                sys.exit(0)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _started(self) -> _Worker | Callable[[], None]:
        """A new worker; in the worker itself what it calls when it is ready."""
        hears, says = _pipe()
        ends, lifeline = os.pipe()
        # No signal may be lost between the fork and the worker's own handlers.
        signal.pthread_sigmask(signal.SIG_BLOCK, _HEARD)
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid:
            os.close(says)
            os.close(ends)
        else:
            for each in (hears, lifeline, self._ear, self._bell):
                os.close(each)
            _become_worker(ends)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _HEARD)
        return _Worker(pid, hears, lifeline) if pid else lambda: _tell(says)

    def _code_of(self, worker: _Worker) -> int:
        """Wait until a worker has ended; how it did."""
        until = None
        while (code := worker.code()) is None:
            self._wait(None if until is None else until - monotonic(), worker.says)
            worker.hear()
            if worker.is_ready and not self._told:
                _tell_systemd()
                self._told = True
            if self._stopping and until is None:
                until = monotonic() + SECONDS_TO_STOP
                os.kill(worker.pid, signal.SIGTERM)
            elif until is not None and monotonic() >= until:
                _say(f"the server has not stopped within {SECONDS_TO_STOP:g} s, and is killed")
                os.kill(worker.pid, signal.SIGKILL)
                until = monotonic() + SECONDS_TO_STOP
        return code

    def _paused(self, seconds: float) -> bool:
        """Wait; True if the supervisor is to stop."""
        until = monotonic() + seconds
        while not self._stopping and (left := until - monotonic()) > 0:
            self._wait(left)
        return self._stopping

    def _wait(self, seconds: float | None, *beside: int) -> None:
        """Wait for a signal, or for something to read."""
        select.select([self._ear, *beside], [], [], None if seconds is None else max(seconds, 0))
        with suppress(BlockingIOError):
            heard = os.read(self._ear, 4096)
            self._stopping |= signal.SIGTERM in heard or signal.SIGINT in heard


def _become_worker(ends: int) -> None:
    """Forget the supervisor's signals; when it is gone, however it went, go, too."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)

    def watch() -> None:
        os.read(ends, 1)
        os.kill(os.getpid(), signal.SIGKILL)

    Thread(target=watch, name="lifeline", daemon=True).start()


def _pipe() -> tuple[int, int]:
    """A pipe on which nobody waits."""
    hears, says = os.pipe()
    os.set_blocking(hears, False)
    os.set_blocking(says, False)
    return hears, says


def _tell(says: int) -> None:
    os.write(says, _READY)


def _named(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"a mistake (exit {code})"


def _say(words: str) -> None:
    print(f"pbmserv: {words}", file=sys.stderr, flush=True)


def _tell_systemd() -> None:
    """Say that we take mail to a service manager that waits for it (sd_notify(3))."""
    where = os.environ.get("NOTIFY_SOCKET", "")
    if not where:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line, suppress(OSError):
        line.sendto(b"READY=1", "\0" + where[1:] if where.startswith("@") else where)
