"""Real listeners on loopback in their own event loop; tests talk to them over sockets."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pbmserv.mail.incoming import IncomingMail
from pbmserv.transports.listener import Listener, listen
from pbmserv.transports.lmtp_in import LmtpIn
from pbmserv.transports.smtp_in import SmtpIn
from tests.event_loop import LoopInThread, loop_in_thread

OWN = "perudo@perudo.example"


class Line:
    """The client of a connection to a listener; it sends and receives lines."""

    def __init__(self, address: str) -> None:
        if address.startswith("unix:"):
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(60)
            self.socket.connect(address.removeprefix("unix:"))
        else:
            host, _, port = address.rpartition(":")
            self.socket = socket.create_connection((host.strip("[]"), int(port)), timeout=60)
        self.file = self.socket.makefile("rb")

    def hears(self) -> str:
        """The next reply, all its lines; "" if the other side has closed the connection."""
        lines: list[str] = []
        while line := self.file.readline():
            lines.append(line.decode().rstrip("\r\n"))
            if line[3:4] != b"-":
                break
        return "\n".join(lines)

    def says(self, *commands: str) -> str:
        """Send each command; returns the last reply."""
        reply = ""
        for command in commands:
            self.sends(command.encode() + b"\r\n")
            reply = self.hears()
        return reply

    def sends(self, data: bytes) -> None:
        self.socket.sendall(data)

    def close(self) -> None:
        self.file.close()
        self.socket.close()


@dataclass
class Listeners:
    """Opens listeners and keeps incoming email; `accept` may be replaced."""

    running: LoopInThread
    arrived: list[IncomingMail] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    opened: list[Listener] = field(default_factory=list)
    accept: Callable[[IncomingMail], Any] | None = None

    async def _accept(self, incoming: IncomingMail) -> None:
        if self.accept is not None:
            await self.accept(incoming)
        self.arrived.append(incoming)

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        return self.running.loop

    def run(self, coroutine: Any) -> Any:
        return self.running.run(coroutine)

    def open(self, protocol: str, where: str = "127.0.0.1:0", **options: Any) -> Listener:
        spoken = SmtpIn if protocol == "smtp" else LmtpIn
        settings: dict[str, Any] = {"address": OWN, "largest_mail": 262_144, **options}
        listener: Listener = self.run(listen(spoken, where, accept=self._accept, **settings))
        self.opened.append(listener)
        return listener

    def call(self, listener: Listener) -> Line:
        """A connection that has been greeted."""
        line = Line(listener.address)
        self.lines.append(line)
        assert line.hears().startswith("220 perudo.example")
        return line


@pytest.fixture
def listeners() -> Iterator[Listeners]:
    with loop_in_thread() as running:
        listeners = Listeners(running)
        yield listeners
        for line in listeners.lines:
            line.close()
        for listener in listeners.opened:
            listeners.run(listener.close(1))


@pytest.fixture
def socket_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A path for a unix socket, short enough for every system."""
    return tmp_path_factory.mktemp("s") / "s"
