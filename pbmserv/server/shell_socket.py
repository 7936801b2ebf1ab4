"""The unix socket at which shells ask a running server to carry out commands.

Its mode is 0660.  The group is that of the server, or the one that the settings name.  Its members
are players of this machine.  The home itself must let them pass (`maintenance/doctor/shells.py`).

The worker only listens.  At the first call it starts another process for shells, which takes over
the socket.  If that process ends, the worker starts it again.  So a server that no shell asks has
no such process.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from asyncio.subprocess import Process
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from pbmserv.errors import Misconfigured
from pbmserv.transports.unix_sockets import FOR_A_GROUP, bound

CALLS = 64  # connections that the system queues
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 60.0  # seconds before a process that ended is started again
BETWEEN_TRIES = 5.0  # seconds
STEADY = 60.0  # seconds: after a run of this length the first pause applies again
logger = logging.getLogger(__name__)


def is_possible() -> bool:
    """Whether this system tells who calls at a socket: without that nobody is served there."""
    return hasattr(socket, "SO_PEERCRED") and Path("/proc/self/fd").is_dir()


class ShellSocket:
    """The socket `name` in a home, and the program that serves its callers.

    The program gets the number of the socket as its last word.  It ends when its standard input
    does.
    """

    def __init__(self, home: Path, name: str, program: Sequence[str], group: str = "") -> None:
        self._home, self._problem = home, ""
        self._folder = os.open(home, os.O_PATH | os.O_DIRECTORY)
        self._path = Path(f"/proc/self/fd/{self._folder}/{name}")  # short, as a socket's must be
        self._program = program
        self._group = group
        self._process: Process | None = None
        self._serving: asyncio.Task[None] | None = None
        self._socket: socket.socket | None = None

    async def open(self) -> None:
        """Listen, or try again until it can; a server does all its other work without it."""
        if not self._listens():
            self._serving = asyncio.create_task(self._serve_later())
        elif self._socket:
            self._serving = asyncio.create_task(self._serve(self._socket))

    def _listens(self) -> bool:
        """Listen; returns False if that is not possible now."""
        try:
            self._socket = bound(str(self._path), self._group, FOR_A_GROUP, setting="shell_group")
        except (OSError, Misconfigured) as problem:
            why = str(problem).replace(str(self._path.parent), str(self._home))
            if why != self._problem:
                logger.warning("shells carry out commands themselves: %s", why)
            self._problem = why
            return False
        self._socket.setblocking(False)
        self._socket.listen(CALLS)
        return True

    async def _serve_later(self) -> None:
        """Try again: a process for shells of a server that was killed ends only now."""
        while not self._listens():
            await asyncio.sleep(BETWEEN_TRIES)
        assert self._socket is not None  # it listens
        logger.info("shells are served now")
        await self._serve(self._socket)

    async def close(self, grace: float) -> None:
        """Listen no more; commands that run have `grace` seconds to end."""
        if self._serving:
            self._serving.cancel()
            await asyncio.gather(self._serving, return_exceptions=True)
        if self._socket:
            self._path.unlink(missing_ok=True)  # first, as in `listener.Listener.close`
            self._socket.close()
        os.close(self._folder)
        if self._process is None or self._process.stdin is None:
            return
        self._process.stdin.close()
        try:
            async with asyncio.timeout(grace):
                await self._process.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()

    async def _serve(self, listening: socket.socket) -> None:
        """Start the program when somebody calls, as often as it ends."""
        pause, loop = FIRST_PAUSE, asyncio.get_running_loop()
        while True:
            await _called(listening)
            began = loop.time()
            try:
                ended = f"exit code {await self._run(listening.fileno())}"
            except OSError as problem:
                ended = str(problem)
            pause = FIRST_PAUSE if loop.time() - began > STEADY else pause
            logger.warning("the process for shells ended (%s); it can start in %g s", ended, pause)
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _run(self, listening: int) -> int:
        """Run the program to its end; returns its exit code, or raises OSError."""
        self._process = await asyncio.create_subprocess_exec(
            *self._program,
            str(listening),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            pass_fds=[listening],
            start_new_session=True,  # a terminal of the server is not that of its callers
        )
        return await self._process.wait()


async def _called(listening: socket.socket) -> None:
    """Wait until somebody calls, and leave the call to another process."""
    loop = asyncio.get_running_loop()
    called = asyncio.Event()
    loop.add_reader(listening, called.set)
    try:
        await called.wait()
    finally:
        loop.remove_reader(listening)
