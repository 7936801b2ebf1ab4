"""Deliver letters through a program of this machine: the `sendmail` of Postfix, Exim or msmtp.

The program gets one letter on its standard input, and puts it into the queue of a mail server.  Its
exit code says what became of the letter (sysexits.h).
"""

from __future__ import annotations

import fcntl
import os
import re
import selectors
import signal
import stat
import subprocess
import sys
import termios
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO, cast

from pbmserv.mail.addresses import LONGEST_ADDRESS
from pbmserv.mail.transport import (
    Coming,
    Postponed,
    Transport,
    Undeliverable,
    Unfit,
    Unreachable,
)
from pbmserv.security.tokens import blanked
from pbmserv.settings import Settings
from pbmserv.text.printable import printable
from pbmserv.transports.bounded_connection import SLICE, BoundedConnection

MOST_KEPT = 64 * 1024  # bytes of the program's words that are kept; it may say more
_PIECE = 16 * 1024  # bytes that are read or written at once
_GOODBYE = 1.0  # seconds for a program that was killed to end
_NO_USER, _NO_HOST = 67, 68  # for this recipient only
_FOR_ALL = {64: "usage", 72: "system file missing", 77: "not allowed", 78: "wrongly configured"}
_OUR_VARIABLES = ("PATH", "HOME", "USER", "LOGNAME", "TZ")  # msmtp looks for ~/.msmtprc
# A sendmail reads a recipient like a header: one of these can make two recipients of it.
_NOT_IN_AN_ADDRESS = frozenset(' <>,;:"()[]\\')
_POSTDROP = "postdrop"  # Postfix's `sendmail` runs it, because users cannot write to the queue
_CONFINED = re.compile(r"^NoNewPrivs:\s*1$", re.MULTILINE)
_STATUS = Path("/proc/self/status")
_WRITABLE = stat.S_IWGRP | stat.S_IWOTH
_FILES_AND_PROGRAMS = ("/", "|")  # what a recipient begins with that is not a mailbox


def opened(settings: Settings) -> Transport:
    """The program that the settings name."""
    return SendmailOut(Path(settings.sendmail))


def checked(settings: Settings, patience: float) -> str:
    """The program that would get letters.

    Raises Unfit if it cannot be run, or if others can put another one in its place.
    """
    path = Path(settings.sendmail)
    if not path.is_file():
        remedy = (
            "Install a program that has sendmail, such as postfix or msmtp-mta, or set its path."
        )
        raise Unfit(f"{path}: there is no such program", remedy)
    if not os.access(path, os.X_OK):
        remedy = "Set sendmail to a program that the user who runs pbmserv may run."
        raise Unfit(f"{path}: cannot be run", remedy)
    real = path.resolve()
    for each in (real, real.parent):
        status = each.stat()
        if status.st_mode & _WRITABLE or status.st_uid not in {0, os.geteuid()}:
            remedy = f"Let only root write there: chown root {each}; chmod go-w {each}."
            raise Unfit(f"{each}: others can write to it", remedy)
    if not (program := _beyond_our_rights(path)):
        return f"are handed to {path}"
    if _is_confined():
        said = f"{program}: cannot get the rights that it needs (NoNewPrivileges)"
        raise Unfit(said, 'Set delivery = "smtp" and relay = "127.0.0.1:25".')
    return f"are handed to {path}; under pbmserv.service {program.name} fails"


class SendmailOut:
    """Run the program at `path` for each letter, for at most `timeout` seconds."""

    def __init__(self, path: Path, timeout: float = 60.0) -> None:
        self._path = path
        self._timeout = timeout
        self._dialogue = BoundedConnection()

    def carry(
        self,
        letter: int,
        envelope_sender: str,
        address: str,
        data: bytes,
        following: Coming | None = None,
    ) -> str:
        """Hand one letter to the program; returns the first line that it says, or that it took it.

        Raises Undeliverable if the program knows no such user or host.  Raises Unreachable if it
        cannot be run, or works for no letter.  After every other failure it raises Postponed.
        """
        for part in (envelope_sender or address, address):
            _check(part)
        if _is_confined() and (program := _beyond_our_rights(self._path)):
            raise Unreachable(f"{program}: cannot get the rights that it needs (NoNewPrivileges)")
        self._dialogue.begin(self._timeout, 0)
        run = _Run(data, self._dialogue)
        try:
            self._dialogue.seconds_left()
            return self._answer(run, run.ended(partial(self._started, envelope_sender, address)))
        except TimeoutError as error:
            words = _first_line(bytes(run.said))
            said = f"{words} ({error})" if words else str(error)
            raise Postponed(f"{self._path.name}: {said}") from error
        except OSError as error:
            raise Unreachable(f"{self._path}: {error.strerror}") from error

    def close(self) -> None:
        """Do nothing: no program runs between two letters."""

    def hurry(self, seconds: float) -> None:
        """End the program for the current letter, and for any later one, within so many seconds."""
        self._dialogue.hurry(seconds)

    def _started(
        self, envelope_sender: str, address: str, letter: IO[bytes]
    ) -> subprocess.Popen[bytes]:
        words = [str(self._path), "-i", "-f", envelope_sender, "--", address]
        variables = {name: os.environ[name] for name in _OUR_VARIABLES if name in os.environ}
        return subprocess.Popen(  # noqa: S603 - no shell; the operator chose the program
            words,
            stdin=letter,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd="/",
            env={**variables, "LC_ALL": "C"},
            start_new_session=True,
            bufsize=0,
        )

    def _answer(self, run: _Run, code: int) -> str:
        """What the program says of the letter; raises what its exit code means."""
        words = _first_line(bytes(run.said))
        if code == 0 and run.is_read:
            return words or f"taken by {self._path.name}"
        if code == 0:
            raise Postponed(f"{self._path.name}: ended before it had read the letter")
        how = f"exit code {code}" if code > 0 else f"ended by signal {-code}"
        reason = f"{self._path.name}: {words or _FOR_ALL.get(code, 'no words')} ({how})"
        if code in {_NO_USER, _NO_HOST}:
            raise Undeliverable(reason)
        raise (Unreachable if code in _FOR_ALL else Postponed)(reason)


