"""One incoming SMTP or LMTP connection.

aiosmtpd handles the protocol.  This module changes the accepted recipients, the end of the data,
and the parser of addresses (a cheaper one).  It adds a 451 for our own faults.  `smtp_in` and
`lmtp_in` answer the data; `listener` opens the socket.

Accepted recipients are the server's own address and every address made of it with a plus part.  All
others are refused, postmaster's too (RFC 5321, 4.5.1).  A person reads that mailbox, and the mail
server before us stores it.
"""

from __future__ import annotations

import asyncio
import logging
import re
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, AnyStr, ClassVar

import aiosmtpd.smtp
from aiosmtpd.smtp import SMTP, Envelope, Session

from pbmserv.errors import TryLater, describe
from pbmserv.mail.addresses import LONGEST_ADDRESS, without_extension
from pbmserv.mail.incoming import IncomingMail
from pbmserv.monitoring import server_log
from pbmserv.transports.connection_limits import USUAL, ConnectionLimits

logger = logging.getLogger(__name__)

MOST_RECIPIENTS = 100  # the minimum in RFC 5321, 4.5.3.1.8
SECONDS_OF_SILENCE = 300.0
_END = b"\r\n.\r\n"
_ANNOUNCED = re.compile(r"\sSIZE=([0-9]{1,20})(?!\S)", re.IGNORECASE)  # RFC 1870

# A dot alone between line ends other than CRLF: another server may have seen the end of an email
# here.  The rest would then be an email that bypassed its checks.
_FALSE_ENDS = (b"\n.\n", b"\n.\r", b"\r.\r", b"\r.\n")

STORED = "250 2.0.0 OK"
_OUR_FAULT = "451 4.3.0 Cannot accept the email now, try again later"
_TOO_LARGE = "552 5.3.4 Email too large"
_BROKEN_LINES = "550 5.6.0 Lines must end in CR LF"
_GOODBYE = "421 4.3.2 Closing, try again later"

Accept = Callable[[IncomingMail], Awaitable[None]]
"""Store one email durably, then return; raise TryLater if that is not possible."""


def _unlogged(*_: object) -> None:
    """In place of aiosmtpd's log of each line, which is off: its words cost a tenth of the loop."""


aiosmtpd.smtp.sanitized_log = _unlogged  # type: ignore[assignment] # it takes any arguments


@dataclass(slots=True)
class ListenerState:
    """The common state of all conversations at one listener.

    `ours` is our address in lower case, `largest` is in bytes, `transport` is the name of the
    transport in emails.  `open` are the running conversations, `in_hand` the emails being stored.
    """

    ours: str
    largest: int
    accept: Accept
    transport: str
    bounds: ConnectionLimits = USUAL
    open: set[IncomingSession] = field(default_factory=set)
    in_hand: set[asyncio.Task[list[str]]] = field(default_factory=set)


class _Hooks:
    """The hooks that aiosmtpd calls during a conversation."""

    def __init__(self, state: ListenerState) -> None:
        self._listener_state = state

    async def handle_EHLO(  # noqa: N802 - aiosmtpd's name
        self, server: SMTP, session: Session, envelope: Envelope, name: str, replies: list[str]
    ) -> list[str]:
        session.host_name = name
        return [replies[0], "250-PIPELINING", *replies[1:]]

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if without_extension(address) != self._listener_state.ours:
            return "550 5.1.1 No such address here"
        if len(envelope.rcpt_tos) >= MOST_RECIPIENTS:
            return "452 4.5.3 Too many recipients"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_exception(self, error: Exception) -> str:
        logger.error("a conversation failed: %s", describe(error))
        return _OUR_FAULT


