"""Programs of the benchmarks that run in parallel and answer over a pipe."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO


class Asked:
    """A running program: it answers each line on its standard input by one on its output."""

    def __init__(self, questions: IO[str], answers: IO[str]) -> None:
        self._questions, self._answers = questions, answers

    def told(self) -> str:
        """The next line of its output."""
        return self._answers.readline()

    def ask(self, question: str = "") -> str:
        """Its answer to a line; waits for it."""
        print(question, file=self._questions, flush=True)
        return self.told()


@contextmanager
def asked(module: str, *words: str) -> Iterator[Asked]:
    """A module of ours as a running program with these arguments, ended with the block."""
    with subprocess.Popen(
        [sys.executable, "-m", module, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield Asked(process.stdin, process.stdout)
        finally:
            process.terminate()
