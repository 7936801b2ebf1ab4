"""A connection to another server with a limit on its duration and on the bytes received.

A relay may send one letter every few seconds, or continue `220-` forever.  Without limits it would
block our letters and fill our memory.  One deadline applies to the whole conversation, and one
limit to all bytes received.  Both are checked at every piece of data, by an object that smtplib and
imaplib use as a socket.
"""

from __future__ import annotations

import io
import os
import select
import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from math import inf
from time import monotonic
from typing import Any, ClassVar, TypeVar

SLICE = 0.25  # seconds: how soon a conversation reacts to `hurry`
_PIECE = 64 * 1024  # bytes that are sent at once; a letter has 20 KB
_TO_CONNECT = 20.0  # seconds for one address of a host that has several


_Outcome = TypeVar("_Outcome")


class SaidTooMuch(ConnectionError):
    """The other side sent more bytes than the limit."""


class BoundedConnection:
    """The deadline of one conversation, and the bytes that it may still receive."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._until = self._hurried_until = inf
        self.bytes_left = 0
        self.is_late_read_left = False  # one after the deadline, for what has come before it

    def begin(self, seconds: float, most: int) -> None:
        """Start a conversation of at most so many seconds, with at most `most` bytes received."""
        self._until, self.bytes_left = self._clock() + seconds, most
        self.is_late_read_left = True

    def hurry(self, seconds: float) -> None:
        """End this conversation, and all later ones, within so many seconds.

        Any thread may call this.
        """
        self._hurried_until = self._clock() + seconds

    def seconds_left(self) -> float:
        """More than 0; raises TimeoutError after the deadline."""
        left = min(self._until, self._hurried_until) - self._clock()
        if left <= 0:
            raise TimeoutError("timed out")
        return left

    def count(self, heard: int) -> None:
        """Count the bytes received; raises SaidTooMuch."""
        self.bytes_left -= heard
        if self.bytes_left < 0:
            raise SaidTooMuch("it says more than it should")


class Wire:
    """A connection for smtplib and imaplib that checks the limits at every operation."""

    def __init__(self, plain: socket.socket, dialogue: BoundedConnection) -> None:
        self._socket, self._dialogue = plain, dialogue
        self._waits = True

    def encrypt(self, context: ssl.SSLContext, hostname: str) -> None:
        """Start TLS; raises OSError, for example if the certificate is not trusted."""
        self._socket.settimeout(self._dialogue.seconds_left())
        encrypted = context.wrap_socket(
            self._socket, server_hostname=hostname, do_handshake_on_connect=False
        )
        self._socket = encrypted
        self._patiently(encrypted.do_handshake)

    def recv_into(self, buffer: Any) -> int | None:
        """Receive bytes into the buffer; returns their number.

        0: the other side closed the connection.  None: there is nothing to read without waiting.
        """
        if not self._waits:
            self._socket.settimeout(0)
            try:
                heard = self._socket.recv_into(buffer)
            except (BlockingIOError, ssl.SSLWantReadError):
                return None
        else:
            heard = self._received(buffer)
        self._dialogue.count(heard)
        return heard

    def _received(self, buffer: Any) -> int:
        """Wait for bytes until the deadline; then read once what has come, without waiting.

        The process may not have run for a while.
        """
        try:
            return self._patiently(partial(self._socket.recv_into, buffer))
        except TimeoutError:
            if self._dialogue.is_late_read_left:
                self._dialogue.is_late_read_left = False
                self._socket.settimeout(0)
                with suppress(BlockingIOError, ssl.SSLWantReadError):
                    return self._socket.recv_into(buffer)
            raise

    def recv(self, most: int) -> bytes:
        """`recv_into` for callers that want the bytes."""
        buffer = bytearray(most)
        return bytes(buffer[: self.recv_into(buffer) or 0])

    def sendall(self, data: bytes) -> None:
        """Send all the data."""
        rest = memoryview(data)
        while rest:
            rest = rest[self._patiently(partial(self._socket.send, rest[:_PIECE])) :]

    def _patiently(self, move: Callable[[], _Outcome]) -> _Outcome:
        """Perform an operation that may wait, and check the deadline at intervals."""
        while True:
            self._socket.settimeout(min(SLICE, self._dialogue.seconds_left()))
            try:
                return move()
            except TimeoutError:
                continue

    def settimeout(self, seconds: float | None) -> None:
        """0: do not wait for data; any other value: the conversation's deadline applies."""
        self._waits = seconds != 0

    def makefile(self, mode: str) -> io.BufferedReader:
        """The connection as a file for reading."""
        return io.BufferedReader(_SocketReader(self))

    def fileno(self) -> int:
        """Its file descriptor."""
        return self._socket.fileno()

    def shutdown(self, how: int) -> None:
        """Close it in one direction or in both."""
        self._socket.shutdown(how)

    def close(self) -> None:
        """Release its file descriptor."""
        self._socket.close()


