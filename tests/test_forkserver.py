"""What the fork server starts does what the same words do where Python starts anew."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.processes import PROGRAMS, environment, started, until
from tests.forked import PIPE, Forked
from tests.forkstubs import stubs

pytestmark = pytest.mark.long

OWN = """
import os, signal, sys
print(sys.argv[1:], os.getcwd(), os.environ.get("OWN"), sys.stdin.buffer.read(), file=sys.stderr)
print(sys.stdin.encoding, sys.stdout.errors, sys.stderr.errors, sys.stdout.line_buffering)
print([signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)])
print(sys.path[0], sorted(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else [])
{}
"""


def anew(words: list[str], environ: dict[str, str], text: bytes) -> tuple[int, bytes, bytes]:
    done = subprocess.run(words, input=text, capture_output=True, env=environ, check=False)
    return done.returncode, done.stdout, done.stderr


def forked(words: list[str], environ: dict[str, str], text: bytes) -> tuple[int, bytes, bytes]:
    with Forked(words, env=environ, stdin=PIPE, stdout=PIPE, stderr=PIPE) as process:
        out, error = process.communicate(text, 60)
        return process.wait(), out, error


@pytest.mark.parametrize(
    "words",
    [
        ["pbmserv", "--version"],
        ["pbmserv", "no-such-command"],
        ["perudo", "move", "--help"],
        ["pbmserv", "deliver"],
        ["pbmserv", "multiple"],
    ],
    ids=" ".join,
)
def test_a_program_says_and_ends_as_if_it_was_started_anew(words: list[str], home: Path) -> None:
    home.mkdir()
    (home / "pbmserv.toml").write_text("smpt = 1\n")
    typed = [str(PROGRAMS / words[0]), *words[1:]]
    environ = environment(home)
    assert forked(typed, environ, b"") == anew(typed, environ, b"")


@pytest.mark.parametrize(
    "end",
    [
        "sys.exit(3)",
        "sys.exit('a word')",
        "1 / 0",
        "import atexit; atexit.register(print, 'at the exit')",
        "import threading; threading.Timer(0.1, print, ['a thread']).start(); sys.exit(0)",
        "sys.stdout.write('without an end'); sys.exit(0)",
        "raise KeyboardInterrupt",
        "os.kill(os.getpid(), signal.SIGKILL)",
    ],
)
def test_a_forked_process_has_its_own_environment(
    end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words, folder, environment, files and signals; it ends in every way that there is."""
    program = tmp_path / "program"
    program.write_text(OWN.format(end))
    monkeypatch.chdir(tmp_path)
    environ = {**os.environ, "OWN": "só"}
    text = "Grüße".encode()
    (one, out, error), (code, said, failed) = (
        start([*before, str(program), "a", "b c"], environ, text)
        for start, before in ((forked, []), (anew, [sys.executable]))
    )
    assert (one, out) == (code, said)
    lines = failed.splitlines()
    assert error.splitlines()[:1] == lines[:1]
    assert error.splitlines()[-1:] == lines[-1:]


@pytest.mark.parametrize(
    "line",
    [
        "pbmserv --version",
        "perudo move --help | head -3",
        "pbmserv no-such-command; echo $?",
        "pbmserv multiple <&-",
        "pbmserv --version >&-; echo $?",
        "pbmserv --version >/dev/full; echo $?",
        "(pbmserv --version; pbmserv --version) >said; cat said",
        "PYTHONIOENCODING=latin-1 pbmserv --version",
    ],
)
def test_a_program_at_a_shell_says_and_ends_as_if_it_was_started_anew(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "home").mkdir(mode=0o700)
    said = [
        anew(["sh", "-c", line], environment(tmp_path / "home", {"PATH": path}), b"")
        for path in (f"{programs}:{os.environ['PATH']}" for programs in (PROGRAMS, stubs()))
    ]
    assert said[0] == said[1]


def test_a_program_at_a_shell_passes_signals_on(home: Path) -> None:
    """It passes them on, and ends as what was started does."""
    with subprocess.Popen(
        [str(stubs() / "pbmserv"), "receive"], stdin=subprocess.PIPE, env=environment(home)
    ) as process:
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == -signal.SIGTERM


def test_signals_end_one_process_while_others_run(home: Path) -> None:
    """A caller that does not wait long enough is told so."""
    text = ("pbmserv", "receive")
    with started(home, *text, stdin=PIPE) as first, started(home, *text, stdin=PIPE) as second:
        assert first.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            first.wait(0.01)
        first.terminate()
        assert first.wait(60) == -signal.SIGTERM
        assert second.poll() is None
        second.kill()
        assert second.wait() == -signal.SIGKILL
        second.terminate()
    until(lambda: not Path(f"/proc/{second.pid}").exists())


def test_startup_settings_of_python_cannot_be_changed(home: Path) -> None:
    with pytest.raises(ValueError, match="PYTHONUTF8: needs a start of its own"):
        started(home, "pbmserv", "--version", environ={"PYTHONUTF8": "1"})
