"""Give a command the standard files, the variables and the terminal of its caller.

The process of a shell command gets them once it has been forked.  From then on it behaves like a
process that the caller has started.
"""

from __future__ import annotations

import logging
import os
import queue
import select
import signal
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from getpass import GetPassWarning
from io import DEFAULT_BUFFER_SIZE, BufferedReader, BufferedWriter, FileIO, TextIOWrapper
from typing import Any

import click
from click import termui

from pbmserv.cli import client
from pbmserv.cli.shell_request import Asked, StandardFile
from pbmserv.commands.perudo import verify

MOST_INPUT = 16 * 1024 * 1024  # bytes that a command of other users reads: a record has a few KB
LEAVING = 60  # seconds that a command has to end once its caller has left
_STANDARD_ERROR = 2


def become(
    asked: Asked, files: Sequence[int], prompter: Prompter, most: float = float("inf")
) -> None:
    """Take on the caller's standard files and variables, as a process that it has started.

    `most` is how many bytes of standard input the command may read.
    """
    verify.files_are_here = False
    root = logging.getLogger()
    for handler in [*root.handlers]:  # they write to the server's standard error
        root.removeHandler(handler)
    root.setLevel(logging.WARNING)
    for name in client.VARIABLES:
        os.environ.pop(name, None)
    os.environ.update(asked.variables)
    for number, given in enumerate(files):
        os.dup2(given, number)
        os.close(given)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        standard = _standard(number, asked.files[number], prompter, most)
        setattr(sys, name, standard)
        setattr(sys, f"__{name}__", standard)
    sys.argv = [asked.program, *asked.words]


def _standard(number: int, told: StandardFile, prompter: Prompter, most: float) -> TextIOWrapper:
    """A standard file as Python opens it when it starts."""
    at_terminal = told.is_terminal and not os.isatty(number)
    kind = _Terminal if at_terminal else FileIO if number else _Input
    file: Any = kind(number, "wb" if number else "rb", closefd=False)
    if isinstance(file, _Input):
        file.before_reading = prompter.read if at_terminal else prompter.wait
        file.left = most
    return TextIOWrapper(
        BufferedWriter(file) if number else BufferedReader(file),
        encoding=told.encoding,
        errors=told.errors,
        newline="\n" if number else None,
        line_buffering=number == _STANDARD_ERROR or told.is_terminal,
    )


class _Input(FileIO):
    """What the caller's process reads; a caller who has left ends the wait for it.

    `left` is how many bytes it may still have; raises ClickException for more.
    """

    before_reading: Callable[[], None]
    left: float

    def readinto(self, buffer: Any, /) -> Any:
        self.before_reading()
        return self._within_limit(super().readinto(buffer))

    def _within_limit(self, length: int) -> int:
        self.left -= length
        if self.left < 0:
            raise click.ClickException("Standard input is too long.")
        return length

    def readall(self) -> Any:
        found = bytearray()
        while more := self.read(DEFAULT_BUFFER_SIZE):
            found += more
        return bytes(found)

    def read(self, size: int | None = -1, /) -> Any:
        if size is None or size < 0:
            return self.readall()
        self.before_reading()
        found = super().read(size)
        self._within_limit(len(found))
        return found


class _Terminal(_Input):
    """A pipe whose other end is at a terminal; its caller copies what is typed once we read."""

    def isatty(self) -> bool:
        return True


class Prompter:
    """Has the caller's process ask for passwords, as only that one has the terminal.

    When the caller leaves, it interrupts the command as Ctrl-C does.
    """

    def __init__(self, call: socket.socket) -> None:
        self._call = call
        self._answers: queue.SimpleQueue[tuple[bytes, str]] = queue.SimpleQueue()
        self._has_read = False
        self._left, self._leaves = os.pipe()

    def begin(self) -> None:
        """Listen to the caller from now on."""
        termui.hidden_prompt_func = self.ask
        threading.Thread(target=self._listen, daemon=True).start()

    def read(self) -> None:
        """Have the caller's process copy from now on what is typed at its terminal."""
        if not self._has_read:
            self._call.sendall(client.READS)
        self._has_read = True
        self.wait()

    def wait(self) -> None:
        """Wait until there is input; raises KeyboardInterrupt if the caller has left.

        A signal alone may come just before the wait begins, and end nothing.
        """
        if self._left in select.select([0, self._left], [], [])[0]:
            raise KeyboardInterrupt

    def ask(self, prompt: str) -> str:
        """What is typed; raises GetPassWarning, EOFError or KeyboardInterrupt as `getpass` does."""
        sys.stdout.flush()
        sys.stderr.flush()
        said = prompt.encode("utf-8", "surrogatepass")
        self._call.sendall(client.ASKS + len(said).to_bytes(client.LENGTH, "big") + said)
        became, typed = self._answers.get()
        if became == client.NO_TERMINAL:
            raise GetPassWarning
        if became == client.END_OF_INPUT:
            raise EOFError
        if became == client.INTERRUPTED:
            raise KeyboardInterrupt
        return typed

    def _listen(self) -> None:
        with suppress(OSError, ValueError):
            while tag := self._call.recv(1):
                length = int.from_bytes(exactly(self._call, client.LENGTH), "big")
                if length > client.LARGEST:
                    break
                typed = exactly(self._call, length).decode("utf-8", "surrogatepass")
                self._answers.put((tag, typed))
        signal.alarm(LEAVING)
        os.write(self._leaves, b"\0")
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


def exactly(call: socket.socket, length: int) -> bytes:
    """So many bytes; raises OSError if the caller leaves before."""
    found = b""
    while len(found) < length:
        if not (more := call.recv(length - len(found))):
            raise ConnectionError("the caller has left")
        found += more
    return found
