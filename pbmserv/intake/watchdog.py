"""The watchdog: it notes which mail a process has in hand, and ends a process that hangs on one.

Bytes from a stranger may end a process in ways that no exception tells of: a crash in a C
library, the memory used up, a loop in C code that keeps the interpreter's lock.  So the digest of
a mail is written into a file of the process before the mail is opened.  What a dead process has
left there, the next one reads.  The file is not fsynced: it outlives the process, and a power cut
is no mail's fault.

The kernel keeps the time: a timer of CPU time ends the process, even while nothing else can run
in it.  Where the interpreter was at that moment, `faulthandler` writes behind the digests.
"""

from __future__ import annotations

import faulthandler
import fcntl
import os
import re
import secrets
import signal
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pbmserv.mail.incoming import IncomingMail

MOST_SECONDS = 20.0  # of CPU time of the whole process, while it has one mail in hand
FOLDER = "in-hand"
_DIGEST = 32  # bytes
_MOST_HELD = 255  # their number is the first byte of the file
_TRACE_AT = 1 + _DIGEST * _MOST_HELD
_LONGEST_TRACE = 20_000  # bytes
_FRAME = re.compile(r'^  File "([^"\n]{1,4096})", line ([0-9]{1,9}) in (\S{1,200})$', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Left:
    """What a dead process left: the digests of the mails that it had in hand.

    `place` is where it ended, if the interpreter could say; "" after a kill from outside.
    """

    digests: tuple[str, ...]
    place: str


def digest_of(incoming: IncomingMail) -> str:
    """What a mail is known by before it is opened, in hexadecimal digits."""
    return sha256(incoming.raw).hexdigest()


class Watchdog:
    """Notes what one process has in hand, in a file of its own in `folder`.

    One thread of a process opens mails: the timer is the whole process's.
    """

    def __init__(self, folder: Path, seconds: float = MOST_SECONDS) -> None:
        self._folder = folder
        self._seconds = seconds
        self._descriptor: int | None = None
        self._file: weakref.finalize[..., Watchdog] | None = None

    @contextmanager
    def holding(self, mails: Sequence[IncomingMail]) -> Iterator[None]:
        """Note that these mails are in hand while the block runs, and how long it takes."""
        descriptor = self._open()
        digests = [sha256(each.raw).digest() for each in mails[:_MOST_HELD]]
        os.pwrite(descriptor, bytes([len(digests)]) + b"".join(digests), 0)
        signal.setitimer(signal.ITIMER_PROF, self._seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            os.pwrite(descriptor, b"\0", 0)

    def left(self) -> Iterator[Left]:
        """What dead processes left; each is forgotten once the caller has gone on to the next."""
        for file in sorted(self._folder.glob("*")):
            with suppress(FileNotFoundError):
                descriptor = os.open(file, os.O_RDWR)
                try:
                    if _is_locked(descriptor) and file.exists():
                        yield from _read(descriptor)
                        file.unlink()
                finally:
                    os.close(descriptor)

    def close(self) -> None:
        """Let go of this process's own file; the next mail in hand opens another."""
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


def _own_file(folder: Path) -> tuple[int, Path]:
    """A new file, locked for as long as this process lives."""
    while True:
        file = folder / f"{os.getpid()}-{secrets.token_hex(4)}"
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        # Another process may have taken it for a dead one's before it was locked.
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
    """Lock a file; False where a process that lives has it locked."""
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
    """Where the thread that ran was, in a file of ours if it can be said; "" without a trace."""
    running = trace[max(0, trace.find("Current thread")) :].partition("\n\n")[0]
    frames = _FRAME.findall(running)
    ours = [each for each in frames if Path(each[0]).is_relative_to(Path(__file__).parents[1])]
    for file, line, name in (ours or frames)[:1]:
        return f"{Path(file).name}:{line} in {name}"
    return "a place that is not known" if trace else ""
