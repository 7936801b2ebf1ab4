"""Listen on an address, limit the connections, and shut down without losing email."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
from contextlib import suppress
from pathlib import Path
from time import monotonic

from pbmserv.errors import Misconfigured
from pbmserv.mail.incoming import SOCKET
from pbmserv.transports.connection_limits import USUAL, ConnectionLimits, caller_of, refusal
from pbmserv.transports.endpoint import UNIX, host_and_port
from pbmserv.transports.lmtp_in import LmtpIn
from pbmserv.transports.smtp_session import Accept, IncomingSession, ListenerState
from pbmserv.transports.unix_sockets import bound

PAUSE = 1.0  # seconds before the next accept if the system has no resources for it
_BACKLOG = 100  # connections that the system queues for us
_LONGEST_WAIT_BETWEEN_LOOKS = 0.05
_BUSY = b"421 4.7.0 Too many connections, try again later\r\n"
logger = logging.getLogger(__name__)


class Listener:
    """An open listener.

    `address` is the address in the form of `where`, with the actual port if it was 0.
    """

    def __init__(
        self,
        protocol: type[IncomingSession],
        state: ListenerState,
        sockets: list[socket.socket],
        address: str,
    ) -> None:
        self._protocol = protocol
        self._listener_state = state
        self._sockets = sockets
        self.address = address
        self._calls: list[asyncio.Task[None]] = []

    def open(self) -> None:
        """Start to accept connections."""
        for each in self._sockets:
            each.setblocking(False)
            each.listen(_BACKLOG)
            self._calls.append(asyncio.ensure_future(self._take_calls(each)))

    async def _take_calls(self, listening: socket.socket) -> None:
        """Accept one connection after the other; one over the limits gets 421.

        asyncio's own method repeats in a busy loop and logs when descriptors have run out.
        """
        loop = asyncio.get_running_loop()
        is_lmtp = issubclass(self._protocol, LmtpIn)
        while True:
            try:
                call, peer = await loop.sock_accept(listening)
            except ConnectionError:  # that caller has already left
                await asyncio.sleep(0)
                continue
            except OSError as problem:
                logger.warning(
                    "%s: no connection can be accepted: %s", self.address, problem.strerror
                )
                await asyncio.sleep(PAUSE)
                continue
            await self._admit(call, caller_of(peer, is_lmtp=is_lmtp))
            await asyncio.sleep(0)  # other tasks must run, too, while many connect at once

    async def _admit(self, call: socket.socket, caller: str) -> None:
        state, loop = self._listener_state, asyncio.get_running_loop()
        if why := refusal(state.bounds, caller, (each.caller for each in state.open)):
            logger.warning("%s: connections are refused: %s", self.address, why)
            with call, suppress(OSError):
                call.send(_BUSY)
            return
        talk = self._protocol(state, state.ours.rpartition("@")[2], loop, caller)
        try:
            await loop.connect_accepted_socket(lambda: talk, call)
        except OSError:  # macOS reports only now that the caller has left
            call.close()

    async def close(self, grace: float = 10.0) -> None:
        """Accept no more connections, answer idle ones with 421, and wait for the others.

        The wait is at most `grace` seconds.  An email with complete data is stored and answered
        first.  A sender that is not finished in time gets 421, too, and sends the email again.
        """
        for each in self._calls:
            each.cancel()
        await asyncio.gather(*self._calls, return_exceptions=True)
        if self.address.startswith(UNIX):  # first, for another server may listen there from then on
            Path(self.address.removeprefix(UNIX)).unlink(missing_ok=True)
        for listening in self._sockets:
            listening.close()
        for conversation in tuple(self._listener_state.open):
            conversation.leave()
        until = monotonic() + grace
        while (self._listener_state.open or self._listener_state.in_hand) and monotonic() < until:
            await asyncio.sleep(min(_LONGEST_WAIT_BETWEEN_LOOKS, grace))
        for conversation in tuple(self._listener_state.open):
            conversation.hang_up()
        await asyncio.sleep(0)


async def listen(
    protocol: type[IncomingSession],
    where: str,
    *,
    address: str,
    largest_mail: int,
    accept: Accept,
    group: str = "",
    bounds: ConnectionLimits = USUAL,
) -> Listener:
    """Open a listener at `where`: `127.0.0.1:8025`, `[::1]:25` or `unix:/path`.

    It accepts email for `address`, with or without a plus part, of at most `largest_mail` bytes.
    It accepts as many connections as `bounds` allow.  `accept` returns when an email is durably
    stored.  A unix socket is restricted to the members of `group`, if one is given.  Its emails
    then have the `transport` "socket".  Raises Misconfigured if `where` is not an address or cannot
    be listened on.
    """
    # Its lines contain addresses with tokens, and any words of a stranger.
    logging.getLogger("mail.log").setLevel(logging.ERROR)
    transport = SOCKET if group and where.startswith(UNIX) else protocol.transport_name
    state = ListenerState(address.lower(), largest_mail, accept, transport, bounds)
    try:
        if where.startswith(UNIX):
            sockets, found = [bound(where.removeprefix(UNIX), group)], where
        else:
            host, port = host_and_port(where)
            sockets = await _bound_to(host, port)
            port = sockets[0].getsockname()[1]
            found = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        listener = Listener(protocol, state, sockets, found)
        listener.open()
    except OSError as error:
        said = f"cannot listen on {where}: {error.strerror or error}"
        if error.errno == errno.EADDRINUSE:
            said += "; end the program that listens there, perhaps another pbmserv serve"
            said += f", or set {protocol.transport_name} to a free port"
        raise Misconfigured(said) from None
    return listener


async def _bound_to(host: str, port: int) -> list[socket.socket]:
    """A socket for each address that the host has; raises OSError."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    sockets: list[socket.socket] = []
    try:
        for family, kind, protocol, _, address in dict.fromkeys(found):
            sockets.append(socket.socket(family, kind, protocol))
            sockets[-1].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                sockets[-1].setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            sockets[-1].bind(address)
    except BaseException:
        for each in sockets:
            each.close()
        raise
    return sockets
