"""Durable commits of the bare database, one by one: the reference for every move.

It is its own process, so that its fsyncs can be slowed like the server's.  Each line on its
standard input is a number of seconds; the answer is the number of commits per second.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

_ROW = "x" * 200  # bytes, about as much as a move's rows of history and board together


def _work(file: str) -> None:
    database = sqlite3.connect(file, isolation_level=None)
    for setting in ("journal_mode = WAL", "synchronous = FULL"):
        database.execute(f"PRAGMA {setting}")
    database.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, row TEXT)")
    for line in sys.stdin:
        commits, begun = 0, perf_counter()
        while (spent := perf_counter() - begun) < float(line):
            database.execute("BEGIN IMMEDIATE")
            database.execute("INSERT INTO rows (row) VALUES (?)", (_ROW,))
            database.execute("COMMIT")
            commits += 1
        print(commits / spent, flush=True)


class Commits:
    """The process, as seen by the benchmarks."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._questions, self._answers = process.stdin, process.stdout

    def a_second(self, seconds: float) -> float:
        """The number of commits per second now, measured for so long."""
        print(seconds, file=self._questions, flush=True)
        return float(self._answers.readline())


@contextmanager
def commits(folder: Path, environment: Mapping[str, str] | None = None) -> Iterator[Commits]:
    """A process that commits to a new database in the folder."""
    with subprocess.Popen(
        [sys.executable, "-m", "scripts.benchmarks.commits", str(folder / "commits.sqlite")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        text=True,
    ) as process:
        try:
            yield Commits(process)
        finally:
            process.terminate()


if __name__ == "__main__":
    _work(sys.argv[1])
