"""Figure 8: the time of a shell command, compared with Python alone and our imports."""

from __future__ import annotations

import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from statistics import median
from time import perf_counter

from scripts.benchmarks.figures import Figure, at_most, progress
from scripts.benchmarks.serving import server
from scripts.benchmarks.town import Town


def shell_commands(folder: Path, quick: bool) -> list[Figure]:
    """Figure 8, with a server running in the home and without."""
    python, perudo = sys.executable, str(Path(sys.executable).with_name("perudo"))
    runs = 1 if quick else 15
    found = []
    with Town(folder / "home", 'smtp = "127.0.0.1:0"\n') as town:
        (board,) = town.open_boards(1)
        show = [perudo, "--home", str(town.home), "show", str(board.stands.id)]
        for what, yard, goal, running in (
            ("server running, to python -c pass", "pass", 2.0, True),
            ("no server, to importing what it needs", "import sqlalchemy, click", 1.25, False),
        ):
            with server(town.home) if running else nullcontext():
                ours, theirs = [], []
                for number in range(runs):
                    progress(f"figure 8: {what}: {number + 1} of {runs}")
                    ours.append(_seconds(show))
                    theirs.append(_seconds([python, "-c", yard]))
            ratio = median(ours) / median(theirs)
            found.append(at_most(8, f"perudo show, {what}", ratio, goal))
    return found


def _seconds(command: list[str]) -> float:
    begun = perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return perf_counter() - begun
