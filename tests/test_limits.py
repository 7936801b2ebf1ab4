"""No test waits without an end, and servers' programs are found."""

from __future__ import annotations

import os
import queue
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from tests.limits import LONGEST, limited

OVER = "did not end in 0.01 seconds"


def test_every_wait_of_a_test_ends() -> None:
    forever = threading.Event()
    thread = threading.Thread(target=forever.wait)
    thread.start()
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        subprocess.Popen(["sleep", "600"]) as process,
    ):
        for wait in (
            forever.wait,
            thread.join,
            queue.Queue[int]().get,
            server.accept,
            process.communicate,
        ):
            with pytest.raises(pytest.fail.Exception, match=OVER), limited(0.01):
                wait()
        process.kill()
    forever.set()
    thread.join()


def left() -> float:
    return signal.getitimer(signal.ITIMER_REAL)[0]


@pytest.fixture
def around() -> Iterator[float]:
    yield left()
    assert 0 < left() <= LONGEST


def test_each_part_of_a_test_has_an_end(around: float) -> None:
    """The making of what it needs, itself, and the end of that."""
    assert 0 < around <= LONGEST
    assert 0 < left() <= LONGEST


@pytest.mark.long
def test_programs_of_servers_are_found_without_their_folder_in_path() -> None:
    """Debian gives only root a PATH with /usr/sbin."""
    code = "import os, tests.conftest; print(os.environ['PATH'], flush=True)"
    words = [sys.executable, "-c", code]
    environ = {**os.environ, "PATH": "/usr/bin:/bin"}
    said = subprocess.run(words, env=environ, capture_output=True, text=True, check=True).stdout
    assert said == "/usr/bin:/bin:/usr/sbin:/sbin\n"
