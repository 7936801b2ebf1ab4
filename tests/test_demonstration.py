"""The demonstration: a game by real email that anybody can watch."""

from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.forked import PIPE, Forked
from tests.forkstubs import stubs

pytestmark = pytest.mark.long

TOP = Path(__file__).parents[1]


@pytest.fixture
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The demonstration; the fork server starts the programs that it finds beside its Python."""
    program = tmp_path_factory.mktemp("bin") / "demonstration"
    program.write_text(
        f"import runpy, sys\nsys.executable = {str(stubs() / 'python')!r}\n"
        f"runpy.run_path({str(TOP / 'scripts/demonstration.py')!r}, run_name='__main__')\n"
    )
    return str(program)


def show(program: str, folder: Path, *options: str) -> str:
    own = {**os.environ, "TMPDIR": str(folder)}
    words = [program, "--keep", *options]
    with Forked(words, env=own, stdout=PIPE, stderr=PIPE) as process:
        out, error = (said.decode() for said in process.communicate())
    assert process.returncode == 0, error
    (home,) = folder.iterdir()
    # The dates are those of the day, to the minute.
    return re.sub(r"\d+:\d\d UTC", "NOON", out.replace(str(home), "HOME"))


def test_the_show_ends_with_a_winner_a_proof_and_mailboxes_and_can_be_repeated(
    program: str, tmp_path: Path
) -> None:
    """Two players; the letters are where the demonstration says, and --seed repeats it."""
    first, second = tmp_path / "first", tmp_path / "second"
    shows = []
    for folder in (first, second):
        folder.mkdir()
        shows.append(show(program, folder, "--players", "2", "--seed", "5", "--rules", "classic"))
    assert shows[0] == shows[1]
    assert " has won." in shows[0]
    assert "The whole game is proven." in shows[0]
    assert "The mailboxes: HOME/mail" in shows[0]
    assert len(list(first.glob("*/mail/ann@localhost/new/*"))) > 5
    assert list(first.glob("*/pbmserv.sqlite"))
    (home,) = first.iterdir()
    challenge, showas, signup = re.findall("^  (?:PBM|/).*", shows[0], re.MULTILINE)
    assert showas.endswith(" ann -")  # a password in the command is shown by `ps`
    mine = shlex.split(signup)[-2]
    assert signup.endswith(f" signup {mine} -")
    readme = (TOP / "README.md").read_text("utf-8")
    assert mine not in re.findall(r"\w+", readme)  # its first game is played in the same home
    own = {**os.environ, "PBMSERV_HOME": str(tmp_path / "own"), "PBMSERV_PASSWORD": "secret"}
    accounts = re.findall("^PBMSERV_PASSWORD.* (pbmserv signup .*)", readme, re.MULTILINE)
    assert len(accounts) == 2
    for line in (signup, *accounts):
        typed = [shlex.split(signup)[0], *shlex.split(line)[1:]]
        done = subprocess.run(typed, env=own, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    for line in (challenge, showas):
        typed = ["sh", "-c", line.replace("HOME", str(home))]
        done = subprocess.run(typed, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert "Board 2" in done.stdout


@pytest.fixture
def hears_ctrl_c() -> Iterator[None]:
    """What a shell runs in the background ignores the key, and so would all that it starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("hears_ctrl_c")
def test_ctrl_c_ends_the_show_with_a_word(program: str, tmp_path: Path) -> None:
    """Whenever it comes: nothing but "Aborted!" is said, and no server stays behind."""
    for seconds in (0.0, 0.05):
        with subprocess.Popen(
            [sys.executable, program, "--keep"],
            env={**os.environ, "TMPDIR": str(tmp_path), "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as begun:
            assert begun.stdout is not None  # a pipe was asked for
            assert "ann mails" in begun.stdout.readline()
            time.sleep(seconds)
            begun.send_signal(signal.SIGINT)
            _, said = begun.communicate(timeout=60)
        assert said.split() == ["Aborted!"]
        assert begun.returncode == 1
    for home in tmp_path.iterdir():
        port = int((home / "pbmserv.toml").read_text().partition(":")[2].rstrip('"\n'))
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port)).close()
