"""Run the roles of the server in child processes, the workers, and restart those that die.

Code that can crash or block a worker is never in this process.  It has no email, no database, no
library that parses foreign data.  So this process can always restart a worker, and kill it when
it does not stop.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import NamedTuple

from pbmserv.server.console import say
from pbmserv.server.roles import ROLES, Role

SECONDS_TO_STOP = 7.0  # of each worker after SIGTERM; then it is killed
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 60.0  # seconds before a worker that died is started again
STEADY = 60.0  # seconds: after a run of this length the first pause applies again
MISCONFIGURED = 78  # sysexits.h: EX_CONFIG; a restart does not help
ENDING = "pbmserv-ending"
"""The name of the supervisor's process while it stops its workers."""
SECONDS_TO_END = len(ROLES) * SECONDS_TO_STOP + 1
"""A supervisor has ended within so many seconds after SIGTERM."""
_READY = b"R"
_STOPS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)  # the last one: its terminal was closed
_HEARD = (*_STOPS, signal.SIGCHLD)


class Work(NamedTuple):
    """What a worker does: its role, and the function to call when it does its work.

    If its supervisor ends first, the worker calls the functions in `orphaned`, and is killed.
    `is_home_made`: a worker was ready before, so a home that is missing now was moved.
    """

    role: Role
    ready: Callable[[], None]
    orphaned: list[Callable[[], None]]
    is_home_made: bool


def supervised(roles: Sequence[Role] = ROLES) -> Work:
    """Fork a worker for each role; returns in the worker.

    A role starts when the one before it is ready.  The calling process becomes the supervisor.  It
    exits by SystemExit, with the code of the worker that gave up.
    """
    return _Supervisor(roles).run()


@dataclass(slots=True)
class _Worker:
    """A running worker.

    `says` is the end of a pipe through which it reports that it does its work.
    """

    pid: int
    says: int
    lifeline: int
    started: float
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
        """Close the pipes to it."""
        os.close(self.says)
        os.close(self.lifeline)


@dataclass(slots=True)
class _Post:
    """A role, its worker while there is one, and when the next one starts (as `monotonic`)."""

    role: Role
    pause: float
    worker: _Worker | None = None
    starts: float = 0.0
    was_ready: bool = False

    def put_off(self, why: str) -> None:
        """Start its next worker after a pause, which gets longer each time, and say why."""
        say(f"{self.role} {why}; it starts again in {self.pause:g} s")
        self.starts = monotonic() + self.pause
        self.pause = min(2 * self.pause, LONGEST_PAUSE)


