"""`pbmserv serve` is three processes: two that work, and one that starts and ends them."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pbmserv.server.supervisor import ENDING, is_ending
from tests.cli.processes import environment, until

# A program whose worker does what its first word says, as often as it is started.
SUPERVISED = """
import os, re, signal, sys, time
if "SIGHUP" not in os.environ:  # a test run may be one of nohup(1)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
from pbmserv.server import supervisor
supervisor.SECONDS_TO_STOP = 0.5
supervisor.FIRST_PAUSE = 0.01
before = set(sys.modules)
work = supervisor.supervised(sys.argv[2:] or ["intake"])
print("worker", os.getpid(), flush=True)
work.ready()
exec(sys.argv[1])
"""
# The same, whose worker says itself that it is ready.  What it has written before stands before
# anything of the worker that starts then.
READY_LATER = SUPERVISED.replace("work.ready()", "").replace("argv[1])", "argv[1], globals())")
# As a server it has a handler, and in C code no handler is called.
HANGS = "signal.signal(signal.SIGTERM, print); print(flush=True); re.match('(a+)+b', 'a' * 60)"
ENDS = "sys.exit({})"
WAITS = "time.sleep(600)"
# One call of the system fails, after so many that do not.
FAILS_ONCE = """
call, before_it = os.{0}, iter(range({1}))
def fails():
    if next(before_it, None) is not None:
        return call()
    os.{0} = call
    raise OSError({2}, os.strerror({2}))
os.{0} = fails
"""
HAS_A_FULL_LOG = 'os.dup2(os.open("/dev/full", os.O_WRONLY), 2)\n'
DIES_TWICE = """
if not os.path.exists("2"):
    os.rename("1", "2") if os.path.exists("1") else open("1", "w").close()
    os.kill(os.getpid(), signal.SIGSEGV)
sys.exit(0)
"""


@contextmanager
def supervised(
    words: str, folder: Path, *roles: str, program: str = SUPERVISED
) -> Iterator[subprocess.Popen[str]]:
    """A supervisor in a session of its own; it and its workers are killed at the end."""
    with subprocess.Popen(
        [sys.executable, "-c", program, words, *roles],
        cwd=folder,
        env=environment(folder, {"PYTHONPATH": str(Path(__file__).parents[2])}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
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


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_an_unresponsive_worker_is_killed(tmp_path: Path, how: signal.Signals) -> None:
    """It keeps the interpreter's lock. Work at shutdown waits for the next start."""
    with supervised(HANGS, tmp_path) as process:
        worker = worker_of(process)
        assert process.stdout is not None and process.stdout.readline() == "\n"  # it begins
        process.send_signal(how)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0
        assert "pbmserv: intake has not stopped within 0.5 s, and is killed" in said
        assert not is_alive(worker)


def test_a_closed_terminal_ends_no_server_that_nohup_has_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its worker is still looked after."""
    monkeypatch.setenv("SIGHUP", "is ignored")
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with supervised(WAITS, tmp_path) as process:
            worker = worker_of(process)
            for each in (process.pid, worker):
                os.kill(each, signal.SIGHUP)
            os.kill(worker, signal.SIGKILL)
            assert worker_of(process) != worker
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_worker_that_died_is_started_again(tmp_path: Path) -> None:
    with supervised(DIES_TWICE, tmp_path) as process:
        out, said = process.communicate(timeout=60)
    assert process.returncode == 0
    assert len(set(out.split("\n")[:-1])) == 3
    assert said.count("pbmserv: intake was ended by SIGSEGV; it starts again in") == 2


@pytest.mark.parametrize(
    ("call", "before_it", "error"),
    [("fork", 0, errno.ENOMEM), ("pipe", 1, errno.EMFILE), ("pipe", 2, errno.EMFILE)],
)
def test_a_system_without_room_for_a_worker_does_not_end_the_server(
    tmp_path: Path, call: str, before_it: int, error: int
) -> None:
    """Memory or open files are missing: it starts the worker again after a pause."""
    failing = FAILS_ONCE.format(call, before_it, error)
    program = SUPERVISED.replace("work = ", failing + "work = ")
    with supervised(ENDS.format(0), tmp_path, program=program) as process:
        heard, said = process.communicate(timeout=60)
    assert heard.startswith("worker ")
    assert f"intake cannot start ({os.strerror(error)}); it starts again in 0.01 s" in said
    assert process.returncode == 0


def test_a_full_disk_of_the_log_does_not_end_the_server(tmp_path: Path) -> None:
    """It cannot say that a worker died, and starts it again."""
    program = SUPERVISED.replace("work = ", HAS_A_FULL_LOG + "work = ")
    with supervised(DIES_TWICE, tmp_path, program=program) as process:
        heard, _ = process.communicate(timeout=60)
    assert heard.count("worker ") == 3
    assert process.returncode == 0


FULL_FOR_A_WHILE = """
if os.path.exists("1") and not os.path.exists("2"):
    open("2", "w").close()
    sys.exit(75)
