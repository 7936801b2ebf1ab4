"""The demonstration: a game by real email that anybody can watch."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from scripts.demonstration import Screen, of_round
from tests.forked import PIPE, Forked
from tests.forkstubs import stubs

pytestmark = pytest.mark.long

TOP = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The demonstration; the fork server starts the programs that it finds beside its Python."""
    program = tmp_path_factory.mktemp("bin") / "demonstration"
    program.write_text(WRAPPED.format(python=str(stubs() / "python"), top=str(TOP)))
    return str(program)


# With SEEN_AS_TERMINAL, nobody waits where a person would read: the seconds are added up instead.
WRAPPED = """\
import os, runpy, sys, time
sys.executable = {python!r}
sys.path.insert(0, {top!r})
if "SEEN_AS_TERMINAL" in os.environ:
    waited, really = [], time.sleep
    sys.stdout.isatty = lambda: True
    time.sleep = lambda seconds: waited.append(seconds) if seconds > 0.05 else really(seconds)
    import atexit
    atexit.register(lambda: print(sum(waited), file=sys.stderr))
runpy.run_path({top!r} + "/scripts/demonstration.py", run_name="__main__")
"""


@dataclass(frozen=True)
class Show:
    """What a run of the demonstration printed, and the seconds that it stopped for a reader.

    `escapes` counts those that it wrote for a terminal, such as colours.
    """

    text: str
    stopped: float
    escapes: int


def show(
    program: str, folder: Path, *options: str, terminal: bool = False, colours: bool = False
) -> Show:
    own = {**os.environ, "TMPDIR": str(folder), "TERM": "xterm", "NO_COLOR": "1"}
    own |= {"SEEN_AS_TERMINAL": "1"} if terminal else {}
    own |= {"NO_COLOR": ""} if colours else {}
    words = [program, "--keep", *options]
    with Forked(words, env=own, stdout=PIPE, stderr=PIPE) as process:
        out, error = (said.decode() for said in process.communicate())
    assert process.returncode == 0, error
    (home,) = folder.iterdir()
    # The dates are those of the day, to the minute; a line may end before the zone.
    text = re.sub(r"\d+:\d\d(?=\s+(\|\s+)?UTC)", "NOON", out.replace(str(home), "HOME"))
    return Show(re.sub(r"\x1b\[\d*m", "", text), float(error or 0), text.count("\x1b"))


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory, program: str) -> tuple[Path, Show, Show]:
    """A folder, what was shown there, and the same demonstration again on a terminal."""
    first, second = tmp_path_factory.mktemp("first"), tmp_path_factory.mktemp("second")
    options = ("--players", "2", "--seed", "5", "--rules", "classic")
    piped = show(program, first, *options, colours=True)
    return first, piped, show(program, second, *options, terminal=True)


def test_the_demo_shows_a_bid_its_reply_opened_cups_and_one_proof(
    seen: tuple[Path, Show, Show],
) -> None:
    """Each in the real words of an email; no line is wider than a terminal."""
    text = seen[1].text
    at = [text.index(words) for words in (
        "everybody rolls again", "receives   Your account works, ann", "Round 1, 10 dice",
        ". Beat ", " replies:\n  | ", "\n  |   counted; ", "Round 2, 9 dice",
        " has won.", "perudo verify 1: The whole game is proven.",
    )]  # fmt: skip
    assert at == sorted(at)
    assert text.count("proven") == 1
    assert re.search("[0-9a-f]{64}", text) is None
    assert [line for line in text.splitlines() if len(line) > 80] == []


def test_the_demo_stops_for_readers_at_a_terminal_only(seen: tuple[Path, Show, Show]) -> None:
    """Its number repeats it, as it says; --fast and a pipe leave out only the pauses."""
    _, piped, watched = seen
    assert piped.stopped == 0
    assert 60 < watched.stopped < 120
    told = "It takes 2 minutes; --fast leaves out the pauses. Ctrl-C ends it.\n"
    assert watched.text.replace(told, "") == piped.text
    assert piped.text.count("demo --seed 5 --rules classic --players 2\n") == 2


