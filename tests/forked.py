"""Processes that the fork server starts: what tests use in place of `subprocess.Popen`."""

from __future__ import annotations

import json
import marshal
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO, Any, Self

from tests import forkserver
from tests.forkserver import IGNORABLE, LENGTH, NUMBER, OF_PYTHON, UNBUFFERED, Account
from tests.shared import lifeline, made_once

PIPE = subprocess.PIPE
PROGRAMS = Path(sys.executable).parent
_LISTENS = "s"  # the path of a socket must be short
Given = int | IO[Any] | None  # a file's number, a file, PIPE, or None for the one that is ours


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
        cwd: Path | None = None,
        account: Account = None,
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
            where = cwd or Path.cwd()
            self._answers = _forked(self.args, env, [file for file, _ in files], where, account)
        self.pid = int(self._answers.recv(NUMBER, socket.MSG_WAITALL))

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, negative for a signal; raises subprocess.TimeoutExpired."""
        code = self._ended(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return code

    def poll(self) -> int | None:
        """The exit code; None while it runs."""
        return self._ended(0)

    def _ended(self, timeout: float | None) -> int | None:
        with self._lock:
            if self.returncode is None and select.select([self._answers], [], [], timeout)[0]:
                self.returncode = os.waitstatus_to_exitcode(
                    int(self._answers.recv(NUMBER, socket.MSG_WAITALL))
                )
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
    words: Sequence[str],
    environ: Mapping[str, str],
    files: Sequence[int],
    cwd: Path,
    account: Account,
) -> socket.socket:
    """Ask the fork server for a process; where its number comes, and later how it ended."""
    listens, its_environ = fork_server()
    for name in {*environ, *its_environ} - {UNBUFFERED}:
        if name.startswith(OF_PYTHON) and environ.get(name) != its_environ.get(name):
            raise ValueError(f"{name}: needs a start of its own")
    ignored = [each for each in IGNORABLE if signal.getsignal(each) is signal.SIG_IGN]
    told = ([*words], {**environ}, str(cwd), [0, 1, 2], [*map(int, ignored)], account)
    asked = marshal.dumps(told)
    ours = socket.socket(socket.AF_UNIX)
    ours.connect(listens)
    socket.send_fds(ours, [b"?"], files)
    ours.sendall(len(asked).to_bytes(LENGTH, "big") + asked)
    return ours


@cache
def fork_server() -> tuple[str, Mapping[str, str]]:
    """The socket of the fork server, which ends with the run of tests, and its environment."""
    written = made_once("forkserver", _start)
    return str(written.with_name(_LISTENS)), json.loads(written.read_text("utf-8"))


def _start(target: Path) -> None:
    """Start the fork server, and write down its environment."""
    environ = dict(os.environ)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(target.with_name(_LISTENS)))
        listener.listen(100)
        subprocess.run(
            [sys.executable, forkserver.__file__, str(lifeline()), str(listener.fileno())],
            stdin=subprocess.DEVNULL,
            pass_fds=[listener.fileno()],
            env=environ,
            cwd="/",
            start_new_session=True,  # without the terminal that the tests may run at
            check=True,
        )
    target.write_text(json.dumps(environ), "utf-8")
