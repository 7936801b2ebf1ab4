"""Limits of time, of tests and of the processes that they start; and a limit of open files.

A test that waits too long fails, and names its line.  The processes of a killed run end.
"""

from __future__ import annotations

import resource
import shutil
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import pytest

LONGEST = 600.0  # seconds for each part of a test; the longest takes 40 on a quiet machine
AGAIN = 20.0  # seconds for what follows the failure, such as the end of a server


def with_us(*words: str, how: str = "KILL") -> list[str]:
    """The words of a command that gets this signal when we end, however that is (on Linux)."""
    return [*(["setpriv", "--pdeathsig", how, "--"] if shutil.which("setpriv") else []), *words]


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Fail if the block takes longer, even while it waits for a lock or a process."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread gets signals
        return

    def over(number: int, frame: FrameType | None) -> None:
        pytest.fail(f"this did not end in {seconds:g} seconds")

    heard = signal.signal(signal.SIGALRM, over)
    left = signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, *left)
        signal.signal(signal.SIGALRM, heard)


@contextmanager
def no_more_files() -> Iterator[None]:
    """Let this process open no file or socket while the block runs."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
