"""Figures 8 and 14: the time of a command at a shell, compared with Python and with imports."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from statistics import median
from time import perf_counter

from scripts.benchmarks.figures import Figure, at_most, in_time, progress
from scripts.benchmarks.population import Town
from scripts.benchmarks.server_process import server

PYTHON, PROGRAMS = sys.executable, Path(sys.executable).parent
PASS = [PYTHON, "-c", "pass"]
IMPORTS = [PYTHON, "-c", "import sqlalchemy, click"]
SECONDS = 15.0  # after which a figure has no further runs
_numbers = count(1)

Words = Sequence[str | Path]
Command = tuple[Words, str]
"""The words of a command, and its standard input."""


def shell_commands(folder: Path, quick: bool) -> list[Figure]:
    """Figure 8, with a server running in the home and without."""
    with Town(folder / "home", 'smtp = "127.0.0.1:0"\n') as town:
        (board,) = town.open_boards(1)
        show: Words = [PROGRAMS / "perudo", "--home", town.home, "show", str(board.stands.id)]
        what = "perudo show, server running, to python -c pass"
        with server(town.home):
            found = [at_most(8, what, _ratio(lambda: (show, ""), PASS, quick), 2.0)]
        what = "perudo show, no server, to import sqlalchemy, click"
        found.append(at_most(8, what, _ratio(lambda: (show, ""), IMPORTS, quick), 1.6))
        page: Words = [PROGRAMS / "perudo", "--help"]
        ratio = _ratio(lambda: (page, ""), PASS, quick)
        return [*found, at_most(8, "perudo --help, to python -c pass", ratio, 5.0)]


def received(folder: Path, quick: bool) -> list[Figure]:
    """Figure 14: an email that a mail server hands over by a pipe."""
    with Town(folder / "home", 'smtp = "127.0.0.1:0"\n') as town:
        words: Words = [
            PROGRAMS / "pbmserv",
            "--home",
            town.home,
            "receive",
            "--sender",
            "ann@x.org",
        ]

        def email() -> Command:
            return words, f"From: ann@x.org\nMessage-ID: <{next(_numbers)}@x>\n\nhello\n"

        with server(town.home):
            ratio = _ratio(email, PASS, quick)
    return [at_most(14, "pbmserv receive, server running, to python -c pass", ratio, 3.0)]


def _ratio(ours: Callable[[], Command], yardstick: Sequence[str], quick: bool) -> float:
    """The median time of a command, compared with that of the yardstick, one after the other."""
    runs = 1 if quick else 25
    mine, theirs = [], []
    _seconds(ours())  # the first one after a server's start starts its process for shells
    for number in in_time(runs, SECONDS, least=9):
        progress(f"start {number + 1} of {runs}")
        mine.append(_seconds(ours()))
        theirs.append(_seconds((yardstick, "")))
    return median(mine) / median(theirs)


def _seconds(command: Command) -> float:
    words, text = command
    begun = perf_counter()
    subprocess.run(words, input=text.encode(), check=True, stdout=subprocess.DEVNULL)
    return perf_counter() - begun