work.ready()
if not os.path.exists("1"):
    open("1", "w").close()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_cause_that_stops_a_later_start_may_pass(tmp_path: Path) -> None:
    """A disk that is full just when a role starts again ends no server."""
    with supervised(FULL_FOR_A_WHILE, tmp_path, program=READY_LATER) as process:
        _, said = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "intake was ended by a mistake (exit 75); it starts again" in said


BOTH = ("sending", "intake")
ONE_DIES = """
print(work.role, flush=True)
work.ready()
if work.role == "sending" and not os.path.exists("1"):
    while not os.path.exists("2"):
        time.sleep(0.01)
    open("1", "w").close()
    os.kill(os.getpid(), signal.SIGKILL)
open("2", "w").close()
time.sleep(600)
"""


def test_a_worker_that_died_ends_no_other(tmp_path: Path) -> None:
    """Only its own role starts again."""
    with supervised(ONE_DIES, tmp_path, *BOTH, program=READY_LATER) as process:
        assert process.stdout is not None and process.stderr is not None
        said = [process.stdout.readline().split()[0] for _ in range(6)]
        assert said == ["worker", "sending", "worker", "intake", "worker", "sending"]
        assert "sending was ended by SIGKILL; it starts again" in process.stderr.readline()
        process.terminate()
        assert process.wait(60) == 0


def test_a_role_starts_when_the_one_before_is_ready(tmp_path: Path) -> None:
    words = "print(work.role, flush=True); sys.exit(3)"
    with supervised(words, tmp_path, *BOTH, program=READY_LATER) as process:
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 3
    assert out.split()[2:] == ["sending"]


ENDS_WHEN_TOLD = """
def end(*_):  # it may come while `print` still writes, which then cannot be called again
    os.write(1, f"ends {work.role}\\n".encode())
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
print("waits", flush=True)
work.ready()
time.sleep(600)
"""


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_the_roles_end_one_after_the_other(tmp_path: Path, how: signal.Signals) -> None:
    """Who takes email ends first; Ctrl-C of a terminal is for the supervisor alone."""
    with supervised(ENDS_WHEN_TOLD, tmp_path, *BOTH, program=READY_LATER) as process:
        assert process.stdout is not None
        said = [process.stdout.readline().split()[0] for _ in range(4)]
        assert said == ["worker", "waits", "worker", "waits"]
        if how == signal.SIGINT:
            os.killpg(process.pid, how)
        else:
            process.send_signal(how)
        out, _ = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "ends intake\nends sending\n")


@pytest.mark.parametrize("role", BOTH)
def test_a_role_with_wrong_settings_ends_the_other_one(tmp_path: Path, role: str) -> None:
    """The exit code is its own: a server of which only a part works is not a server."""
    words = f"sys.exit(78) if work.role == '{role}' else time.sleep(600)"
    with supervised(words, tmp_path, *BOTH) as process:
        process.communicate(timeout=60)
    assert process.returncode == 78


@pytest.mark.parametrize("code", [0, 78])
def test_a_worker_that_ends_by_itself_is_not_started_again(tmp_path: Path, code: int) -> None:
    """Its code is that of the command: wrong settings do not mend by themselves."""
    with supervised(ENDS.format(code), tmp_path) as process:
        out, said = process.communicate(timeout=60)
    assert (process.returncode, said, out.count("worker")) == (code, "", 1)


def test_a_worker_ends_with_its_supervisor(tmp_path: Path) -> None:
    """The next server that starts finds its home free.

    The worker can still record that no email or letter has ended it.
    """
    words = f"work.orphaned.append(lambda: open('told', 'w').close()); print(flush=True); {WAITS}"
    with supervised(words, tmp_path) as process:
        worker = worker_of(process)
        assert process.stdout is not None and process.stdout.readline() == "\n"
        process.kill()
        process.wait()
        until(lambda: not is_alive(worker))
    assert (tmp_path / "told").exists()


def test_a_pause_before_the_next_start_ends_at_once(tmp_path: Path) -> None:
    words = "supervisor.FIRST_PAUSE = 600; os.kill(os.getpid(), signal.SIGKILL)"
    slow = SUPERVISED.replace("FIRST_PAUSE = 0.01", "FIRST_PAUSE = 600")
    with supervised(words, tmp_path, program=slow) as process:
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
        " 'pbmserv.mail', 'pbmserv.server.intake_worker') if each in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_a_supervisor_that_stops_its_workers_says_so_by_its_name(tmp_path: Path) -> None:
    """So a server that starts meanwhile knows that it is worth waiting."""
    with supervised(WAITS, tmp_path) as process:
        worker_of(process)
        assert not is_ending(process.pid)
        process.terminate()
        name = Path(f"/proc/{process.pid}/comm")  # it is there until somebody waits for the process
        until(lambda: name.read_text().strip() == ENDING)
        assert is_ending(process.pid)
        process.communicate(timeout=60)
        assert is_ending(process.pid)  # it has gone
