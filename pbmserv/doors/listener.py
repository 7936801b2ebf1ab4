"""Where a door is: the address we listen on, and how it is closed without losing a mail."""

from __future__ import annotations

import asyncio
import logging
import socket
from pathlib import Path
from time import monotonic

from pbmserv.doors.conversation import Accept, Conversation, Doorway
from pbmserv.doors.places import UNIX, host_and_port
from pbmserv.errors import Misconfigured

_LONGEST_WAIT_BETWEEN_LOOKS = 0.05


class Listener:
    """An open door.

    `address` says where, as `where` did but with the port that was taken if it was 0.
    """

    def __init__(self, server: asyncio.AbstractServer, doorway: Doorway, address: str) -> None:
        self._server = server
        self._doorway = doorway
        self.address = address

    async def close(self, grace: float = 10.0) -> None:
        """Lets nobody in, says 421 to the idle, and waits at most `grace` seconds for the busy.

        A mail whose data is complete is stored and answered first; who is still sending one when
        time is up hears 421, too, and sends it again.
        """
        self._server.close()
        if self.address.startswith(UNIX):
            Path(self.address.removeprefix(UNIX)).unlink(missing_ok=True)
        for conversation in tuple(self._doorway.open):
            conversation.leave()
        until = monotonic() + grace
        while (self._doorway.open or self._doorway.in_hand) and monotonic() < until:
            await asyncio.sleep(min(_LONGEST_WAIT_BETWEEN_LOOKS, grace))
        for conversation in tuple(self._doorway.open):
            conversation.hang_up()
        await asyncio.sleep(0)


async def listen(
    protocol: type[Conversation],
    where: str,
    *,
    address: str,
    largest_mail: int,
    accept: Accept,
) -> Listener:
    """Opens a door at `where`: `127.0.0.1:8025`, `[::1]:25` or `unix:/path`.

    Takes mail for `address`, with or without a plus part, of at most `largest_mail` bytes.
    `accept` returns when a mail is durably stored.  Raises Misconfigured if `where` is no place
    or nobody can listen there.
    """
    # Its lines hold addresses with tokens in them, and whatever words a stranger sent.
    logging.getLogger("mail.log").setLevel(logging.ERROR)
    ours = address.lower()
    doorway = Doorway(ours, largest_mail, accept)
    loop = asyncio.get_running_loop()

    def conversation() -> Conversation:
        return protocol(doorway, ours.rpartition("@")[2], loop)

    try:
        if where.startswith(UNIX):
            path = where.removeprefix(UNIX)
            _refuse_if_in_use(path)
            server = await loop.create_unix_server(conversation, path)
            Path(path).chmod(0o666)  # a mail server runs as another user
            return Listener(server, doorway, where)
        host, port = host_and_port(where)
        server = await loop.create_server(conversation, host, port)
    except OSError as error:
        raise Misconfigured(f"cannot listen on {where}: {error.strerror or error}") from None
    port = server.sockets[0].getsockname()[1]
    return Listener(server, doorway, f"[{host}]:{port}" if ":" in host else f"{host}:{port}")


def _refuse_if_in_use(path: str) -> None:
    """Keeps asyncio from taking away the socket of a server that still listens."""
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(path)
        except OSError:
            return
    raise Misconfigured(f"cannot listen on unix:{path}: somebody listens there already")
