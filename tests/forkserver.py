"""Starts our programs without imports: a process that has imported all modules forks them.

To import what a program needs takes longer than most commands do.  So one process imports it, once
in a run of tests, and forks at every start.  The result is a real process.  It has the words,
environment, folder and files that it is given.  Signals end it, and it has an exit code.  It runs
the installed script, as a shell would; only its modules are there already.

`tests/forked.py` asks for processes in a test, `tests/forkstubs.py` at a shell.  Tests of a start
itself use `subprocess`.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import marshal
import os
import runpy
import select
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from io import BufferedReader, BufferedWriter, FileIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pbmserv.cli.main import pbmserv as program
from pbmserv.cli.shell_server import modules

Account = tuple[int, int] | None  # the numbers of a user and a group
# Python reads these as it starts: a forked process has to do with those of the fork server.
OF_PYTHON = ("PYTHON", "LC_", "LANG")
UNBUFFERED = "PYTHONUNBUFFERED"
IGNORABLE = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LENGTH, NUMBER = 4, 20  # bytes: of the length of what is asked, and of each number in answer
_SET_PARENT_DEATH_SIGNAL = 1  # of prctl(2), which only Linux has
_prctl = getattr(ctypes.CDLL(None), "prctl", None)
_PASSWORD = "swordfish"
_EMAIL = "From: ann@example.org\nTo: perudo@localhost\nSubject: {}\nMessage-ID: <{}@x>\n\n"


class _Server:
    """Forks a process for each request, and reports its exit code."""

    def __init__(self, lifeline: int, listener: socket.socket) -> None:
        self._lifeline, self._listener = lifeline, listener  # the first is closed with the tests
        self._hears, self._bell = os.pipe()  # a byte for each signal
        os.set_blocking(self._hears, False)
        os.set_blocking(self._bell, False)
        self._signals = {each: signal.getsignal(each) for each in (*IGNORABLE, signal.SIGCHLD)}
        self._running: dict[int, socket.socket] = {}

    def run(self) -> list[str] | None:
        """Serve to the end; the words of a process in the process itself."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the key is for pytest
        signal.signal(signal.SIGCHLD, lambda *_: None)  # it is heard through the pipe
        signal.set_wakeup_fd(self._bell)
        watched: list[Any] = [self._lifeline, self._listener, self._hears]
        while True:
            ready, _, _ = select.select(watched, [], [])
            if self._hears in ready:
                os.read(self._hears, 4096)
                self._tell()
            if self._lifeline in ready:
                return None
            if self._listener in ready and (words := self._fork(self._listener.accept()[0])):
                return words

    def _tell(self) -> None:
        """Report every process that has ended."""
        for number in [*self._running]:
            ended, status = os.waitpid(number, os.WNOHANG)
            if ended:
                with self._running.pop(number) as answers, suppress(BrokenPipeError):
                    answers.sendall(_as_answer(status))

    def _fork(self, answers: socket.socket) -> list[str] | None:
        _, files, _, _ = socket.recv_fds(answers, 1, 3)
        with answers.makefile("rb") as asking:
            length = int.from_bytes(asking.read(LENGTH), "big")
            words, *own = marshal.loads(asking.read(length))  # noqa: S302 - only tests ask
        assert threading.active_count() == 1  # no other thread would be in the process
        server = os.getpid()
        number = os.fork()
        if number:
            for each in files:
                os.close(each)
            self._running[number] = answers
            with suppress(BrokenPipeError):
                answers.sendall(_as_answer(number))
            return None
        self._forget()
        answers.close()
        _become(files, *own)
        _die_with(server)
        sys.path[0] = str(Path(words[0]).parent)
        return [*words]

    def _forget(self) -> None:
        """Close the files of the server, in a process that was forked."""
        signal.set_wakeup_fd(-1)
        for each, before in self._signals.items():
            signal.signal(each, before)
        for running in self._running.values():
            running.close()
        os.close(self._lifeline)
        self._listener.close()
        os.close(self._hears)
        os.close(self._bell)


def _as_answer(number: int) -> bytes:
    return str(number).rjust(NUMBER).encode()


