"""A fake processor for tests of mailboxes, and connections that break where a test says."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pbmserv.mail.incoming import IncomingMail
from pbmserv.settings import Settings
from pbmserv.transports.mailbox_poller import Collection, Mailbox, Receiver

OWN = "perudo@perudo.example"
LARGEST = 4096


def imap_settings(port: int, user: str, password: str, **changes: Any) -> Settings:
    """The settings of a server whose mailbox is at this port of this machine, without TLS."""
    chosen: dict[str, Any] = {
        "address": OWN,
        "imap": f"127.0.0.1:{port}",
        "imap_security": "none",
        "imap_user": user,
        "imap_password": password,
        **changes,
    }
    return Settings(home=Path("nowhere"), **chosen)


def mail(number: int, text: str = "", *, to: str = OWN) -> bytes:
    """An email as it is in a mailbox, with a number of its own."""
    lines = ["Return-Path: <ann@example.org>", "From: ann@example.org", f"To: {to}"]
    lines += [f"Message-ID: <{number}@x>", f"Subject: {number}", "", text, ""]
    return "\r\n".join(lines).encode()


@dataclass
class FakeProcessor:
    """Keeps incoming email; `fault` gives the error that an email causes, or None."""

    accepted: list[IncomingMail] = field(default_factory=list)
    refused: list[IncomingMail] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)
    told: list[tuple[str, str]] = field(default_factory=list)
    fault: Callable[[IncomingMail], Exception | None] = lambda incoming: None
    postponed: tuple[bytes, ...] = ()

    def accept(self, incoming_mails: Sequence[IncomingMail]) -> list[IncomingMail]:
        for incoming in incoming_mails:
            if problem := self.fault(incoming):
                raise problem
        self.accepted += [each for each in incoming_mails if each.raw not in self.postponed]
        self.batches.append(len(incoming_mails))
        return [each for each in incoming_mails if each.raw in self.postponed]

    def tell(self, about: str, why: str) -> None:
        self.told.append((about, why))

    @property
    def receiver(self) -> Receiver:
        return Receiver(OWN, LARGEST, self.accept, self.refused.append, self.tell)

    @property
    def texts(self) -> list[bytes]:
        return [incoming.raw for incoming in self.accepted]


def drained(mailbox: Mailbox, processor: FakeProcessor) -> int:
    """How many emails one check of a mailbox brought; it closes the connection."""
    try:
        return Collection(mailbox, processor.receiver).drain()
    finally:
        mailbox.close()


class Cable:
    """A connection to a server; it breaks when a certain word passes.

    `cut_at` is a word of the client; with `after` the server still gets it, but its answer is
    lost.  New connections work again.
    """

    def __init__(self, port: int, cut_at: bytes = b"", *, after: bool = False) -> None:
        self._to, self._cut_at, self._after = port, cut_at, after
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self.cuts = 0
        self._threads = [threading.Thread(target=self._take_calls)]
        self._threads[0].start()

    def _take_calls(self) -> None:
        while True:
            try:
                here, _ = self._listening.accept()
            except OSError:
                return
            there = socket.create_connection(("127.0.0.1", self._to))
            for source, target, watch in ((here, there, True), (there, here, False)):
                thread = threading.Thread(target=self._carry, args=(source, target, watch))
                thread.start()
                self._threads.append(thread)

    def _carry(self, source: socket.socket, target: socket.socket, watch: bool) -> None:
        with source, suppress(OSError):
            while data := source.recv(65536):
                if watch and not self.cuts and self._cut_at and self._cut_at in data:
                    self.cuts += 1
                    target.shutdown(socket.SHUT_RD)  # no answer comes back
                    if self._after:
                        target.sendall(data)
                    break
                target.sendall(data)
            for each in (source, target):
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Stop listening; all connections must be closed before."""
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for thread in self._threads:
            thread.join(60)
            assert not thread.is_alive()
