"""Real processes in a real home: `pbmserv serve`, and commands typed beside it."""

from __future__ import annotations

import os
import signal
import smtplib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from click.testing import CliRunner
from sqlalchemy import Engine

from pbmserv.cli import terminal_output
from pbmserv.cli.client import IN_PLACE
from pbmserv.cli.main import pbmserv, perudo
from pbmserv.database.engine import writing
from pbmserv.intake.password_pool import BUCKET, STRANGERS_DAILY
from pbmserv.ratelimit.token_bucket import Share, turn
from pbmserv.timeunits import DAY
from tests.forked import PIPE, Forked, Given

PROGRAMS = Path(sys.executable).parent
PATIENCE = 60.0  # seconds: on a busy machine a server takes more than 20 to start


def environment(home: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables of a shell; its commands ask no server, except in tests of that."""
    return {**os.environ, "PBMSERV_HOME": str(home), IN_PLACE: "yes", **(more or {})}


def started(
    home: Path, *words: str, environ: Mapping[str, str] | None = None, **files: Given
) -> Forked:
    """A process in which `perudo …` or `pbmserv …` begins; `files` as for subprocess.Popen."""
    program = str(PROGRAMS / words[0])
    env = environment(home, environ)
    return Forked([program, *words[1:]], env=env, cwd=None, account=None, **files)


def typed(
    home: Path, *words: str, text: str | bytes = "", environ: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """What `perudo …` or `pbmserv …` does at a shell."""
    with started(home, *words, environ=environ, stdin=PIPE, stdout=PIPE, stderr=PIPE) as process:
        out, error = process.communicate(
            text.encode() if isinstance(text, str) else text, PATIENCE * 3
        )
        return subprocess.CompletedProcess(words, process.wait(), out.decode(), error.decode())


def invoked(home: Path, *words: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """The same as `typed`, in this process: faster, where a test needs no other process."""
    group = {"perudo": perudo, "pbmserv": pbmserv}[words[0]]
    done = CliRunner().invoke(group, ["--home", str(home), *words[1:]], input=text)
    return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)


@contextmanager
def wide_terminal() -> Iterator[None]:
    """Commands that are `invoked` now fold no line, so that words can be found in it."""
    before, terminal_output.WIDTH = terminal_output.WIDTH, 10_000
    try:
        yield
    finally:
        terminal_output.WIDTH = before


def empty_the_bucket(engine: Engine) -> None:
    """Use up the passwords that strangers may try, for some hours from now."""
    spent = Share(BUCKET, STRANGERS_DAILY, STRANGERS_DAILY)
    with writing(engine) as connection:
        assert turn(connection, [spent], int(time.time()), patience=DAY)[1]


def until(done: Callable[[], bool], patience: float = PATIENCE) -> None:
    """Wait until a condition is true; fail if that takes too long."""
    last = time.monotonic() + patience
    while not done():
        assert time.monotonic() < last, "waited in vain"
        time.sleep(0.02)


class Served:
    """A home with `pbmserv serve` running in it."""

    def __init__(self, home: Path, words: Sequence[str] = (), program: str = "pbmserv") -> None:
        self.home = home
        self.log = home.parent / f"{home.name}.log"
        with self.log.open("ab") as log:
            self._before = log.tell()
            unbuffered = {"PYTHONUNBUFFERED": "1"}
            self.process = started(
                home, program, "serve", *words, environ=unbuffered, stdout=log, stderr=log
            )
        try:
            until(lambda: bool(self.addresses()) or self.process.poll() is not None)
        except AssertionError:
            self.process.kill()  # nobody would stop it
            self.process.wait()
            raise

    def addresses(self) -> list[str]:
        """Its addresses, one for each start of the process that takes email."""
        said = self._said().splitlines()
        here = "pbmserv: SMTP on "
        return [line.removeprefix(here) for line in said if line.startswith(here)]

    def call(self) -> smtplib.SMTP:
        """A connection to the SMTP listener."""
        host, _, port = self.addresses()[-1].rpartition(":")
        return smtplib.SMTP(host, int(port), "client.example", timeout=PATIENCE)

    def send(self, raw: bytes, sender: str, recipient: str) -> None:
        """Hand over one email; returns when the server has answered 250."""
        with self.call() as client:
            client.sendmail(sender, [recipient], raw)

    def workers(self) -> dict[str, int]:
        """The processes of its roles that run now, by role."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        found = {}
        for number in children.read_text().split():
            with suppress(OSError):  # it has just ended
                name = Path(f"/proc/{number}/comm").read_text().strip()
                found[name.removeprefix("pbmserv-")] = int(number)
        return found

    def kill(self, role: str) -> None:
        """End the process of a role by SIGKILL; returns when another one does its work."""
        until(lambda: self._starts(role) > 0 and role in self.workers())
        starts = self._starts(role)
        os.kill(self.workers()[role], signal.SIGKILL)
        until(lambda: self._starts(role) > starts)

    def _starts(self, role: str) -> int:
        return self._said().count(f" INFO {role}: started: ")

    def _said(self) -> str:
        return self.log.read_bytes()[self._before :].decode()

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        """End the server, by SIGTERM unless told otherwise; its exit code."""
        self.process.send_signal(how)
        return self.process.wait(PATIENCE)


@contextmanager
def served(
    home: Path, settings: str = "", words: Sequence[str] = (), program: str = "pbmserv"
) -> Iterator[Served]:
    """A server in a home, on a free port, started with these arguments; stopped at the end.

    `program` is the path of a script that runs it in another way.
    """
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "pbmserv.toml").write_text(f'smtp = "127.0.0.1:0"\n{settings}', "utf-8")
    (home / "pbmserv.toml").chmod(0o600)  # there may be passwords in it
    server = Served(home, words, program)
    try:
        yield server
    finally:
        try:
            if server.process.poll() is None:
                server.stop()
        finally:
            server.process.kill()
            server.process.wait()
