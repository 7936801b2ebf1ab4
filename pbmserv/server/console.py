"""Lines for a server's standard output and error, which may be full, closed or missing."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

OUT, ERROR = 1, 2  # file descriptors


def say(line: str, to: int = ERROR) -> None:
    """Write a line for the operator; nothing happens if that is not possible now.

    The disk of the log may be full, or nobody reads a pipe any more.  No server ends for that.
    """
    with suppress(OSError):
        os.write(to, f"pbmserv: {line}\n".encode("utf-8", "backslashreplace"))


def open_missing() -> None:
    """Open standard input, output and error if they are closed; they then lead nowhere.

    Otherwise the next file that is opened would get the descriptor, such as the database.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # it gets the lowest number that is free
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w" if number else "r", closefd=False))
