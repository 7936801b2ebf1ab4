"""Files that one process of a test run makes for all of them, such as a new database.

The first process makes a folder for it and names the folder in the environment.  The processes that
it starts find it there.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

FOLDER = "TESTS_SHARED_FOLDER"  # the variable of the environment
_LIFELINE = "lifeline"  # a named pipe, which the process that made the folder holds open


def begin() -> None:
    """Make the folder, which is removed when this process ends; does nothing if there is one."""
    if FOLDER not in os.environ:
        folder, process = tempfile.mkdtemp(prefix="pbmserv-"), os.getpid()
        Path(folder).chmod(0o755)  # for servers that have accounts of their own
        os.mkfifo(lifeline := Path(folder, _LIFELINE))
        os.open(lifeline, os.O_RDWR)
        os.environ[FOLDER] = folder
        atexit.register(_end, folder, process)


def shared_folder() -> Path:
    """The folder of this test run."""
    begin()
    return Path(os.environ[FOLDER])


def lifeline() -> Path:
    """A named pipe that loses its writer when the tests end, also if they are killed."""
    return shared_folder() / _LIFELINE


def _end(folder: str, process: int) -> None:
    if os.getpid() == process:  # it may have forked
        shutil.rmtree(folder)


def made_once(name: str, make: Callable[[Path], object]) -> Path:
    """The file or folder of this name, made by the first process that asks; the others wait."""
    target = shared_folder() / name
    with target.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            unfinished = target.with_suffix(".new")
            make(unfinished)
            unfinished.rename(target)
    return target
