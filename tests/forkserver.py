"""Our programs start without importing: a process that has imported all modules forks them.

To import what a program needs takes longer than most commands do.  So one process imports it,
once for a worker of pytest, and forks at every start.  What comes of it is a real process: it
has the words, environment, folder and files that it is given, is ended by signals, and leaves by
an exit code.  It runs the installed script, as a shell would; only its modules are there already.

Tests of a start itself use `subprocess`.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib import import_module
from io import BufferedReader, BufferedWriter, FileIO, TextIOWrapper
from pathlib import Path
from typing import IO, Any, Self

import pbmserv
from pbmserv.letters.render import environment

PIPE = subprocess.PIPE
Given = int | IO[Any] | None  # a file's number, a file, PIPE, or None for the one that is ours
# Python reads these as it starts: a forked process has to do with those of the fork server.
_OF_PYTHON = ("PYTHON", "LC_", "LANG")
_UNBUFFERED = "PYTHONUNBUFFERED"
_IGNORABLE = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_NUMBER = 20  # bytes: the most that the number of a process or a status needs


# --- in the tests


class Forked:
    """A process, with what tests use of `subprocess.Popen`; the first word is a script's path."""

    def __init__(
        self,
        words: Sequence[str],
        *,
        env: Mapping[str, str],
        stdin: Given = None,
        stdout: Given = None,
        stderr: Given = None,
    ) -> None:
        self.args = [*words]
        self.returncode: int | None = None
        self._lock = threading.Lock()  # one thread at a time hears how it ended
        with ExitStack() as until_forked:
            files = [
                until_forked.enter_context(_file(*each))
                for each in ((stdin, 0), (stdout, 1), (stderr, 2))
            ]
            self.stdin, self.stdout, self.stderr = (mine for _, mine in files)
            self._answers = _forked(self.args, env, [number for number, _ in files])
        self.pid = int(self._answers.recv(_NUMBER))

    def wait(self, timeout: float | None = None) -> int:
        """How it ended, a signal as a negative number; raises subprocess.TimeoutExpired."""
        code = self._ended(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return code

    def poll(self) -> int | None:
        """How it ended; None while it runs."""
        return self._ended(0)

    def _ended(self, timeout: float | None) -> int | None:
        with self._lock:
            if self.returncode is None and select.select([self._answers], [], [], timeout)[0]:
                self.returncode = os.waitstatus_to_exitcode(int(self._answers.recv(_NUMBER)))
                self._answers.close()
            return self.returncode

    def communicate(self, text: bytes = b"", timeout: float | None = None) -> tuple[bytes, bytes]:
        """What it wrote to its pipes until it ended; raises subprocess.TimeoutExpired."""
        with ThreadPoolExecutor(3) as pipes:
            said = [pipes.submit(_read, each) for each in (self.stdout, self.stderr)]
            pipes.submit(_write, self.stdin, text)
            try:
                self.wait(timeout)
            except subprocess.TimeoutExpired:
                self.kill()
                raise
        return said[0].result(), said[1].result()

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Send SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for pipe in (self.stdin, self.stdout, self.stderr):
            if pipe is not None:
                pipe.close()
        self.wait()


@contextmanager
def _file(given: Given, usual: int) -> Iterator[tuple[int, IO[bytes] | None]]:
    """The number of a file for the other process, and our end of it if it is a pipe."""
    if given != PIPE:
        yield (
            (usual if given is None else given if isinstance(given, int) else given.fileno()),
            None,
        )
        return
    reads, writes = os.pipe()
    theirs, ours, mode = (reads, writes, "wb") if usual == 0 else (writes, reads, "rb")
    try:
        yield theirs, os.fdopen(ours, mode)
    finally:
        os.close(theirs)


def _read(pipe: IO[bytes] | None) -> bytes:
    if pipe is None:
        return b""
    with pipe:
        return pipe.read()


def _write(pipe: IO[bytes] | None, text: bytes) -> None:
    if pipe is not None:
        with suppress(BrokenPipeError), pipe:
            pipe.write(text)


def _forked(
    words: Sequence[str], environ: Mapping[str, str], files: Sequence[int]
) -> socket.socket:
    """Ask the fork server for a process; where its number comes, and later how it ended."""
    server, its_environ = _server()
    for name in {*environ, *its_environ} - {_UNBUFFERED}:
        if name.startswith(_OF_PYTHON) and environ.get(name) != its_environ.get(name):
            raise ValueError(f"{name}: needs a start of its own")
    asked = {
        "words": words,
        "environ": dict(environ),
        "folder": str(Path.cwd()),
        "ignored": [each for each in _IGNORABLE if signal.getsignal(each) is signal.SIG_IGN],
    }
    ours, theirs = socket.socketpair()
    with theirs:
        socket.send_fds(server, [b"?"], [*files, theirs.fileno()])
    ours.sendall(json.dumps(asked).encode() + b"\n")
    return ours


@cache
def _server() -> tuple[socket.socket, Mapping[str, str]]:
    """The fork server of this process, which ends with it, and the environment that it has."""
    ours, theirs = socket.socketpair()
    environ = dict(os.environ)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, __file__, str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            env=environ,
            cwd="/",
        )

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours, environ


