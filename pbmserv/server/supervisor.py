"""Run the server in a child process, the worker, and restart it when it dies.

Code that can crash or block the worker is never in this process.  It has no email, no database, no
library that parses foreign data.  So this process can always restart the worker, and kill it when
it does not stop.
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
STEADY = 60.0  # seconds: after a run of this length the first pause applies again
MISCONFIGURED = 78  # sysexits.h: EX_CONFIG; a restart does not help
_READY = b"R"
_HEARD = (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD)


def supervised() -> Callable[[], None]:
    """Fork the worker; returns there the function to call when it takes email.

    The calling process becomes the supervisor.  It exits by SystemExit, with the worker's code.
    """
    return _Supervisor().run()


@dataclass(slots=True)
class _Worker:
    """The running worker.

    `says` is the end of a pipe through which it reports that it takes email.
    """

    pid: int
    says: int
    lifeline: int
    is_ready: bool = False

    def code(self) -> int | None:
        """Its exit code, a signal as a negative number; None while it runs."""
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        return os.waitstatus_to_exitcode(status) if pid else None

    def hear(self) -> None:
        """Read its reports."""
        with suppress(BlockingIOError):
            self.is_ready |= os.read(self.says, 1) == _READY

    def close(self) -> None:
        """Close the pipe after the worker's end."""
        os.close(self.says)
        os.close(self.lifeline)


class _Supervisor:
    def __init__(self) -> None:
        self._signal_read_end, self._signal_write_end = _pipe()
        self._stopping = False
        self._told = False

    def run(self) -> Callable[[], None]:
        signal.set_wakeup_fd(self._signal_write_end)
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
        """A new worker; in the worker itself, the function to call when it is ready."""
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
            for each in (hears, lifeline, self._signal_read_end, self._signal_write_end):
                os.close(each)
            _become_worker(ends)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _HEARD)
        return _Worker(pid, hears, lifeline) if pid else lambda: _tell(says)

    def _code_of(self, worker: _Worker) -> int:
        """Wait until a worker has ended; returns its exit code."""
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
        """Wait; True if the supervisor must stop."""
        until = monotonic() + seconds
        while not self._stopping and (left := until - monotonic()) > 0:
            self._wait(left)
        return self._stopping

    def _wait(self, seconds: float | None, *beside: int) -> None:
        """Wait for a signal, or for something to read."""
        select.select(
            [self._signal_read_end, *beside], [], [], None if seconds is None else max(seconds, 0)
        )
        with suppress(BlockingIOError):
            heard = os.read(self._signal_read_end, 4096)
            self._stopping |= signal.SIGTERM in heard or signal.SIGINT in heard


def _become_worker(ends: int) -> None:
    """Reset the supervisor's signals, and end this process when the supervisor ends."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)

    def watch() -> None:
        os.read(ends, 1)
        os.kill(os.getpid(), signal.SIGKILL)

    Thread(target=watch, name="lifeline", daemon=True).start()


def _pipe() -> tuple[int, int]:
    """A pipe without blocking reads and writes."""
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
    """Tell a service manager that waits for it that we take email (sd_notify(3))."""
    where = os.environ.get("NOTIFY_SOCKET", "")
    if not where:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line, suppress(OSError):
        line.sendto(b"READY=1", "\0" + where[1:] if where.startswith("@") else where)
