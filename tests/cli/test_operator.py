"""The operator's commands that annul and stop boards, and directories that are not homes."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.processes import PROGRAMS, environment, invoked, started
from tests.forked import PIPE
from tests.homes import changed
from tests.stories.town import letters_in, town_at


def test_a_board_is_annulled_counts_again_and_is_stopped(copied: Path) -> None:
    """Each is told to the players, and in `trace`; what cannot be done is refused."""
    steps = [
        (("annul", "1", "--why", "a test"), 0, "Board 1 is annulled; its players are told.\n"),
        (("annul", "1"), 1, ""),
        (("annul", "1", "--undo"), 0, "Board 1 counts again; its players are told.\n"),
        (("stop", "1", "--why", "a test"), 0, "Board 1 is stopped; its players are told.\n"),
        (("stop", "1"), 1, ""),
        (("annul", "99"), 1, ""),
        (("annul", "0"), 2, ""),
    ]
    for words, code, said in steps:
        done = invoked(copied, "pbmserv", *words)
        assert (done.returncode, done.stdout) == (code, said), done.stderr
    told = [each for each in letters_in(copied) if each.to == "bob@example.org"][-3:]
    assert {each.subject for each in told} == {"Perudo board 1"}
    openings = (
        "Board 1 no longer counts for ratings.\n\nThe operator has annulled board 1:",
        "Board 1 counts for ratings again.",
        "The operator has stopped the game.",
    )
    for letter, begin in zip(told, openings, strict=True):
        assert letter.text.startswith(begin)
    lines = invoked(copied, "pbmserv", "trace", "1").stdout.splitlines()
    assert [line.partition("operator: ")[2] for line in lines[:3]] == [
        "annul, board 1 (a test)",
        "annul --undo, board 1",
        "stop, board 1 (a test)",
    ]


def test_two_boards_annulled_at_once_are_both_out_of_the_ratings(tmp_path: Path) -> None:
    """A process that is killed in between has changed nothing: the audit finds no problem."""
    home = tmp_path / "home"
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        for board in range(1, 5):
            town.challenge("ann", "bob")
            town.move("ann", "2-2s", board)
            town.move("bob", "dudo", board)
            town.move("ann", "resign", board)
    both = [started(home, "pbmserv", "annul", board, stdout=PIPE) for board in ("1", "2")]
    for number, done in enumerate(both, start=1):
        assert done.communicate(timeout=60)[0].decode() == (
            f"Board {number} is annulled; its players are told.\n"
        )
    with subprocess.Popen(
        [str(PROGRAMS / "pbmserv"), "annul", "3"], env=environment(home), stdout=subprocess.PIPE
    ) as killed:
        time.sleep(1.0)
        killed.kill()
    assert invoked(home, "pbmserv", "audit").stdout == "Boards: 4, problems: 0\n"


def test_an_annulment_names_the_players_who_are_not_told(copied: Path) -> None:
    changed(
        copied,
        "update addresses set paused_at = ?, paused_by = 'bounced' where address = ?",
        1_700_000_000,
        "bob@example.org",
    )
    for word, done in (("annul", "annulled"), ("stop", "stopped")):
        said = invoked(copied, "pbmserv", word, "1").stdout
        left = "its players are told, except bob: no letters go there now"
        assert said == f"Board 1 is {done}; {left}.\n"


@pytest.mark.parametrize(
    "words",
    [
        *(("queue", "list"), ("queue", "show", "in1"), ("trace", "ann@example.org"), ("audit",)),
        *(
            ("tick",),
            ("deliver",),
            ("fetch",),
            ("backup", "copy"),
            ("move-database", "sqlite:///x"),
        ),
        *(("list",), ("perudo", "show", "1"), ("perudo", "verify", "1")),
        *(("set", "ann", "-"), ("perudo", "challenge", "ann", "bob")),
    ],
    ids=" ".join,
)
def test_a_mistyped_home_is_not_made_and_found_in_order(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    done = invoked(tmp_path / "hoem", "pbmserv", *words)
    assert done.returncode == 78
    assert "there is no home; use --home or PBMSERV_HOME to say where it is" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_command_that_makes_a_home_says_so(tmp_path: Path) -> None:
    """Its name may be mistyped.  In a home that is there, nothing is said."""
    home = tmp_path / "hoem"
    first = invoked(home, "pbmserv", "signup", "ann", "swordfish")
    again = invoked(home, "pbmserv", "signup", "bob", "swordfish")
    assert first.stderr == f"pbmserv: {home}: there was no home, so a new one is made\n"
    assert (first.returncode, again.returncode, again.stderr) == (0, 0, "")


def test_a_folder_without_a_database_is_not_taken_for_a_home(tmp_path: Path) -> None:
    done = invoked(tmp_path, "perudo", "show", "1")
    assert done.returncode == 78
    assert "there is no database yet" in done.stderr
    assert list(tmp_path.iterdir()) == []
