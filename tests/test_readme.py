"""What README says works: its check of the dice, and its first game at a shell."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from pbmserv.games.perudo.record import write_record
from pbmserv.games.perudo.rules import rules_named
from pbmserv.games.perudo.table import Dealt
from tests.games.test_restored import restored_game

pytestmark = pytest.mark.long

TOP = Path(__file__).parents[1]
README = (TOP / "README.md").read_text("utf-8")
CHECK = re.search(r"```python\n(.*?)```", README, re.DOTALL)
FIRST_GAME = re.search(r"```sh\n(.*?)```", README, re.DOTALL)


def run(command: str, home: Path) -> subprocess.CompletedProcess[str]:
    """One line of README's, with the home in an empty place."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PBMSERV_HOME": str(home)}
    return subprocess.run(
        ["sh", "-c", command], env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The record of README's first game, played line by line as it is printed there."""
    assert FIRST_GAME is not None
    home = tmp_path_factory.mktemp("readme") / "home"
    for line in FIRST_GAME.group(1).splitlines():
        done = run(line, home)
        assert done.returncode == 0, f"{line}: {done.stderr}"
    return run("perudo record 1", home).stdout


def check(record: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """README's lines of plain Python, run on a record."""
    assert CHECK is not None
    (folder / "board-12.txt").write_text(record, "utf-8")
    return subprocess.run(
        [sys.executable, "-I", "-c", CHECK.group(1)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_first_game_of_the_readme_is_proven_by_its_own_lines(
    record: str, tmp_path: Path
) -> None:
    done = check(record, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "round 1: proven\n"


def test_a_record_of_a_restored_server_is_proven_by_the_same_lines(tmp_path: Path) -> None:
    record = restored_game(rules_named("bga"), 3, Random(5))
    done = check(write_record(record), tmp_path)
    assert done.returncode == 0, done.stderr
    rounds = sum(isinstance(event, Dealt) for event in record.events)
    assert done.stdout.count(": proven") == rounds


@pytest.mark.parametrize("change", ["die", "seed", "bid", "commitment"])
def test_the_lines_of_the_readme_find_one_change(change: str, record: str, tmp_path: Path) -> None:
    """A record with one changed die, seed, bid or commitment is not proven."""
    patterns = {
        "die": r"(reveal )(.)",
        "seed": r"(seed=)(.)",
        "bid": r"(A 1-)(2)",
        "commitment": r"(commit )(.)",
    }

    def other(found: re.Match[str]) -> str:
        return found.group(1) + ("3" if found.group(2) != "3" else "4")

    changed = re.sub(patterns[change], other, record, count=1)
    assert changed != record
    assert check(changed, tmp_path).returncode == 1