def test_the_demo_has_colours_only_at_a_terminal_that_wants_them(
    seen: tuple[Path, Show, Show],
) -> None:
    """The piped one allows them, the other is at a terminal where NO_COLOR is set."""
    _, piped, watched = seen
    assert (piped.escapes, watched.escapes) == (0, 0)
    screen = click.Command("screen", callback=lambda: Screen(paced=False).say("A", bold=True))
    assert CliRunner().invoke(screen, color=True).output == "\x1b[1mA\x1b[0m\n"


def test_the_commands_that_the_demo_shows_work_unchanged(seen: tuple[Path, Show, Show]) -> None:
    """The commands that are shown then have none either: a player needs no path."""
    first, piped, _ = seen
    (home,) = first.iterdir()
    assert "The emails: HOME/mail\n" in piped.text
    assert len(list(home.glob("mail/ann@localhost/new/*"))) > 5
    assert (home / "pbmserv.sqlite").exists()
    _, invited = piped.text.split("Now play against a house player as ann; the password is ")
    password, lines = invited.split(":\n")
    assert [line.split()[0] for line in lines.splitlines()] == [".", "export", "perudo"]
    once = "set -e\n" + lines.replace("HOME/", f"{home}/").replace("=HOME", f"={home}")
    said = typed(once, password)
    (showas, *_) = re.findall("^  (perudo showas ann - 2)$", said, re.MULTILINE)
    told = typed(once.rpartition("  perudo")[0] + showas, password)
    assert "Your dice: " in told


@pytest.mark.parametrize(
    "options", [("--seed", "3103"), ("--seed", "5", "--rules", "bga", "--players", "6")]
)
def test_after_a_round_the_demo_quotes_this_round_alone(
    program: str, tmp_path: Path, options: tuple[str, ...]
) -> None:
    """The quotation begins with the round's bids; the first and the last email are shown whole."""
    _, *rounds, _ = re.split(
        r"^Round (?=\d+, \d+ dice$)", show(program, tmp_path, *options).text, flags=re.MULTILINE
    )
    assert len(rounds) > 5
    for number, text in enumerate(rounds[1:], 2):
        quoted = re.findall(r"^  \| (.*)$", text, re.MULTILINE)
        begins = rf"Bids of round {number}:|Round {number}, from your last bid on:|You called dudo "
        assert re.match(begins, quoted[0])
        assert sum(line.startswith("  counted; ") for line in quoted) == 1


@pytest.mark.parametrize("last", ["Bids of round 3: bob one 2.", "You called dudo: bob one 2."])
def test_a_call_of_the_round_before_is_not_quoted(last: str) -> None:
    """An email tells of both if its reader, who called, had no turn in the next round."""
    cups = "bob: 2\n\n  counted; one was bid"
    story = f"Hello\n\nYou called dudo: bob one 6.\n{cups}\n\n{last}\n{cups}"
    assert of_round(f"{story}\n\nTHE TABLE\nbob", 3) == f"{last}\n{cups}"


def typed(lines: str, password: str) -> str:
    """What a shell prints that runs these lines; it finds the programs of the fork server."""
    own = {**os.environ, "PBMSERV_PASSWORD": password}
    lines = re.sub(r"^  \. \S+/activate$", f"  PATH={stubs()}:$PATH", lines, flags=re.MULTILINE)
    done = subprocess.run(
        ["sh", "-c", lines], env=own, cwd=TOP, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.usefixtures("hears_ctrl_c")
def test_ctrl_c_ends_the_show_with_a_word(program: str, tmp_path: Path) -> None:
    """At any moment: only "Aborted!" is said, and no server stays behind."""
    for seconds in (0.0, 0.05):
        with subprocess.Popen(
            [sys.executable, program, "--keep"],
            env={**os.environ, "TMPDIR": str(tmp_path), "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as begun:
            assert begun.stdout is not None  # a pipe was asked for
            assert any("signs up" in line for line in iter(begun.stdout.readline, ""))
            time.sleep(seconds)
            begun.send_signal(signal.SIGINT)
            _, said = begun.communicate(timeout=60)
        assert said.split() == ["Aborted!"]
        assert begun.returncode == 1
    for home in tmp_path.iterdir():
        port = int((home / "pbmserv.toml").read_text().partition(":")[2].rstrip('"\n'))
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port)).close()
