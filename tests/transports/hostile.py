"""Hostile servers: they send endless answers, fast or slowly."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress

PIECE = 64 * 1024  # bytes that are sent at once
Talk = Callable[[socket.socket], None]


class Hostile:
    """A server that treats every caller the same; it counts the bytes that it could send."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self.ends = threading.Event()
        self.said = 0
        self._threads = [threading.Thread(target=self._take_calls)]
        self._threads[0].start()

    def _take_calls(self) -> None:
        with suppress(OSError):
            while True:
                call, _ = self._listening.accept()
                call.settimeout(60)
                thread = threading.Thread(target=self._meet, args=(call,))
                thread.start()
                self._threads.append(thread)

    def _meet(self, call: socket.socket) -> None:
        with call, suppress(OSError):
            self._talk(call)

    def pour(self, call: socket.socket, what: bytes) -> None:
        """Send this again and again, as fast as it is received."""
        much = what * (PIECE // len(what) + 1)
        while not self.ends.is_set():
            self.said += call.send(much)

    def drip(self, call: socket.socket, what: bytes) -> None:
        """Send this again and again, 50 times a second."""
        while not self.ends.wait(0.02):
            self.said += call.send(what)

    def close(self) -> None:
        self.ends.set()
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for thread in self._threads:
            thread.join(60)
            assert not thread.is_alive()


def provider(says: dict[str, Callable[[socket.socket], None]]) -> Talk:
    """An IMAP server with one email, number 7; at these commands it does something else."""
    usual = {
        "CAPABILITY": b"* CAPABILITY IMAP4rev1 IDLE MOVE\r\n",
        "LIST": b'* LIST (\\Noselect) "/" ""\r\n',
        "SEARCH": b"* SEARCH 7\r\n",
    }

    def talk(call: socket.socket) -> None:
        if "" in says:
            says[""](call)
        call.sendall(b"* OK ready\r\n")
        with call.makefile("rb") as lines:
            for line in lines:
                tag, *words = line.decode().split()
                command = next(each for each in words if each != "UID")
                if command in says:
                    says[command](call)
                call.sendall(usual.get(command, b"") + tag.encode() + b" OK done\r\n")

    return talk