class _Run:
    """One run of the program: it gets the letter, and its words are kept.

    We hold both ends of the pipe with the letter: what is left in it, the program has not read.
    """

    def __init__(self, data: bytes, dialogue: BoundedConnection) -> None:
        self._rest = memoryview(data.replace(b"\r\n", b"\n"))
        self._dialogue = dialogue
        self.said = bytearray()
        self.is_read = False

    def ended(self, started: Callable[[IO[bytes]], subprocess.Popen[bytes]]) -> int:
        """Start the program with the letter as its input; returns its exit code.

        Raises TimeoutError and ends a slow program.  Raises OSError if it cannot be started.
        """
        inlet, outlet = os.pipe()
        with os.fdopen(inlet, "rb", 0) as letter, os.fdopen(outlet, "wb", 0) as writes:
            program = started(letter)
            with selectors.DefaultSelector() as selector, cast(IO[bytes], program.stderr) as reads:
                for stream in (writes, reads):
                    os.set_blocking(stream.fileno(), False)
                selector.register(writes, selectors.EVENT_WRITE, self._write)
                selector.register(reads, selectors.EVENT_READ, self._hear)
                try:
                    self._talk(program, selector)
                except BaseException:
                    _kill(program)
                    raise
                if not reads.closed:
                    self._hear(reads)
            self.is_read = not self._rest and _waiting(letter) == 0
        return program.returncode

    def _talk(self, program: subprocess.Popen[bytes], selector: selectors.BaseSelector) -> None:
        """Write the letter and hear the words until the program has ended.

        A process that the program leaves behind may hold the other end of its words open.
        """
        while program.poll() is None:
            left = min(SLICE, self._dialogue.seconds_left())
            if not selector.get_map():
                with suppress(subprocess.TimeoutExpired):
                    program.wait(left)
                continue
            for key, _ in selector.select(left):
                stream = cast(IO[bytes], key.fileobj)
                if not key.data(stream):
                    selector.unregister(stream)
                    stream.close()

    def _write(self, stream: IO[bytes]) -> bool:
        """Write a piece; False at the end."""
        self._rest = self._rest[os.write(stream.fileno(), self._rest[:_PIECE]) :]
        return bool(self._rest)

    def _hear(self, stream: IO[bytes]) -> bool:
        """Keep the next words, as far as there is room; False at their end."""
        try:
            words = os.read(stream.fileno(), _PIECE)
        except BlockingIOError:
            return True
        self.said += words[: MOST_KEPT - len(self.said)]
        return words != b""


def _waiting(pipe: IO[bytes]) -> int:
    """The number of bytes in a pipe that nobody has read."""
    count = bytearray(4)
    fcntl.ioctl(pipe, termios.FIONREAD, count)
    return int.from_bytes(count, sys.byteorder)


def _kill(program: subprocess.Popen[bytes]) -> None:
    """End the program and what it has started."""
    with suppress(OSError):  # it may have ended, or belong to another user by now
        os.killpg(program.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        program.wait(_GOODBYE)


def _is_confined() -> bool:
    """Whether this process, and each that it starts, can get no more rights (prctl(2)).

    False where the system does not say so.
    """
    try:
        return _CONFINED.search(_STATUS.read_text()) is not None
    except OSError:
        return False


def _beyond_our_rights(path: Path) -> Path | None:
    """The program with rights of another user or group that this sendmail needs; None for none.

    It is the program itself, or the `postdrop` of Postfix beside it.
    """
    groups = {os.getegid(), *os.getgroups()}
    for each in (path.resolve(), path.resolve().with_name(_POSTDROP)):
        if os.geteuid() == 0 or not each.is_file():
            continue
        status = each.stat()
        is_of_other_user = status.st_mode & stat.S_ISUID and status.st_uid != os.geteuid()
        if is_of_other_user or (status.st_mode & stat.S_ISGID and status.st_gid not in groups):
            return each
    return None


def _check(address: str) -> None:
    """Raise Undeliverable for what a sendmail may not take as exactly one mailbox."""
    is_plain = address.isprintable() and not set(address) & _NOT_IN_AN_ADDRESS
    is_mailbox = "@" in address and not address.startswith(_FILES_AND_PROGRAMS)
    if len(address) > LONGEST_ADDRESS or not (is_plain and is_mailbox):
        raise Undeliverable(f"not an address: {address!r}"[:100])


def _first_line(said: bytes) -> str:
    """The first line that is not blank, without tokens; "" for none."""
    lines = (printable(each) for each in said.splitlines())
    return blanked(next(filter(None, lines), ""))
