"""Deliver letters through a program of this machine: the `sendmail` of Postfix, Exim or msmtp.

The program gets one letter on its standard input, and puts it into the queue of a mail server.  Its
exit code says what became of the letter (sysexits.h).
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import IO, cast

from pbmserv.mail.addresses import LONGEST_ADDRESS
from pbmserv.mail.transport import Envelope, Postponed, Undeliverable, Unreachable
from pbmserv.security.tokens import blanked
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
_FILES_AND_PROGRAMS = ("/", "|")  # what a recipient begins with that is no mailbox


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
        following: Envelope | None = None,
    ) -> str:
        """Hand one letter to the program; returns the first line that it says, or that it took it.

        Raises Undeliverable if the program knows no such user or host, and Unreachable if it cannot
        be run, or works for no letter.  After every other failure it raises Postponed.
        """
        for part in (envelope_sender or address, address):
            _check(part)
        self._dialogue.begin(self._timeout, 0)
        try:
            self._dialogue.seconds_left()
            return self._answer(_Run(self._started(envelope_sender, address), data, self._dialogue))
        except TimeoutError as error:
            raise Postponed(f"{self._path.name}: {error}") from error

    def close(self) -> None:
        """Do nothing: no program runs between two letters."""

    def hurry(self, seconds: float) -> None:
        """End the program for the current letter, and for any later one, within so many seconds."""
        self._dialogue.hurry(seconds)

    def _started(self, envelope_sender: str, address: str) -> subprocess.Popen[bytes]:
        words = [str(self._path), "-i", "-f", envelope_sender, "--", address]
        variables = {name: os.environ[name] for name in _OUR_VARIABLES if name in os.environ}
        try:
            return subprocess.Popen(  # noqa: S603 - no shell; the operator chose the program
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                cwd="/",
                env={**variables, "LC_ALL": "C"},
                start_new_session=True,
                bufsize=0,
            )
        except OSError as error:
            raise Unreachable(f"{self._path}: {error.strerror}") from error

    def _answer(self, run: _Run) -> str:
        """What the program says of the letter; raises what its exit code means."""
        code, said = run.ended()
        words = _first_line(said)
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
    """A running program: it gets the letter, and its words are kept."""

    def __init__(
        self, program: subprocess.Popen[bytes], data: bytes, dialogue: BoundedConnection
    ) -> None:
        self._program = program
        self._rest = memoryview(data.replace(b"\r\n", b"\n"))
        self._dialogue = dialogue
        self._said = bytearray()

    @property
    def is_read(self) -> bool:
        """Whether the program took all of the letter."""
        return not self._rest

    def ended(self) -> tuple[int, bytes]:
        """The exit code and the first words; raises TimeoutError and ends a slow program."""
        writes = cast(IO[bytes], self._program.stdin)
        reads = cast(IO[bytes], self._program.stderr)
        with selectors.DefaultSelector() as selector, writes, reads:
            for stream in (writes, reads):
                os.set_blocking(stream.fileno(), False)
            selector.register(writes, selectors.EVENT_WRITE)
            selector.register(reads, selectors.EVENT_READ)
            try:
                self._talk(selector)
            except BaseException:
                self._kill()
                raise
        return self._program.returncode, bytes(self._said)

    def _talk(self, selector: selectors.BaseSelector) -> None:
        """Write the letter and hear the words until the program has ended.

        A process that the program leaves behind may hold the other end of its words open.
        """
        while self._program.poll() is None:
            left = min(SLICE, self._dialogue.seconds_left())
            if not selector.get_map():
                with suppress(subprocess.TimeoutExpired):
                    self._program.wait(left)
                continue
            for key, _ in selector.select(left):
                self._move(selector, cast(IO[bytes], key.fileobj))
        reads = cast(IO[bytes], self._program.stderr)
        if not reads.closed:
            self._hear(reads)

    def _move(self, selector: selectors.BaseSelector, stream: IO[bytes]) -> None:
        goes_on = self._write(stream) if stream is self._program.stdin else self._hear(stream)
        if not goes_on:
            selector.unregister(stream)
            stream.close()

    def _write(self, stream: IO[bytes]) -> bool:
        """Write a piece; False at the end, or where the program reads no more."""
        try:
            self._rest = self._rest[os.write(stream.fileno(), self._rest[:_PIECE]) :]
        except BrokenPipeError:
            return False
        return bool(self._rest)

    def _hear(self, stream: IO[bytes]) -> bool:
        """Keep the next words, as far as there is room; False at their end."""
        try:
            words = os.read(stream.fileno(), _PIECE)
        except BlockingIOError:
            return True
        self._said += words[: MOST_KEPT - len(self._said)]
        return words != b""

    def _kill(self) -> None:
        """End the program and what it has started."""
        with suppress(OSError):  # it may have ended, or belong to another user by now
            os.killpg(self._program.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            self._program.wait(_GOODBYE)


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
