"""The program printed in docs/notation.md checks the dice of real records, and finds one change."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from pbmserv.cli.main import pbmserv
from pbmserv.games.perudo.notation import read_position, write_position
from pbmserv.games.perudo.rules import OPTIONS, rules_named
from pbmserv.games.perudo.table import Dealt
from tests.games.games import proven_game, without_proof, write_record
from tests.games.test_restored import restored_game
from tests.stories.town import town_at

pytestmark = pytest.mark.long

PAGE = (Path(__file__).parents[1] / "docs" / "notation.md").read_text("utf-8")
CHECK = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The record of a game that two players begin, as `perudo record` prints it."""
    home = tmp_path_factory.mktemp("notation") / "home"
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob")
        town.move("ann", "1-2s")
        town.move("bob", "dudo")
        words = ["--home", str(home), "perudo", "record", "1"]
        return CliRunner().invoke(pbmserv, words, catch_exceptions=False).stdout


def check(record: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the page's program on a record."""
    assert CHECK is not None
    (folder / "board-12.txt").write_text(record, "utf-8")
    return subprocess.run(
        [sys.executable, "-I", "-c", CHECK.group(1)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_program_proves_a_game_that_was_played(record: str, tmp_path: Path) -> None:
    done = check(record, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "round 1: proven\nthis is the beginning of a game: it is not over\n"


def test_the_program_proves_a_game_of_a_restored_server(tmp_path: Path) -> None:
    record = restored_game(rules_named("bga"), 3, Random(5))
    done = check(write_record(record), tmp_path)
    assert done.returncode == 0, done.stderr
    rounds = sum(isinstance(event, Dealt) for event in record.events)
    assert done.stdout.count(": proven") == rounds
    assert "beginning" not in done.stdout


def test_the_program_proves_a_game_with_a_beacon(tmp_path: Path) -> None:
    """Its lines are lines like others; a changed value is found in the next round."""
    text = write_record(proven_game(rules_named("bga"), 3, Random(5), beacons=True))
    done = check(text, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(": proven") == text.count("\ndeal ")
    changed = re.sub(r"\nbeacon (\d+) .{64}", r"\nbeacon \1 " + "ab" * 32, text, count=1)
    assert check(changed, tmp_path).returncode == 1


def test_the_program_finds_a_round_whose_proof_is_left_out(tmp_path: Path) -> None:
    whole = proven_game(rules_named("bga"), 3, Random(5))
    done = check(write_record(without_proof(whole, {2})), tmp_path)
    assert (done.returncode, done.stdout) == (1, "round 1: proven\n")
    assert done.stderr.startswith("round 2: not proven")


@pytest.mark.parametrize("change", ["die", "seed", "bid", "commitment"])
def test_the_program_finds_one_change(change: str, record: str, tmp_path: Path) -> None:
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


def test_the_documents_position_is_read_and_written_back() -> None:
    (line,) = re.findall(r"^    (bga,.*)$", PAGE, re.MULTILINE)
    assert write_position(read_position(line)) == line


def test_the_documented_options_are_in_the_order_of_the_rule_sets() -> None:
    rows = dict(re.findall(r"^\| (\w+) \| `([a-z0-9_ ]+)` \|$", PAGE, re.MULTILINE))
    assert {name: words.split() for name, words in rows.items()} == {
        name: list(options) for name, options in OPTIONS.items()
    }