class _SocketReader(io.RawIOBase):
    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        return self._wire.recv_into(buffer)


class Encryption:
    """An object that smtplib's and imaplib's `starttls` accept as a TLS context, for a Wire."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self._context = context

    @property
    def as_context(self) -> Any:
        """Itself: it has the only method of a context that is used."""
        return self

    def wrap_socket(self, wire: Wire, server_hostname: str) -> Wire:
        """The same connection, encrypted."""
        wire.encrypt(self._context, server_hostname)
        return wire


def connected(
    host: str, port: int, dialogue: BoundedConnection, context: ssl.SSLContext | None = None
) -> Wire:
    """A connection to the first address of a host that answers, in TLS if there is a context.

    The deadline includes the lookup of the host's name.  Raises OSError.
    """
    problem = OSError(f"{host} has no address")
    for family, kind, protocol, _, address in _addresses(host, port, dialogue):
        plain = socket.socket(family, kind, protocol)
        wire = Wire(plain, dialogue)
        try:
            _connect(plain, address, dialogue)
            # Otherwise the end of a letter, a short packet, waits for the other side to confirm the
            # packet before.  That takes 40 ms, because it has nothing to answer yet (RFC 1122).
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if context:
                wire.encrypt(context, host)
        except OSError as error:
            wire.close()
            problem = error
        else:
            return wire
    raise problem


class _Lookup(threading.Thread):
    """A name lookup in its own thread, because nothing can interrupt that call."""

    running: ClassVar[dict[tuple[str, int], _Lookup]] = {}
    lock = threading.Lock()

    def __init__(self, host: str, port: int) -> None:
        super().__init__(name=f"lookup of {host}", daemon=True)
        self._place = host, port
        self.found: list[Any] = []
        self.problem: Exception | None = None

    def run(self) -> None:
        try:
            self.found = socket.getaddrinfo(*self._place, type=socket.SOCK_STREAM)
        except Exception as problem:  # the thread that waits for the name raises it
            self.problem = problem
        with self.lock:
            del self.running[self._place]

    @classmethod
    def of(cls, host: str, port: int) -> _Lookup:
        """The running lookup for a name, or a new one: there is one per name at most."""
        with cls.lock:
            if (host, port) not in cls.running:
                lookup = cls(host, port)
                lookup.start()
                cls.running[host, port] = lookup  # it is removed after we release the lock
            return cls.running[host, port]


def _addresses(host: str, port: int, dialogue: BoundedConnection) -> list[Any]:
    """The answer of getaddrinfo for a host, before the deadline; raises OSError."""
    with suppress(OSError):  # an address needs no name server
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    lookup = _Lookup.of(host, port)
    while lookup.is_alive():
        lookup.join(min(SLICE, dialogue.seconds_left()))
    if lookup.problem:
        raise lookup.problem
    return lookup.found


def _connect(plain: socket.socket, address: Any, dialogue: BoundedConnection) -> None:
    """Connect, and check the deadline at intervals; raises OSError."""
    plain.setblocking(False)
    try:
        plain.connect(address)
    except BlockingIOError:
        poll = select.poll()
        poll.register(plain, select.POLLOUT)
        left = _TO_CONNECT
        while not poll.poll(1000 * min(SLICE, dialogue.seconds_left())):
            left -= SLICE
            if left <= 0:
                raise TimeoutError("timed out") from None
        if number := plain.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            raise OSError(number, os.strerror(number)) from None
