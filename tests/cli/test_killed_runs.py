"""Processes that a test starts end with it, also if the test run is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO

import pytest

from tests.cli.processes import until
from tests.shared import FOLDER

ROOT = Path(__file__).parents[2]
NOBODY = (65_534, 65_534)
_RUN = """
import os, sys, time
from tests.forked import Forked
words, account = [sys.argv[1]], eval(sys.argv[2])
process = Forked(words, env={**os.environ}, cwd="/", account=account)
print(process.pid, flush=True)
time.sleep(600)
"""


def environment_of_run(folder: str) -> dict[str, str]:
    """That of a run of tests of its own, which shares nothing with ours; its files are here."""
    shared = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": folder}
    return {name: each for name, each in shared.items() if name != FOLDER}


def begun_run(folder: str, *program: str) -> subprocess.Popen[str]:
    """A run of tests that has just begun: a program and its words."""
    return subprocess.Popen(
        [sys.executable, "-c", *program],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=environment_of_run(folder),
    )


def said_by(run: subprocess.Popen[str]) -> IO[str]:
    """What a run says; it is closed at the end of a block."""
    assert run.stdout is not None
    return run.stdout


def is_alive(number: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


only_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux ends processes with their parent"
)


@only_linux
@pytest.mark.parametrize("account", [None, NOBODY])
def test_a_process_of_a_killed_run_ends(account: tuple[int, int] | None) -> None:
    """Also one that has changed its account, as the servers of tests/real do."""
    if account and os.geteuid() != 0:
        pytest.skip("only root can change the account")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        script = Path(folder, "sleeps")
        script.write_text("import time\ntime.sleep(600)\n")
        run = begun_run(folder, _RUN, str(script), repr(account))
        with said_by(run) as lines:
            number = int(lines.readline())
        assert is_alive(number)
        run.send_signal(signal.SIGKILL)
        run.wait()
        until(lambda: not is_alive(number))


_SERVERS = """
import time
from tests import dovecot, postgresql
running = [dovecot.dovecot(), postgresql.cluster()]
for server in running:
    try:
        print(server.__enter__()._process.pid, flush=True)
    except (dovecot.Missing, postgresql.Missing):
        print("-", flush=True)
time.sleep(600)
"""


@only_linux
def test_the_servers_of_others_end_with_a_killed_run() -> None:
    """Dovecot and PostgreSQL, with all their processes."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        run = begun_run(folder, _SERVERS)
        with said_by(run) as lines:
            said = [lines.readline().strip() for _ in range(2)]
        begun = [int(each) for each in said if each != "-"]
        children = [each for number in begun for each in children_of(number)]
        run.send_signal(signal.SIGKILL)
        run.wait()
        if not begun:
            pytest.skip("neither Dovecot nor PostgreSQL is installed here")
        until(lambda: not [each for each in (*begun, *children) if is_alive(each)])


def children_of(number: int) -> list[int]:
    return [
        int(each) for each in Path(f"/proc/{number}/task/{number}/children").read_text().split()
    ]
