"""Lines for a server's standard output and error, which may be full, closed or missing."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import FileIO, TextIOWrapper
from typing import Any

OUT, ERROR = 1, 2  # file descriptors


def say(line: str, to: int = ERROR) -> None:
    """Write a line for the operator; nothing happens if that is not possible now.

    The disk of the log may be full, or nobody reads a pipe any more.  No server ends for that.
    """
    with suppress(OSError):
        os.write(to, f"pbmserv: {line}\n".encode("utf-8", "backslashreplace"))


def prepare_streams() -> None:
    """Open standard input, output and error if they are closed, and write to them at once.

    Those that were closed lead nowhere.  Otherwise the next file that is opened would get the
    descriptor, such as the database.  Lines that could not be written are lost.  Python would try
    them again at its end, and fail with status 120.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # it gets the lowest number that is free
        if number:
            unbuffered: Any = FileIO(number, "w", closefd=False)
            stream = TextIOWrapper(unbuffered, "utf-8", "backslashreplace", write_through=True)
            setattr(sys, name, stream)
        elif sys.stdin is None:
            sys.stdin = os.fdopen(number, closefd=False)
