"""A real PostgreSQL of the tests' own: a private cluster in a folder, on a socket in it alone."""

from __future__ import annotations

import getpass
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pbmserv.database.engine import close
from pbmserv.database.upgrade import open_database
from pbmserv.settings import Settings
from tests.limits import with_us
from tests.shared import made_once

_PATIENCE = 60.0  # seconds
# Nothing is kept, so nothing is tidied up or made safe; nothing is left in shared memory.
_OPTIONS = (
    "-c listen_addresses= -c fsync=off -c autovacuum=off -c dynamic_shared_memory_type=mmap"
    " -c full_page_writes=off -c jit=off -c synchronous_commit=off -c wal_level=minimal"
    " -c plan_cache_mode=force_generic_plan"  # a statement of ours needs no plan for each value
    " -c max_wal_senders=0 -c checkpoint_timeout=1h -c max_wal_size=4GB"
)
_COPIES_FILES = 150_000  # the first version that can also copy pages one by one, which takes longer
_WITH_TABLES = "prepared"  # the name of a database
_ACCOUNT = "postgres"  # PostgreSQL does not run as root; Debian's package makes this account


class Missing(Exception):
    """PostgreSQL is not installed here; the message says why."""


class Cluster:
    """A running PostgreSQL."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self._folder, self._programs = folder, programs
        self.data = folder / "data"
        self._databases = 0

    def new_database(self) -> str:
        """The URL of an empty database."""
        return self._url_of(self._created("template1"))

    def database_with_tables(self) -> str:
        """The URL of a new database with the newest schema, a copy of the prepared one."""
        return self._url_of(self._created(_WITH_TABLES))

    def prepare(self) -> None:
        """Make the database of which others are copies."""
        self._create(_WITH_TABLES, "template1")
        url = self._url_of(_WITH_TABLES)
        close(open_database(Settings(home=self._folder, database=url)))

    def _created(self, template: str) -> str:
        """The name of a new database, the copy of another one."""
        self._databases += 1
        name = f"pbmserv{self._databases}"
        self._create(name, template)
        return name

    def _create(self, name: str, template: str) -> None:
        """Make a database as a copy of another one; the program createdb takes far longer."""
        import psycopg  # an extra

        with psycopg.connect(
            f"host={self._folder} user=pbmserv dbname=postgres", autocommit=True
        ) as connection:
            how = " STRATEGY file_copy" if connection.info.server_version >= _COPIES_FILES else ""
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}{how}".encode())

    def _url_of(self, name: str) -> str:
        return f"postgresql+psycopg://pbmserv@/{name}?host={self._folder}"

    def start(self, options: str = "") -> None:
        """Start it in the foreground; `options` of the program `postgres` replace ours."""
        options = f"-k {self._folder} {_OPTIONS} {options}"
        words = [str(self._programs / "postgres"), "-D", str(self.data), *options.split()]
        with (self._folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                with_us(*words, how="QUIT"),
                cwd=self._folder,
                user=_account(),
                group=_account(),
                extra_groups=[] if _account() else None,
                stdout=log,
                stderr=log,
            )
        last = time.monotonic() + _PATIENCE
        while not self._is_ready():
            if self._process.poll() is not None or time.monotonic() > last:
                self.stop()
                said = (self._folder / "log").read_text("utf-8", "replace")
                raise Missing(f"PostgreSQL does not start: {said.strip()[-200:]}")
            time.sleep(0.02)

    def _is_ready(self) -> bool:
        try:
            self.run("pg_isready", "-h", str(self._folder))
        except Missing:
            return False
        return True

    def stop(self, how: signal.Signals = signal.SIGQUIT) -> None:
        """End it at once, as nothing in it is needed any more, or by SIGINT with all it has."""
        self._process.send_signal(how)  # nothing happens if it has ended
        self._process.wait(_PATIENCE)

    def run(self, program: str, *words: str) -> None:
        """Run a program of PostgreSQL, as an account that it does not refuse."""
        found = subprocess.run(
            [str(self._programs / program), *words],
            cwd=self._folder,
            user=_account(),
            group=_account(),
            extra_groups=[] if _account() else None,
            capture_output=True,
            text=True,
            check=False,
        )
        if found.returncode:
            raise Missing(f"{program}: {(found.stderr or found.stdout).strip()[:200]}")


def _account() -> str | None:
    return _ACCOUNT if os.geteuid() == 0 else None


def _programs() -> Path:
    if on_path := shutil.which("initdb"):
        return Path(on_path).resolve().parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))  # Debian keeps them apart
    if not versions:
        raise Missing("PostgreSQL is not installed here")
    return versions[-1].parent


@contextmanager
def cluster(options: str = "") -> Iterator[Cluster]:
    """A cluster, deleted at the end; raises Missing where none can be made."""
    with _place() as found:
        prepared = made_once("postgresql", _prepare)
        subprocess.run(["cp", "-a", prepared, found.data], check=True)
        found.start(options)
        try:
            yield found
        finally:
            found.stop()


@contextmanager
def _place() -> Iterator[Cluster]:
    """A new cluster.  Its folder is not one of pytest's, because a socket's path is short."""
    programs = _programs()
    with tempfile.TemporaryDirectory(prefix="pbmserv-") as name:
        folder = Path(name)
        if os.geteuid() == 0:
            try:
                shutil.chown(folder, _ACCOUNT)
            except LookupError as error:
                raise Missing(f"there is no account {_ACCOUNT} for {getpass.getuser()}") from error
        yield Cluster(folder, programs)


def _prepare(target: Path) -> None:
    """Make the data of a cluster that has a database with the newest schema."""
    with _place() as found:
        data = str(found.data)
        found.run("initdb", "-D", data, "-A", "trust", "-U", "pbmserv", "-E", "UTF8", "--no-sync")
        found.start()
        try:
            found.prepare()
        finally:
            found.stop(signal.SIGINT)
        found.data.rename(target)
