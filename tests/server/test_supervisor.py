"""`pbmserv serve` is two processes: one that takes email, and one that starts and ends it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.processes import environment, until

# A program whose worker does what its first word says, as often as it is started.
SUPERVISED = """
import os, re, signal, sys, time
from pbmserv.server import supervisor
supervisor.SECONDS_TO_STOP = 0.5
supervisor.FIRST_PAUSE = 0.01
before = set(sys.modules)
ready = supervisor.supervised()
print("worker", os.getpid(), flush=True)
ready()
exec(sys.argv[1])
"""
# As a server it has a handler, and in C code no handler is called.
HANGS = "signal.signal(signal.SIGTERM, print); print(flush=True); re.match('(a+)+b', 'a' * 60)"
ENDS = "sys.exit({})"
WAITS = "time.sleep(600)"
DIES_TWICE = """
if not os.path.exists("2"):
    os.rename("1", "2") if os.path.exists("1") else open("1", "w").close()
    os.kill(os.getpid(), signal.SIGSEGV)
sys.exit(0)
"""


@contextmanager
def supervised(words: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", SUPERVISED, words],
        cwd=folder,
        env=environment(folder, {"PYTHONPATH": str(Path(__file__).parents[2])}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def worker_of(process: subprocess.Popen[str]) -> int:
    assert process.stdout is not None
    return int(process.stdout.readline().split()[1])


def is_alive(worker: int) -> bool:
    try:
        os.kill(worker, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{worker}/stat").read_text().split()[2] != "Z"


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_an_unresponsive_worker_is_killed(tmp_path: Path, how: signal.Signals) -> None:
    """It keeps the interpreter's lock. Work at shutdown waits for the next start."""
    with supervised(HANGS, tmp_path) as process:
        worker = worker_of(process)
        assert process.stdout is not None and process.stdout.readline() == "\n"  # it begins
        process.send_signal(how)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0
        assert "has not stopped within 0.5 s, and is killed" in said
        assert not is_alive(worker)


def test_a_worker_that_died_is_started_again(tmp_path: Path) -> None:
    with supervised(DIES_TWICE, tmp_path) as process:
        out, said = process.communicate(timeout=60)
    assert process.returncode == 0
    assert len(set(out.split("\n")[:-1])) == 3
    assert said.count("the server was ended by SIGSEGV; it starts again in") == 2


@pytest.mark.parametrize("code", [0, 78])
def test_a_worker_that_ends_by_itself_is_not_started_again(tmp_path: Path, code: int) -> None:
    """Its code is that of the command: wrong settings do not mend by themselves."""
    with supervised(ENDS.format(code), tmp_path) as process:
        out, said = process.communicate(timeout=60)
    assert (process.returncode, said, out.count("worker")) == (code, "", 1)


def test_a_worker_ends_with_its_supervisor(tmp_path: Path) -> None:
    """The next server that starts finds its home free."""
    with supervised(WAITS, tmp_path) as process:
        worker = worker_of(process)
        process.kill()
        process.wait()
        until(lambda: not is_alive(worker))


def test_a_pause_before_the_next_start_ends_at_once(tmp_path: Path) -> None:
    words = "supervisor.FIRST_PAUSE = 600; os.kill(os.getpid(), signal.SIGKILL)"
    slow = SUPERVISED.replace("FIRST_PAUSE = 0.01", "FIRST_PAUSE = 600")
    with subprocess.Popen(
        [sys.executable, "-c", slow, words],
        env=environment(tmp_path, {"PYTHONPATH": str(Path(__file__).parents[2])}),
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        assert "ended by SIGKILL; it starts again in 600 s" in process.stderr.readline()
        process.terminate()
        assert process.wait(60) == 0


def test_the_supervisor_has_nothing_that_reads_email(tmp_path: Path) -> None:
    """Everything that can be attacked is in the other process."""
    program = (
        "import sys\nfrom pbmserv.cli import main\nfrom pbmserv.cli.operator import serve\n"
        "import pbmserv.server.supervisor\n"
        "print([each for each in ('sqlalchemy', 'email', 'argon2', 'aiosmtpd', 'asyncio',"
        " 'pbmserv.mail', 'pbmserv.server.daemon') if each in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