# --- in the fork server


class _Server:
    """Forks where it is asked to, and tells how what it forked has ended."""

    def __init__(self, asks: socket.socket) -> None:
        self._asks = asks
        self._hears, self._bell = os.pipe()  # a byte for each signal
        os.set_blocking(self._hears, False)
        os.set_blocking(self._bell, False)
        self._signals = {each: signal.getsignal(each) for each in (*_IGNORABLE, signal.SIGCHLD)}
        self._running: dict[int, socket.socket] = {}

    def run(self) -> list[str] | None:
        """Serve to the end; the words of a process in the process itself."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the key is for pytest
        signal.signal(signal.SIGCHLD, lambda *_: None)  # it is heard through the pipe
        signal.set_wakeup_fd(self._bell)
        while True:
            ready, _, _ = select.select([self._asks.fileno(), self._hears], [], [])
            if self._hears in ready:
                os.read(self._hears, 4096)
                self._tell()
            if self._asks.fileno() in ready:
                said, files, _, _ = socket.recv_fds(self._asks, 1, 4)
                if not said:
                    return None
                if words := self._fork(files):
                    return words

    def _tell(self) -> None:
        """Tell of every process that has ended."""
        for number in [*self._running]:
            ended, status = os.waitpid(number, os.WNOHANG)
            if ended:
                with self._running.pop(number) as answers, suppress(BrokenPipeError):
                    answers.sendall(str(status).encode())

    def _fork(self, files: Sequence[int]) -> list[str] | None:
        answers = socket.socket(fileno=files[3])
        with answers.makefile("rb") as asking:
            asked = json.loads(asking.readline())
        assert threading.active_count() == 1  # no other thread would be in the process
        number = os.fork()
        if number:
            for each in files[:3]:
                os.close(each)
            self._running[number] = answers
            answers.sendall(str(number).encode())
            return None
        self._forget()
        answers.close()
        _become(asked, files[:3])
        words: list[str] = asked["words"]
        return words

    def _forget(self) -> None:
        """In a process that was forked: let go of all that is the server's."""
        signal.set_wakeup_fd(-1)
        for each, before in self._signals.items():
            signal.signal(each, before)
        for running in self._running.values():
            running.close()
        self._asks.close()
        os.close(self._hears)
        os.close(self._bell)


def _become(asked: Mapping[str, Any], files: Sequence[int]) -> None:
    """Take on what a process has of its own."""
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environ"])
    time.tzset()
    for each in asked["ignored"]:
        signal.signal(each, signal.SIG_IGN)
    is_unbuffered = bool(os.environ.get(_UNBUFFERED))
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        setattr(sys, name, _standard(number, getattr(sys, name), is_unbuffered))
        setattr(sys, f"__{name}__", getattr(sys, name))
    sys.path[0] = str(Path(asked["words"][0]).parent)


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
    for each in pkgutil.walk_packages(pbmserv.__path__, "pbmserv."):
        with suppress(ImportError):  # an extra that is not installed
            import_module(each.name)
    for name in ("alembic.command", "sqlalchemy.dialects.sqlite", "psycopg"):
        with suppress(ImportError):
            import_module(name)
    for kind in ("public", "section", "started", "moved", "show"):
        environment("en").get_template(f"perudo/{kind}")


def _run(program: str) -> None:
    """Run a script to its end, and leave as Python does, but do not take all modules apart."""
    try:
        runpy.run_path(program, run_name="__main__")
    except SystemExit as end:
        if not isinstance(end.code, int):
            raise
        threading._shutdown()  # type: ignore[attr-defined]  # waits for threads, as at each end
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(end.code)


if __name__ == "__main__":
    asks = socket.socket(fileno=int(sys.argv[1]))
    _import_all()
    gc.collect()
    gc.freeze()  # memory that is not written to is not copied
    if typed := _Server(asks).run():
        sys.argv = typed
        _run(typed[0])
