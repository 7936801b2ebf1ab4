"""Python programs in processes of their own, some of which do the same in the same instant."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.limits import with_us

# To import what a program uses takes longer than what it does: one process imports it, and forks.
_BEFORE = """
import multiprocessing, sys
from pathlib import Path
import alembic.command
"""
_AFTER = """
context = multiprocessing.get_context("fork")
barrier = context.Barrier(int(sys.argv[2]), timeout=600)
running = [context.Process(target=act, args=(barrier,)) for _ in range(int(sys.argv[2]))]
for process in running:
    process.start()
for process in running:
    process.join()
sys.exit(any(process.exitcode for process in running))
"""


def started(program: str, home: Path, *words: str) -> subprocess.Popen[str]:
    """A process that runs a program; its first word is the home."""
    return subprocess.Popen(
        with_us(sys.executable, "-c", program, str(home), *words),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run_at_once(count: int, program: str, home: Path) -> str:
    """Run so many processes, each of which calls the program's `act(barrier)`; what they print.

    Raises AssertionError, with what they wrote, if one of them fails.
    """
    process = started(_BEFORE + program + _AFTER, home, str(count))
    said, errors = process.communicate()
    assert process.returncode == 0, errors
    return said
