"""The watchdog: records which emails a process is handling, and ends a process that hangs.

Bytes from a stranger may end a process without an exception.  Examples are a C library's crash, too
much memory, or a loop in C code with the interpreter's lock.  So the digest of an email is written
into a file of the process before the email is opened.  The next process reads what a dead one has
left there.  The file is not fsynced: it survives the process, and a power failure is not caused by
an email.

The kernel measures the time: a timer of CPU time ends the process, even if no other code can run.
`faulthandler` then writes the place in the interpreter behind the digests.
"""

from __future__ import annotations

import faulthandler
import fcntl
import os
import re
import secrets
import signal
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from operator import is_
from pathlib import Path
from threading import Lock
from typing import TypeAlias

from pbmserv.errors import disk_may_fail, later
from pbmserv.fast_dataclasses import dataclass
from pbmserv.mail.incoming import IncomingMail

MOST_SECONDS = 20.0  # of CPU time of the whole process for one email
FOLDER = "in-hand"
_SECONDS_TO_EXCUSE = 1.0  # until the thread of the emails leaves the file alone
_DIGEST = 32  # bytes
_MOST_HELD = 255  # their number is the first byte of the file
_TRACE_AT = 1 + _DIGEST * _MOST_HELD
_LONGEST_TRACE = 20_000  # bytes
TurnTo: TypeAlias = Callable[[IncomingMail], None]
"""Records one email of a block as the one that is handled from now on."""
_FRAME = re.compile(r'^  File "([^"\n]{1,4096})", line ([0-9]{1,9}) in (\S{1,200})$', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Left:
    """What a dead process has left: the digests of the emails that it was handling.

    `place` is where it ended, if the interpreter could say; "" after a kill from outside.
    """

    digests: tuple[str, ...]
    place: str


def digest_of(incoming: IncomingMail) -> str:
    """The digest of an email that is not opened yet, in hexadecimal digits."""
    return incoming.digest.hex()


class Watchdog:
    """Records the emails that one process is handling, in a file of its own in `folder`.

    Only one thread of a process may read emails, because the timer is for the whole process.
    """

    def __init__(self, folder: Path, seconds: float = MOST_SECONDS) -> None:
        self._folder = folder
        self._seconds = seconds
        self._held: Sequence[IncomingMail] = ()
        self._descriptor: int | None = None
        self._file: weakref.finalize[..., Watchdog] | None = None
        self._writing = Lock()

    def holding(self, mails: Sequence[IncomingMail]) -> AbstractContextManager[None]:
        """Record that these emails are handled while the block runs, and limit its CPU time.

        A block for the same emails within another one adds nothing.  Raises TryLater if the disk is
        full.
        """
        return _Holding(self, mails)

    def one_by_one(self) -> AbstractContextManager[TurnTo]:
        """A block that handles emails in turn: it calls its value with each of them.

        Behind an email its record stays until the next one's turn, or the end of the block.  That
        is half the work of a block for each.
        """
        return _OneByOne(self)

    def begin(self, mails: Sequence[IncomingMail]) -> bool:
        """Begin the block of these emails; False if it is within another one of theirs."""
        held = self._held
        if len(mails) == len(held) and all(map(is_, mails, held)):
            return False
        digests = [each.digest for each in mails[:_MOST_HELD]]
        try:
            with self._writing:
                os.pwrite(self._open(), bytes([len(digests)]) + b"".join(digests), 0)
        except OSError as error:
            raise later(FOLDER, error) from error
        signal.setitimer(signal.ITIMER_PROF, self._seconds)
        self._held = mails
        return True

    def end(self) -> None:
        """End the block that `begin` began."""
        self._held = ()
        signal.setitimer(signal.ITIMER_PROF, 0)
        if self._descriptor is not None:
            with self._writing:
                os.pwrite(self._descriptor, b"\0", 0)

    def excuse(self) -> None:
        """Record that no email is handled, and let no thread record another one from now on.

        A process that is about to be killed for another cause calls this, in any thread.
        """
        self._writing.acquire(timeout=_SECONDS_TO_EXCUSE)  # it is never released
        if self._descriptor is not None:
            os.pwrite(self._descriptor, b"\0", 0)

    def left(self) -> Iterator[Left]:
        """What dead processes have left; each is deleted when the caller asks for the next one.

        Raises TryLater if such a file cannot be read or deleted.
        """
        for file in sorted(self._folder.glob("*")):
            with disk_may_fail(FOLDER), suppress(FileNotFoundError):
                descriptor = os.open(file, os.O_RDWR)
                try:
                    if _is_locked(descriptor) and file.exists():
                        yield from _read(descriptor)
                        file.unlink()
                finally:
                    os.close(descriptor)

    def close(self) -> None:
        """Delete the file of this process; the next email creates another."""
        if self._file is not None:
            self._file()
        self._descriptor = self._file = None

    def _open(self) -> int:
        """The descriptor of this process's own file."""
        if self._descriptor is None:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            self._descriptor, file = _own_file(self._folder)
            self._file = weakref.finalize(self, _let_go, self._descriptor, file)
        return self._descriptor


class _Holding(AbstractContextManager[None]):
    """The block in which some emails are handled.

    Each email has several.  So this is not a generator, which would take twice as long.
    """

    def __init__(self, watchdog: Watchdog, mails: Sequence[IncomingMail]) -> None:
        self._watchdog, self._mails = watchdog, mails
        self._has_begun = False

    def __enter__(self) -> None:
        self._has_begun = self._watchdog.begin(self._mails)

    def __exit__(self, *_: object) -> None:
        if self._has_begun:
            self._watchdog.end()


class _OneByOne(AbstractContextManager[TurnTo]):
    """The block in which emails are handled in turn."""

    def __init__(self, watchdog: Watchdog) -> None:
        self._watchdog = watchdog
        self._has_begun = False

    def __enter__(self) -> TurnTo:
        return self._turn_to

    def _turn_to(self, mail: IncomingMail) -> None:
        if self._watchdog.begin([mail]):
            self._has_begun = True

    def __exit__(self, *_: object) -> None:
        if self._has_begun:
            self._watchdog.end()


def _own_file(folder: Path) -> tuple[int, Path]:
    """Create a file that is locked while this process runs."""
    while True:
        file = folder / f"{os.getpid()}-{secrets.token_hex(4)}"
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        # Another process may have deleted it as a dead one's before it was locked.
        if _is_locked(descriptor) and file.exists():
            break
        os.close(descriptor)
    os.lseek(descriptor, _TRACE_AT, os.SEEK_SET)
    faulthandler.enable(descriptor, all_threads=True)
    faulthandler.register(signal.SIGPROF, descriptor, all_threads=True, chain=True)
    return descriptor, file


def _let_go(descriptor: int, file: Path) -> None:
    faulthandler.unregister(signal.SIGPROF)
    faulthandler.disable()
    file.unlink(missing_ok=True)
    os.close(descriptor)


def _is_locked(descriptor: int) -> bool:
    """Lock a file; returns False if a running process has locked it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read(descriptor: int) -> Iterator[Left]:
    written = os.pread(descriptor, _TRACE_AT + _LONGEST_TRACE, 0)
    end = 1 + _DIGEST * (written[0] if written else 0)
    digests = [written[start : start + _DIGEST].hex() for start in range(1, end, _DIGEST)]
    if digests:
        yield Left(tuple(digests), _place(written[_TRACE_AT:].decode("utf-8", "replace")))


def _place(trace: str) -> str:
    """The place where the thread ran, in a file of ours if possible; "" without a trace."""
    running = trace[max(0, trace.find("Current thread")) :].partition("\n\n")[0]
    frames = _FRAME.findall(running)
    ours = [each for each in frames if Path(each[0]).is_relative_to(Path(__file__).parents[1])]
    for file, line, name in (ours or frames)[:1]:
        return f"{Path(file).name}:{line} in {name}"
    return "a place that is not known" if trace else ""