class _Supervisor:
    def __init__(self, roles: Sequence[Role]) -> None:
        self._signal_read_end, self._signal_write_end = _pipe()
        self._posts = [_Post(each, pause=FIRST_PAUSE) for each in roles]
        self._stopping = False
        self._ending: _Post | None = None  # the role that was told to stop
        self._kills = 0.0  # when its worker is killed if it has not stopped
        self._code = 0
        self._told = False

    def run(self) -> Work:
        signal.set_wakeup_fd(self._signal_write_end)
        for each in _HEARD:
            # nohup(1) starts a server that ignores SIGHUP.
            if each != signal.SIGHUP or signal.getsignal(each) != signal.SIG_IGN:
                signal.signal(each, lambda *_: None)  # a signal wakes `_wait`
        while True:
            for post in self._vacant():
                if post.starts <= monotonic() and (work := self._started(post)):
                    return work
            self._wait()
            for post in self._posts:
                self._look_after(post)
            if not self._told and all(each.was_ready for each in self._posts):
                _tell_systemd()
                self._told = True
            if self._stopping:
                self._stop()

    def _vacant(self) -> list[_Post]:
        """The roles without a worker, whose worker is started now or later."""
        found: list[_Post] = []
        for each in () if self._stopping else self._posts:
            if each.worker is None:
                found.append(each)
            if not each.was_ready:
                break
        return found

    def _started(self, post: _Post) -> Work | None:
        """Start the worker of a role; None in the supervisor, and its work in the worker.

        If the system has no memory for one more process, or no more open files, it tries again
        after a pause.
        """
        orphaned: list[Callable[[], None]] = []
        pipes: list[int] = []
        # No signal may be lost between the fork and the worker's own handlers.
        signal.pthread_sigmask(signal.SIG_BLOCK, _HEARD)
        try:
            pipes += _pipe()
            pipes += os.pipe()
            pid = os.fork()
        except OSError as error:
            for end in pipes:
                os.close(end)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _HEARD)
            post.put_off(f"cannot start ({error.strerror})")
            return None
        hears, says, ends, lifeline = pipes
        if pid:
            os.close(says)
            os.close(ends)
        else:
            for each in self._running():  # a lifeline ends with the supervisor alone
                each.close()
            for end in (hears, lifeline, self._signal_read_end, self._signal_write_end):
                os.close(end)
            _become_worker(post.role, ends, orphaned)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _HEARD)
        if not pid:
            is_home_made = any(each.was_ready for each in self._posts)
            return Work(post.role, lambda: _tell(says), orphaned, is_home_made)
        post.worker = _Worker(pid, hears, lifeline, monotonic())
        return None

    def _running(self) -> list[_Worker]:
        return [each.worker for each in self._posts if each.worker]

    def _look_after(self, post: _Post) -> None:
        """Hear what a worker reports, and decide what follows if it has ended."""
        worker = post.worker
        if worker is None:
            return
        code = worker.code()
        worker.hear()
        post.was_ready |= worker.is_ready
        if code is None:
            return
        worker.close()
        post.worker = None
        # What stops only the first start is a mistake; later it may pass, such as a full disk.
        given_up = code == MISCONFIGURED or (code > 0 and not post.was_ready)
        if self._stopping or code == 0 or given_up:
            self._code = max(self._code, code)
            self._stopping = True
        else:
            if monotonic() - worker.started > STEADY:
                post.pause = FIRST_PAUSE
            post.put_off(f"was ended by {_named(code)}")

    def _stop(self) -> None:
        """Stop the workers, the last one first; raises SystemExit when all have ended.

        They stop one after the other.  So the worker that takes email has announced all its
        letters.  The last one that closes the database leaves no log of it.
        """
        running = [each for each in self._posts if each.worker]
        _name_this(ENDING)
        if not running:
            sys.exit(self._code)
        post = running[-1]
        if post is not self._ending:
            self._ending, number = post, signal.SIGTERM
        elif monotonic() >= self._kills:
            say(f"{post.role} has not stopped within {SECONDS_TO_STOP:g} s, and is killed")
            number = signal.SIGKILL
        else:
            return
        self._kills = monotonic() + SECONDS_TO_STOP
        if post.worker:
            os.kill(post.worker.pid, number)

    def _wait(self) -> None:
        """Wait for a signal, a worker's report, or the moment of the next start or kill."""
        moments = [each.starts for each in self._vacant()]
        if self._ending:
            moments.append(self._kills)
        seconds = max(0.0, min(moments) - monotonic()) if moments else None
        says = [each.says for each in self._running() if not each.is_ready]
        select.select([self._signal_read_end, *says], [], [], seconds)
        with suppress(BlockingIOError):
            heard = os.read(self._signal_read_end, 4096)
            self._stopping |= any(each in heard for each in _STOPS)


def _become_worker(role: Role, ends: int, orphaned: Sequence[Callable[[], None]]) -> None:
    """Reset the supervisor's signals, and end this process when the supervisor ends.

    On Linux its name is that of its role, so that ps(1) and top(1) tell the workers apart.
    """
    _name_this(f"pbmserv-{role}")
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for each in (signal.SIGINT, signal.SIGHUP):  # they reach every process of a terminal
        signal.signal(each, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)

    def watch() -> None:
        os.read(ends, 1)
        try:
            for each in orphaned:
                each()
        finally:
            os.kill(os.getpid(), signal.SIGKILL)

    Thread(target=watch, name="lifeline", daemon=True).start()


def _name_this(name: str) -> None:
    """Name this process for others, where the system can."""
    with suppress(OSError):
        Path("/proc/self/comm").write_text(name, "ascii")


def is_ending(number: int) -> bool:
    """Whether the supervisor with this process number stops its workers, as far as can be known.

    It is taken to end where the system does not tell, and when it has gone.
    """
    try:
        return Path(f"/proc/{number}/comm").read_text().strip() == ENDING
    except (OSError, ValueError):
        return True


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


def _tell_systemd() -> None:
    """Tell a service manager that waits for it that we take email (sd_notify(3))."""
    where = os.environ.get("NOTIFY_SOCKET", "")
    if not where:
        return
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.sendto(b"READY=1", "\0" + where[1:] if where.startswith("@") else where)
