"""Our side: a real `pbmserv serve` in a home of its own, run by an account without privileges."""

from __future__ import annotations

import grp
import os
import pwd
import shutil
import signal
import sqlite3
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from pbmserv.settings import read_settings
from tests.cli.processes import until
from tests.forked import PIPE, Forked, Given
from tests.real.ground import PATIENCE, UNPRIVILEGED, UNPRIVILEGED_GROUP, Ground, Missing

_PROGRAM = """\
#!{interpreter} -P
import site

site.addsitedir({packages!r})
from pbmserv.cli.main import {name}

{name}()
"""


def install(folder: Path) -> None:
    """Make programs that `nobody` can run as well; raises Missing where none can be.

    If only root can reach the interpreter of the tests, the one of the system is used.
    """
    python = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = sysconfig.get_path("purelib")
    (folder / "bin").mkdir()
    for interpreter in (sys.executable, f"/usr/bin/{python}"):
        for name in ("pbmserv", "perudo"):
            program = folder / "bin" / name
            text = _PROGRAM.format(interpreter=interpreter, packages=packages, name=name)
            program.write_text(text, "utf-8")
            program.chmod(0o755)
        with suppress(OSError):
            if _as_nobody([folder / "bin" / "pbmserv", "--help"], {}).returncode == 0:
                return
    raise Missing(f"{UNPRIVILEGED} cannot run this {python} and these packages")


def _as_nobody(
    command: Sequence[str | Path], environ: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        env={**os.environ, **environ},
        cwd="/",
        user=UNPRIVILEGED,
        group=UNPRIVILEGED_GROUP,
        extra_groups=(),
        timeout=PATIENCE * 3,
        check=False,
    )


def _nobody() -> tuple[int, int]:
    """The numbers of the account without privileges and of its group."""
    return pwd.getpwnam(UNPRIVILEGED).pw_uid, grp.getgrnam(UNPRIVILEGED_GROUP).gr_gid


class RealApp:
    """A home that `nobody` owns, and the server in it."""

    def __init__(self, ground: Ground, home: Path, settings: str) -> None:
        self.home = home
        self._ground = ground
        self._process: Forked | None = None
        self._environ = {"PBMSERV_HOME": str(home), "PYTHONUNBUFFERED": "1"}
        self._environ["SSL_CERT_FILE"] = str(ground.folder / "certificate.pem")
        home.mkdir(mode=0o700, exist_ok=True)
        shutil.chown(home, UNPRIVILEGED, UNPRIVILEGED_GROUP)
        self.set(settings)

    @property
    def address(self) -> str:
        """The address to which players write."""
        return read_settings(self.home).address

    def set(self, settings: str) -> None:
        """Replace pbmserv.toml; the next start reads it."""
        file = self.home / "pbmserv.toml"
        file.write_text(settings, "utf-8")
        file.chmod(0o600)  # it may hold passwords
        shutil.chown(file, UNPRIVILEGED, UNPRIVILEGED_GROUP)

    def start(self) -> None:
        """Start `pbmserv serve`, and wait until its listeners are open."""
        log = self._ground.folder / "log" / "pbmserv.out"
        before = log.stat().st_size if log.exists() else 0
        with log.open("ab") as said:
            self._process = self._forked("pbmserv", "serve", stdout=said, stderr=said)
        self._ground.watch(self._process)
        running = self._process

        def is_open() -> bool:
            assert running.poll() is None, log.read_text("utf-8")[before:]
            return "pbmserv: " in log.read_text("utf-8")[before:]

        until(is_open)

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End the server."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(PATIENCE)
            self._process = None

    def typed(self, *words: str) -> str:
        """The output of a command of the operator, which must succeed."""
        with self._forked(*words, stdout=PIPE, stderr=PIPE) as process:
            out, error = (said.decode() for said in process.communicate(timeout=PATIENCE * 3))
        assert process.returncode == 0, out + error
        return out

    def _forked(self, *words: str, **files: Given) -> Forked:
        """A process of the account without privileges, with one of our programs."""
        with Path(os.devnull).open("rb") as nothing:
            return Forked(
                [str(self._ground.folder / "bin" / words[0]), *words[1:]],
                env={**os.environ, **self._environ},
                cwd=self._ground.folder,
                account=_nobody(),
                stdin=nothing,
                **files,
            )

    def asked(self, question: str) -> list[tuple[object, ...]]:
        """The rows that the database returns."""
        file = self.home / "pbmserv.sqlite"
        connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
        try:
            return list(connection.execute(question))
        finally:
            connection.close()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the database for writers, as another process does, while the block runs."""
        connection = sqlite3.connect(self.home / "pbmserv.sqlite", isolation_level=None)
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            connection.execute("ROLLBACK")
            connection.close()
