"""Relays for tests, on loopback: one takes letters, another follows a script."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session


class Taken(NamedTuple):
    """A letter that the relay took, and whether its connection was encrypted and logged in."""

    sender: str
    recipients: list[str]
    data: bytes
    is_encrypted: bool
    is_logged_in: bool


class FakeRelay:
    """A mail server that takes letters, except for addresses that begin with gone@ or full@."""

    def __init__(self) -> None:
        self.taken: list[Taken] = []

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Refuse gone@ permanently and full@ temporarily."""
        if address.startswith("gone@"):
            return "550 5.1.1 No such user"
        if address.startswith("full@"):
            return "452 4.2.2 Mailbox full"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(  # noqa: N802 - aiosmtpd's name
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        """Take the letter."""
        assert isinstance(envelope.content, bytes)
        sender, recipients = str(envelope.mail_from), envelope.rcpt_tos
        secure = session.ssl is not None, bool(session.authenticated)
        self.note(Taken(sender, recipients, envelope.content, *secure))
        return "250 OK"

    def note(self, letter: Taken) -> None:
        """Remember a letter that was taken."""
        self.taken.append(letter)


@contextmanager
def open_relay(handler: object, **options: Any) -> Iterator[int]:
    """The port of a server with this handler; `options` are those of aiosmtpd's Controller."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    controller = Controller(handler, hostname="127.0.0.1", port=port, **options)
    controller.start()
    try:
        yield port
    finally:
        controller.stop()


class ScriptedRelay:
    """A relay with a script: for each connection the replies, one for each line it receives.

    A reply of "" closes the connection.  Data counts as one line, its end included.
    """

    def __init__(self, *connections: Iterable[str]) -> None:
        self.heard: list[list[bytes]] = []
        self.writes: list[int] = []
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        self._thread = threading.Thread(target=self._play, args=(connections,))
        self._thread.start()

    def _play(self, connections: tuple[Iterable[str], ...]) -> None:
        for replies in connections:
            connection, _ = self._server.accept()
            # Who rings off before the last reply resets the connection; the next one may come.
            with suppress(ConnectionError), connection, connection.makefile("rb") as file:
                self.heard.append([])
                connection.sendall(b"220 script\r\n")
                in_data = False
                for reply in replies:
                    line = self._line(file, in_data)
                    if not line or not reply:
                        break
                    self.heard[-1].append(line)
                    connection.sendall(reply.encode() + b"\r\n")
                    in_data = reply.startswith("354")

    @staticmethod
    def _line(file: Any, in_data: bool) -> bytes:
        line: bytes = file.readline()
        while in_data and line and not (line == b".\r\n" or line.endswith(b"\r\n.\r\n")):
            more = file.readline()
            if not more:
                return b""
            line += more
        return line

    def close(self) -> None:
        """Wait until the script has ended."""
        self._server.close()
        self._thread.join(60)
        assert not self._thread.is_alive()
