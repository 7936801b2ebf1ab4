"""A relay that only passes on each email, before it answers 250: the yardstick of figure 12.

It is its own process, and its argument is the port of the next server.  Its first line is its own
port.  It writes nothing to a disk.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from scripts.benchmarks.child_programs import asked

_HELLO = (b"EHLO relay\r\n", b"250 ")


class _Next:
    """The connection to the next server; emails wait for each other."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._free = asyncio.Lock()

    async def begin(self) -> None:
        await self._reader.readline()
        await self._say(*_HELLO)

    async def pass_on(self, sender: bytes, recipient: bytes, letter: bytes) -> None:
        async with self._free:
            for line, answer in (
                (sender, b"250 "),
                (recipient, b"250 "),
                (b"DATA\r\n", b"354 "),
                (letter, b"250 "),
            ):
                await self._say(line, answer)

    async def _say(self, line: bytes, answer: bytes) -> None:
        self._writer.write(line)
        while not (await self._reader.readline()).startswith(answer):
            pass


async def _converse(
    following: _Next, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    """One connection of a sender, until it ends."""
    writer.write(b"220 relay\r\n")
    sender = recipient = b""
    while line := await reader.readline():
        verb = line[:4].upper()
        if verb == b"DATA":
            writer.write(b"354 go on\r\n")
            letter = bytearray()
            while not letter.endswith(b"\r\n.\r\n"):
                letter += await reader.readline()
            await following.pass_on(sender, recipient, bytes(letter))
        sender = line if verb == b"MAIL" else sender
        recipient = line if verb == b"RCPT" else recipient
        writer.write(b"250 OK\r\n")
    writer.close()


async def _serve(port: int) -> None:
    following = _Next(*await asyncio.open_connection("127.0.0.1", port))
    await following.begin()
    server = await asyncio.start_server(
        lambda reader, writer: _converse(following, reader, writer), "127.0.0.1", 0
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def relay(port: int) -> Iterator[int]:
    """A relay to the server at this port, while the block runs; yields its own port."""
    with asked("scripts.benchmarks.relay", str(port)) as program:
        yield int(program.told())


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1])))