def _become(
    files: Sequence[int],
    environ: Mapping[Any, Any],
    folder: str,
    numbers: Sequence[int],
    ignored: Sequence[int],
    account: Account,
) -> None:
    """Become the requested process, whose standard files have these numbers."""
    for number, file in zip(numbers, files, strict=True):
        os.dup2(file, number)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environb.update({os.fsencode(name): os.fsencode(each) for name, each in environ.items()})
    time.tzset()
    tempfile.tempdir = None  # it is that of the environment
    for each in IGNORABLE:
        if each in ignored:
            signal.signal(each, signal.SIG_IGN)
        elif signal.getsignal(each) is signal.SIG_IGN:  # where the tests run in the background
            is_key = each == signal.SIGINT
            signal.signal(each, signal.default_int_handler if is_key else signal.SIG_DFL)
    if account:
        os.setgroups([])
        os.setgid(account[1])
        os.setuid(account[0])
    is_unbuffered = bool(os.environ.get(UNBUFFERED))
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        standard = None
        if number in numbers:
            standard = _standard(number, getattr(sys, name), is_unbuffered)
        else:
            os.close(number)
        setattr(sys, name, standard)
        setattr(sys, f"__{name}__", standard)


def _die_with(server: int) -> None:
    """Let the kernel kill this process when the fork server ends, which ends with the tests.

    A change of the account clears that, so it comes last (prctl(2)).
    """
    if _prctl is not None:
        _prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != server:  # it has ended before
        os._exit(1)


def _standard(number: int, like: Any, is_unbuffered: bool) -> TextIOWrapper:
    """A file like that of the server, opened anew as Python does as it starts."""
    file: Any = FileIO(number, "wb" if number else "rb", closefd=False)
    if number == 0:
        file = BufferedReader(file)
    elif not is_unbuffered:
        file = BufferedWriter(file)
    return TextIOWrapper(
        file,
        encoding=like.encoding,
        errors=like.errors,
        newline="\n" if number else None,
        line_buffering=number == 2 or os.isatty(number),
        write_through=is_unbuffered and number > 0,
    )


def _import_all() -> None:
    """Import what the programs need, and compile the longest templates."""
    for name in (*modules(), "alembic.command", "dns.resolver", "encodings.idna", "psycopg"):
        with suppress(ImportError):  # an extra that is not installed
            import_module(name)
    _rehearse()


def _rehearse() -> None:
    """Do what most programs do, so that no process compiles the same statements and templates."""
    sys.path[0] = str(Path(__file__).parents[1])
    dialects, shortcuts = (import_module(f"tests.{name}") for name in ("dialects", "shortcuts"))
    dialects.share()
    shortcuts.take(pytest.MonkeyPatch())
    with tempfile.TemporaryDirectory() as home:
        for name in ("ann", "bob"):
            _typed(home, f"signup {name} {_PASSWORD} {name}@example.org")
        _typed(home, "perudo challenge -inorder ann bob")
        for text in (f"perudo move 1 ann {_PASSWORD} 1-2s", "no command"):
            number = len(text)
            _typed(home, "receive --sender ann@example.org", _EMAIL.format(text, number))
        for words in (
            f"perudo move 1 bob {_PASSWORD} dudo",
            f"perudo showas ann {_PASSWORD} 1",
            "perudo show 1",
            "list",
            "audit",
            "queue list",
            "deliver",
        ):
            _typed(home, words)


def _typed(home: str, words: str, text: str = "") -> None:
    CliRunner().invoke(program, ["--home", home, *words.split()], text, catch_exceptions=False)


def _run(program: str) -> None:
    """Run a script to its end, and leave as Python does, but do not take all modules apart."""
    try:
        runpy.run_path(program, run_name="__main__")
    except SystemExit as end:
        if not isinstance(end.code, int):
            raise
        threading._shutdown()  # type: ignore[attr-defined]  # waits for threads, as at each end
        atexit._run_exitfuncs()
        for file in filter(None, (sys.stdout, sys.stderr)):  # a shell may have closed one
            file.flush()
        os._exit(end.code)


if __name__ == "__main__":
    if os.fork():  # the process of tests that needs it first may end before the others
        os._exit(0)
    open_pipe = os.open(sys.argv[1], os.O_RDONLY | os.O_NONBLOCK)
    listening = socket.socket(fileno=int(sys.argv[2]))
    _import_all()
    gc.collect()
    gc.freeze()  # memory that is not written to is not copied
    if typed := _Server(open_pipe, listening).run():
        sys.argv = typed
        _run(typed[0])
