"""A mail server that accepts every letter and discards it: the server behind our relay setting.

It runs as its own process and is asked over a pipe.  `N` on its standard input is answered, by the
same word, as soon as N letters in all have come.  `arrivals` is answered by the board and the
moment of each letter since the last such question, as JSON.  Its first line is its port.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from scripts.benchmarks.child_programs import Asked, asked

_EXTENSIONS = b"250-sink\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 SMTPUTF8\r\n"
_END = b"\r\n.\r\n"
_BOARD = re.compile(rb"^Subject: .*?Perudo board (\d+)", re.MULTILINE)


class _Taken:
    """How many letters have come, and the number that is waited for."""

    def __init__(self) -> None:
        self.letters = 0
        self.wanted = 0
        self._arrivals: list[tuple[int, float]] = []

    def count(self, letter: bytes) -> None:
        self.letters += 1
        if board := _BOARD.search(letter):
            self._arrivals.append((int(board[1]), monotonic()))
        self.tell()

    def tell_arrivals(self) -> None:
        print(json.dumps(self._arrivals), flush=True)
        self._arrivals.clear()

    def tell(self) -> None:
        if self.wanted and self.letters >= self.wanted:
            print(self.wanted, flush=True)
            self.wanted = 0


class _Conversation(asyncio.Protocol):
    """One connection; understands only the part of RFC 5321 that a relay's client uses."""

    def __init__(self, taken: _Taken) -> None:
        self._taken = taken
        self._waiting = b""
        self._in_letter = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(b"220 sink\r\n")

    def data_received(self, data: bytes) -> None:
        self._waiting += data
        replies = []
        while True:
            end = _END if self._in_letter else b"\r\n"
            head, found, rest = self._waiting.partition(end)
            if not found:
                break
            self._waiting = rest
            replies.append(self._reply(head))
        if replies:
            self._transport.write(b"".join(replies))

    def _reply(self, line: bytes) -> bytes:
        if self._in_letter:
            self._in_letter = False
            self._taken.count(line)
            return b"250 taken\r\n"
        verb = line[:4].upper()
        if verb == b"EHLO":
            return _EXTENSIONS
        if verb == b"DATA":
            self._in_letter = True
            return b"354 go on\r\n"
        return b"221 goodbye\r\n" if verb == b"QUIT" else b"250 OK\r\n"


async def _serve() -> None:
    loop = asyncio.get_running_loop()
    taken = _Taken()
    server = await loop.create_server(lambda: _Conversation(taken), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    closed = asyncio.Event()

    def hear() -> None:
        line = sys.stdin.readline()
        if not line:
            loop.remove_reader(sys.stdin)
            closed.set()
            return
        if line.strip() == "arrivals":
            taken.tell_arrivals()
        else:
            taken.wanted = int(line)
            taken.tell()

    loop.add_reader(sys.stdin, hear)
    await closed.wait()


class Sink:
    """The sink's process, as seen by the benchmarks."""

    def __init__(self, program: Asked) -> None:
        self._program = program
        self.port = int(program.told())
        self.expected = 0

    def wait_for(self, letters: int) -> None:
        """Wait until so many more letters have come, after those of the calls before."""
        self.expected += letters
        self._program.ask(str(self.expected))

    def arrivals(self) -> dict[int, list[float]]:
        """When letters of each board have come since the last call, in seconds of `monotonic()`."""
        found = defaultdict(list)
        for board, moment in json.loads(self._program.ask("arrivals")):
            found[board].append(moment)
        return found


@contextmanager
def sink() -> Iterator[Sink]:
    """A running sink."""
    with asked("scripts.benchmarks.sink") as program:
        yield Sink(program)


if __name__ == "__main__":
    asyncio.run(_serve())