class IncomingSession(SMTP, ABC):
    """One connection; a subclass implements the protocol."""

    # aiosmtpd uses this as the limit of its reader's buffer; longer command lines are refused.
    line_length_limit = 64 * 1024

    transport_name: ClassVar[str]
    commands: ClassVar[list[str]] = [name for name in dir(SMTP) if name.startswith("smtp_")]

    def __dir__(self) -> list[str]:
        """Only the commands: aiosmtpd searches this list for every connection, which costs time."""
        return self.commands

    def __init__(
        self, state: ListenerState, hostname: str, loop: asyncio.AbstractEventLoop, caller: str
    ) -> None:
        super().__init__(
            _Hooks(state),
            data_size_limit=state.largest,
            enable_SMTPUTF8=True,
            hostname=hostname,
            ident="pbmserv",
            timeout=SECONDS_OF_SILENCE,
            loop=loop,
        )
        self.caller = caller
        self._listener_state = state
        self._receiving = False
        self._leaving = False
        self._replies = 0
        self._unsent = b""
        self._end: asyncio.TimerHandle | None = None

    @abstractmethod
    async def answer_data(self, outcomes: list[str]) -> None:
        """Send the replies to one email; `outcomes` has one for each recipient."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Register the new connection."""
        self._listener_state.open.add(self)
        self._end = self.loop.call_later(self._listener_state.bounds.seconds, self._has_lasted)
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        """Unregister the closed connection."""
        self._listener_state.open.discard(self)
        if self._end is not None:
            self._end.cancel()
        super().connection_lost(error)

    def _has_lasted(self) -> None:
        """End a conversation that has lasted too long, as soon as its email is answered."""
        self._end = self.loop.call_later(self._listener_state.bounds.seconds, self.hang_up)
        self.leave()

    async def push(self, status: AnyStr) -> None:
        """Send a reply, unless the other side has caused too many replies without an email.

        One that agrees leaves with the next replies, if their commands are here (RFC 2920, 3.2).
        Others leave at once, because the connection may be closed behind them.
        """
        self._replies += 1
        if self._replies > self._listener_state.bounds.replies:
            self._say_goodbye()
            raise ConnectionResetError
        said: str | bytes = status
        reply = said.encode() if isinstance(said, str) else said
        self._unsent += reply + b"\r\n"
        if reply.startswith(b"250") and not self._receiving:
            self.loop.call_soon(self._send_replies)
        else:
            self._send_replies()
            await self._writer.drain()

    def _send_replies(self) -> None:
        """Send the replies that wait."""
        if self._unsent:
            self._writer.write(self._unsent)
            self._unsent = b""

    async def _handle_client(self) -> None:
        # The other side may close the connection meanwhile: it will connect again.
        with suppress(ConnectionError):
            await super()._handle_client()

    def leave(self) -> None:
        """End an idle conversation now, a busy one as soon as its email is answered."""
        self._leaving = True
        if not self._receiving:
            self._say_goodbye()

    def hang_up(self) -> None:
        """End the conversation immediately, in any state."""
        self._say_goodbye()

    def _reset_timeout(self, duration: float | None = None) -> None:
        """Note that the other side was not silent.

        aiosmtpd's own method makes a timer for each command, for a tenth of a conversation's time.
        """
        self._silent_at = self.loop.time() + (duration or self._timeout_duration)
        if self._timeout_handle is None:
            self._timeout_handle = self.loop.call_at(self._silent_at, self._timeout_cb)

    def _timeout_cb(self) -> None:
        """End a conversation that was silent for too long (RFC 5321, 4.5.3.2.7)."""
        if self._silent_at > self.loop.time():
            self._timeout_handle = self.loop.call_at(self._silent_at, self._timeout_cb)
        else:
            self._say_goodbye()

    def _say_goodbye(self) -> None:
        if self.transport is not None:
            self._send_replies()
            is_deaf = self._writer.transport.get_write_buffer_size() > 0
            self._writer.write(_GOODBYE.encode("ascii") + b"\r\n")
            self.transport.close()
            if is_deaf:  # it does not read our replies, and would never read this one
                self._writer.transport.abort()

    def _getaddr(self, arg: str) -> tuple[str | None, str | None]:
        """The address and the parameters behind it; the null sender is `<>`, as in aiosmtpd."""
        text = arg.strip()
        if text.startswith("<"):
            address, closed, rest = text[1:].partition(">")
            if not closed:
                return None, None
            if address.startswith("@"):  # a source route, to be ignored (RFC 5321, 4.1.1.3)
                address = address.rpartition(":")[2]
            address = address or "<>"
        else:
            address, _, rest = text.partition(" ")
        if len(address) > LONGEST_ADDRESS or not address.isprintable() or " " in address:
            return None, None
        return address, rest

    async def smtp_MAIL(self, arg: str) -> None:  # noqa: N802 - aiosmtpd's name
        """Begin an email.

        aiosmtpd refuses one that is announced as too large, without a log line.
        """
        announced = _ANNOUNCED.search(arg or "")
        if announced and int(announced[1]) > self._listener_state.largest:
            sender, _ = self._getaddr(arg.partition(":")[2])
            server_log.too_large(
                self._listener_state.transport, sender or "", self._listener_state.largest
            )
        await super().smtp_MAIL(arg)

    async def smtp_VRFY(self, arg: str) -> None:  # noqa: N802 - aiosmtpd's name
        """Reveal no addresses."""
        await self.push("252 2.5.0 Cannot verify, but will take mail")

    async def smtp_DATA(self, arg: str) -> None:  # noqa: N802 - aiosmtpd's name
        """Receive one email, store it for every recipient, and only then answer."""
        if await self.check_helo_needed():
            return
        envelope = self.envelope
        assert envelope is not None
        if not envelope.rcpt_tos:
            await self.push("503 5.5.1 Error: need RCPT command")
            return
        if arg:
            await self.push("501 5.5.4 Syntax: DATA")
            return
        self._receiving = True
        try:
            await self.push("354 End data with <CR><LF>.<CR><LF>")
            wire = await self._until_end_of_data()
            self._reset_timeout()
            await self.answer_data(await self._outcomes(envelope, wire))
            self.envelope = self._create_envelope()
        finally:
            self._receiving = False
        if self._leaving:
            self._say_goodbye()

    async def _until_end_of_data(self) -> bytearray | None:
        """The data as sent, with doubled dots; None if it was too large."""
        wire = bytearray()
        too_large = False
        while not (wire.endswith(_END) or (wire == b".\r\n" and not too_large)):
            wire += await self._more_of(wire)
            if len(wire) > 2 * self._listener_state.largest:  # doubled dots can double the size
                too_large = True
            if too_large:
                del wire[: -len(_END)]
        del wire[-len(b".\r\n") :]
        return None if too_large else wire

    async def _more_of(self, wire: bytearray) -> bytes:
        """What follows these data up to their end, or to where that may begin.

        The end begins with a line end, which may be among the data that are already here.
        """
        end = b"\n.\r\n"
        if wire.endswith(b".\r"):
            end = b"\n"
        elif not wire or wire.endswith(b"\n"):
            end = b"\r"
        try:
            return await self._reader.readuntil(end)
        except asyncio.LimitOverrunError as overrun:
            return await self._reader.read(overrun.consumed)

    async def _outcomes(self, envelope: Envelope, wire: bytearray | None) -> list[str]:
        """The reply to each recipient."""
        recipients = envelope.rcpt_tos
        if wire is None:
            return self._too_large(envelope)
        if wire.startswith((b".\r", b".\n")) or any(end in wire for end in _FALSE_ENDS):
            return [_BROKEN_LINES] * len(recipients)
        raw = bytes(wire[1:] if wire.startswith(b".") else wire).replace(b"\r\n.", b"\r\n")
        if len(raw) > self._listener_state.largest:
            return self._too_large(envelope)
        sender = "" if envelope.mail_from == "<>" else envelope.mail_from
        transport = self._listener_state.transport
        storing: Coroutine[Any, Any, list[str]] = self._store(
            {to: IncomingMail(raw, sender, to, transport) for to in recipients},
            recipients,
        )
        # A sender that disconnects now must not interrupt storing.
        task = asyncio.ensure_future(storing)
        self._listener_state.in_hand.add(task)
        task.add_done_callback(self._listener_state.in_hand.discard)
        return await asyncio.shield(task)

    def _too_large(self, envelope: Envelope) -> list[str]:
        server_log.too_large(
            self._listener_state.transport, str(envelope.mail_from), self._listener_state.largest
        )
        return [_TOO_LARGE] * len(envelope.rcpt_tos)

    async def _store(
        self, incoming_mails: dict[str, IncomingMail], recipients: list[str]
    ) -> list[str]:
        """Store the email for all recipients at once, so that they can share a commit."""
        if len(incoming_mails) == 1:
            outcomes = [await self._stored(incoming) for incoming in incoming_mails.values()]
        else:
            outcomes = await asyncio.gather(*map(self._stored, incoming_mails.values()))
        by_recipient = dict(zip(incoming_mails, outcomes, strict=True))
        return [by_recipient[recipient] for recipient in recipients]

    async def _stored(self, incoming: IncomingMail) -> str:
        try:
            await self._listener_state.accept(incoming)
        except TryLater:  # the server has logged why
            return _OUR_FAULT
        except Exception as problem:
            logger.error("an email could not be stored: %s", describe(problem))
            return _OUR_FAULT
        self._replies = 0
        return STORED
