"""The socket for shells: the program that serves it starts when somebody calls."""

from __future__ import annotations

import asyncio
import grp
import os
import socket
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from pbmserv.server import shell_socket
from pbmserv.server.shell_socket import ShellSocket

NAME = "s"
# It answers one call with its process, and then ends.
ONCE = "import os, socket, sys; call = socket.socket(fileno=int(sys.argv[1]))"
ONCE += "; call.setblocking(True); call.accept()[0].send(b'%d' % os.getpid())"
# It answers nobody, and waits for the end of its standard input.
WAITS = "import os, socket, sys; sys.stdin.read()"
STUBBORN = "import time; time.sleep(600)"


def run(
    home: Path,
    program: str,
    work: Callable[[ShellSocket], Awaitable[None]],
    grace: float = 60,
) -> None:
    async def main() -> None:
        shells = ShellSocket(home, NAME, [sys.executable, "-c", program])
        await shells.open()
        try:
            await work(shells)
        finally:
            await shells.close(grace)

    asyncio.run(main())


async def call(home: Path) -> bytes:
    reader, writer = await asyncio.open_unix_connection(str(home / NAME))
    async with asyncio.timeout(60):
        answer = await reader.read()
    writer.close()
    return answer


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(shell_socket, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(shell_socket, "BETWEEN_TRIES", 0.01)
    return tmp_path


def test_the_program_starts_again_for_the_next_call(home: Path) -> None:
    async def work(shells: ShellSocket) -> None:
        assert shells._process is None  # nobody has called
        assert len({await call(home) for _ in range(3)}) == 3

    run(home, ONCE, work)


def test_nothing_is_left_of_it(home: Path) -> None:
    async def work(shells: ShellSocket) -> None:
        assert (home / NAME).is_socket()

    run(home, ONCE, work)
    assert list(home.iterdir()) == []


@pytest.mark.parametrize(("program", "grace", "code"), [(WAITS, 60, 0), (STUBBORN, 0.5, -9)])
def test_the_program_ends_with_the_server(
    home: Path, program: str, grace: float, code: int
) -> None:
    """One that does not is killed."""
    processes = []

    async def work(shells: ShellSocket) -> None:
        with socket.socket(socket.AF_UNIX) as calling:
            calling.connect(str(home / NAME))
            while shells._process is None:
                await asyncio.sleep(0.01)
        processes.append(shells._process)

    run(home, program, work, grace)
    assert [each.returncode for each in processes] == [code]


def test_a_program_that_cannot_start_is_tried_again(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def main() -> None:
        shells = ShellSocket(home, NAME, [str(home / "missing")])
        await shells.open()
        with socket.socket(socket.AF_UNIX) as calling:
            calling.connect(str(home / NAME))
            while len(caplog.records) < 2:
                await asyncio.sleep(0.01)
        await shells.close(grace=0.5)

    asyncio.run(main())
    assert "No such file" in caplog.records[0].message


def test_a_server_works_without_it(home: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Another program may listen there, or the file system may have no sockets."""
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(home / NAME))
        other.listen()

        async def work(shells: ShellSocket) -> None:
            await asyncio.sleep(0.05)

        run(home, ONCE, work)
    (record,) = caplog.records  # it was tried more than once
    assert "shells carry out commands themselves" in record.message
    assert f"unix:{home}/{NAME}: another program" in record.message
    assert (home / NAME).exists()  # the other program's


def test_it_listens_as_soon_as_it_can(home: Path) -> None:
    """The process for shells of a server that was killed may take a second to end."""
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(home / NAME))
        other.listen()

        async def work(shells: ShellSocket) -> None:
            other.close()
            while shells._socket is None:
                await asyncio.sleep(0.01)
            assert await call(home)

        run(home, ONCE, work)
    assert list(home.iterdir()) == []


def test_the_sockets_group_is_that_of_the_settings(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    group = grp.getgrgid(os.getegid()).gr_name

    async def main(group: str) -> int:
        shells = ShellSocket(home, NAME, [], group)
        await shells.open()
        mode = (home / NAME).stat().st_mode & 0o777 if shells._socket else 0
        await shells.close(grace=0.5)
        return mode

    assert asyncio.run(main("")) == asyncio.run(main(group)) == 0o660
    assert asyncio.run(main("nobodys")) == 0
    assert "shell_group: there is no group 'nobodys'" in caplog.text
