"""Open an SMTP connection to a mail server, the relay, and deliver letters there (RFC 5321).

The library smtplib makes the connection, but the letters are sent here.  It would wait for four
replies, where PIPELINING (RFC 2920) needs one request, sent with the letter before.  It also raises
exceptions where we need the reply.
"""

from __future__ import annotations

import smtplib
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import NoReturn

from pbmserv.mail.addresses import LONGEST_ADDRESS
from pbmserv.mail.transport import (
    Coming,
    Envelope,
    Postponed,
    Transport,
    Unanswered,
    Undeliverable,
    Unfit,
    Unreachable,
)
from pbmserv.settings import Settings
from pbmserv.text.printable import printable
from pbmserv.transports.bounded_connection import BoundedConnection, Encryption, Wire, connected
from pbmserv.transports.endpoint import host_and_port
from pbmserv.transports.smtp_replies import (
    PERMANENT,
    START_OF_DATA,
    Reply,
    is_positive,
    reply_of,
    require_end,
    require_envelope,
    require_silence,
)

TIMEOUT = 60.0  # seconds for the whole conversation with a relay about one letter, but its end
# The relay may take ten minutes for the answer to the end of data (RFC 5321, 4.5.3.2.6).  If we
# leave earlier, it has the letter, and gets it again at each try.
_TO_ANSWER = 10  # times that timeout
MOST_HEARD = 64 * 1024  # bytes that a relay may send about one letter; it sends some hundreds
_GOODBYE = 1.0  # seconds for the relay to receive QUIT
_CLOSING = 421
_REFUSED = (450, 451, 454, 501, 550, 551, 553, 554)
_STAMP = "DOCTOR".ljust(24, "A")  # in place of the stamp of a letter, as long as one
_PLAIN = 'Set envelope = "plain", or let this login send as every perudo+…@ of `address`.'


class _Gone(Exception):
    """The connection broke while the envelope was sent, so the relay has taken no email."""


def opened(settings: Settings) -> Transport:
    """The relay that the settings name."""
    return _relay(settings, TIMEOUT)


def checked(settings: Settings, patience: float) -> str:
    """The relay's answer to our sender and to a recipient; no letter is sent.  Raises Unfit.

    Postfix refuses a sender, or asks for a login, only after the recipient is named.  So the
    operator is the recipient, or else our own address.
    """
    from pbmserv.outbox.outgoing_email import envelope_sender  # noqa: PLC0415 - only the doctor needs it

    sender = envelope_sender(settings, _STAMP)
    relay = _relay(settings, patience)
    recipient = settings.operator or settings.address
    try:
        answer = relay.greet(sender, recipient)
    except Postponed as problem:
        remedy = _remedy(str(problem))
        if sender != settings.address and _accepts(relay, settings.address, recipient):
            raise Unfit(f"{problem} (for {sender})", _PLAIN) from None
        raise Unfit(str(problem), remedy) from None
    finally:
        relay.close()
    who = f" as {settings.relay_user}" if settings.relay_user else ", no login"
    return f"{settings.relay} ({settings.relay_security}){who}: {answer}"


class SmtpRelay:
    """Deliver letters to the relay at `host`:`port`, over one connection that stays open.

    `security` is "none", "starttls" or "tls"; with the latter two the relay's certificate is
    verified, by `context` if given.  `timeout` is in seconds, for the whole conversation about a
    letter; the answer to its data may take ten times as long.  `hostname` is the name in our
    greeting ("" = this machine's name).  `clock` gives seconds, and is never put back.
    """

    def __init__(
        self,
        host: str,
        port: int,
        security: str = "none",
        user: str = "",
        password: str = "",
        timeout: float = TIMEOUT,
        *,
        hostname: str = "",
        context: ssl.SSLContext | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._host = host
        self._port = port
        self._security = security
        self._user = user
        self._password = password
        self._timeout = timeout
        self._hostname = hostname or socket.gethostname()
        self._context = context
        self._dialogue = BoundedConnection(clock)
        self._smtp: smtplib.SMTP | None = None
        self._asked: Envelope | None = None  # sent with the letter before, not answered yet

    def carry(
        self,
        letter: int,
        envelope_sender: str,
        address: str,
        data: bytes,
        following: Coming | None = None,
    ) -> str:
        """Deliver one letter and return the relay's answer; stays usable after an exception.

        Raises Postponed, Unreachable, Unanswered or Undeliverable.
        """
        self._dialogue.begin(self._timeout, MOST_HEARD)
        envelope = envelope_sender, address
        if self._asked not in {None, envelope}:
            self._hang_up()  # the relay waits for another letter, which will not come
        used_before = self._smtp is not None
        try:
            try:
                return self._send(envelope, data, following)
            except _Gone:
                self._hang_up()
                if not used_before:
                    raise
                self._dialogue.seconds_left()  # without time, this letter alone is postponed
                return self._send(envelope, data, following)  # the idle connection was closed
        except (_Gone, OSError, smtplib.SMTPException, ValueError) as error:
            self._hang_up()
            raise Postponed(f"relay {self._host}: {_reason(error)}") from error

    def greet(self, envelope_sender: str, address: str) -> str:
        """Connect, log in and announce a sender and a recipient, without any letter.

        Returns the relay's answer to the last; raises Postponed for a refusal.
        """
        self._dialogue.begin(self._timeout, MOST_HEARD)
        try:
            smtp = self._connected()
            reply = smtp.mail(envelope_sender)
            if is_positive((reply[0], "")):
                reply = smtp.rcpt(address)
            smtp.rset()
        except (OSError, smtplib.SMTPException, ValueError) as error:
            self._hang_up()
            raise Postponed(f"relay {self._host}: {_reason(error)}") from error
        answer = f"{reply[0]} {printable(reply[1])}"
        if not is_positive((reply[0], "")):
            raise Postponed(f"relay {self._host}: {answer}")
        return answer

    def close(self) -> None:
        """Quit without waiting for an answer."""
        self._dialogue.begin(_GOODBYE, 0)
        self._hang_up()

    def _hang_up(self) -> None:
        """Quit if there is time for it."""
        if self._smtp is not None:
            with suppress(OSError, smtplib.SMTPException):
                if self._asked is None:
                    self._smtp.send(b"QUIT\r\n")
            self._smtp.close()
        self._smtp = self._asked = None

    def hurry(self, seconds: float) -> None:
        """Send or postpone the current letter within so many seconds."""
        self._dialogue.hurry(seconds)

    def _connected(self) -> smtplib.SMTP:
        """The connection, made and logged in if there is none; raises Unreachable."""
        if self._smtp is None:
            try:
                self._smtp = self._connect()
                self._smtp.ehlo_or_helo_if_needed()
                if self._security == "starttls":
                    self._smtp.starttls(context=Encryption(self._verification()).as_context)
                    self._smtp.ehlo_or_helo_if_needed()
                if self._user:
                    self._smtp.login(self._user, self._password)
            except (OSError, smtplib.SMTPException, ValueError) as error:
                self._hang_up()
                raise Unreachable(f"relay {self._host}: {_reason(error)}") from error
        return self._smtp

    def _connect(self) -> smtplib.SMTP:
        context = self._verification() if self._security == "tls" else None
        return _Bounded(self._host, self._port, self._hostname, self._dialogue, context)

    def _verification(self) -> ssl.SSLContext:
        if self._context is None:
            self._context = ssl.create_default_context()
        return self._context

    def _send(self, envelope: Envelope, data: bytes, following: Coming | None) -> str:
        smtp = self._connected()
        try:
            if self._asked is None:
                require_silence(smtp)
                mail, recipient, start = _ask(smtp, _commands(smtp, envelope))
            else:
                self._asked = None
                mail, recipient, start = reply_of(smtp), reply_of(smtp), reply_of(smtp)
        except (OSError, smtplib.SMTPServerDisconnected) as error:
            raise _Gone(_reason(error)) from error
        require_envelope(mail, recipient, start)
        if start[0] != START_OF_DATA or not is_positive(recipient):
            if start[0] == START_OF_DATA:
                smtp.send(b".\r\n")  # the relay waits for data although no recipient is left
                reply_of(smtp)
            self._refused(mail, recipient, start)
        smtp.send(_on_the_wire(data) + self._asking(smtp, following))
        if following:
            following.prepare()
        final = self._answer(smtp)
        if not is_positive(final):
            self._refused((250, ""), (250, ""), final)
        return f"{final[0]} {final[1]}"

    def _answer(self, smtp: smtplib.SMTP) -> Reply:
        """The reply to the data of a letter; raises Unanswered."""
        self._dialogue.begin(_TO_ANSWER * self._timeout, self._dialogue.bytes_left)
        try:
            final = reply_of(smtp)
            require_end(final)
            return final
        except (OSError, smtplib.SMTPException) as error:
            self._hang_up()
            raise Unanswered(f"relay {self._host}: {_reason(error)}") from error

    def _asking(self, smtp: smtplib.SMTP, following: Coming | None) -> bytes:
        """The commands of the next letter, if they may go with this one (RFC 2920, 3.1)."""
        if following is None or not smtp.has_extn("pipelining"):
            return b""
        try:
            commands = b"".join(_commands(smtp, following.envelope))
        except Undeliverable:  # it is reported at its own turn
            return b""
        self._asked = following.envelope
        return commands

    def _refused(self, mail: Reply, recipient: Reply, data: Reply) -> NoReturn:
        """Raise the exception for the first refusal among these replies.

        A refused sender is for the operator and the relay to settle: the letter is kept.
        """
        refusals = [reply for reply in (mail, recipient, data) if not is_positive(reply)]
        code, words = refusals[0]
        try:
            if any(reply[0] == _CLOSING for reply in refusals):
                self._hang_up()
            elif self._smtp is not None and self._asked is None:
                self._smtp.rset()
        except (OSError, smtplib.SMTPException):
            self._hang_up()
        if code >= PERMANENT and mail not in refusals:
            raise Undeliverable(f"{code} {words}")
        raise Postponed(f"{code} {words}")


class _Bounded(smtplib.SMTP):
    """smtplib's connection, within the limits of a `BoundedConnection`."""

    def __init__(
        self,
        host: str,
        port: int,
        hostname: str,
        dialogue: BoundedConnection,
        context: ssl.SSLContext | None,
    ) -> None:
        self._dialogue, self._encryption = dialogue, context
        super().__init__(host, port, hostname)

    def _get_socket(self, host: str, port: int, timeout: object) -> Wire:
        return connected(host, port, self._dialogue, self._encryption)


def _accepts(relay: SmtpRelay, sender: str, recipient: str) -> bool:
    try:
        relay.greet(sender, recipient)
    except Postponed:
        return False
    return True


def _relay(settings: Settings, timeout: float) -> SmtpRelay:
    return SmtpRelay(
        *host_and_port(settings.relay),
        settings.relay_security,
        settings.relay_user,
        settings.relay_password,
        timeout,
    )


def _remedy(problem: str) -> str:
    """The remedy for a relay that refuses us, by its answer."""
    lowered = problem.lower()
    if "certificate" in lowered or "ssl" in lowered:
        return "Set relay to the name in its certificate, and relay_security to what its port uses."
    if any(code in problem for code in (" 530 ", " 534 ", " 535 ", " 538 ")):
        return "Set relay_user and relay_password to the login from the relay's owner."
    if "relay" in lowered.partition(": ")[2] and any(f" {code} " in problem for code in _REFUSED):
        return "Set relay_user and relay_password, or let the relay send for this machine."
    if any(f" {code} " in problem for code in _REFUSED):
        return "Let this login send as `address` at the relay, or change `address`."
    return (
        "Check that `relay` is the right HOST:PORT, that it runs, and that no firewall blocks it."
    )


def _commands(smtp: smtplib.SMTP, envelope: Envelope) -> tuple[bytes, ...]:
    sender, address = envelope
    for part in envelope:
        if len(part) > LONGEST_ADDRESS or not part.isprintable() or set("<> ") & set(part):
            raise Undeliverable(f"not an address: {part!r}"[:100])
    option = ""
    if not (sender.isascii() and address.isascii()):
        if not smtp.has_extn("smtputf8"):
            raise Undeliverable("the relay takes no addresses in other letters than ASCII")
        option = " SMTPUTF8"
    return (
        f"MAIL FROM:<{sender}>{option}\r\n".encode(),
        f"RCPT TO:<{address}>\r\n".encode(),
        b"DATA\r\n",
    )


def _ask(smtp: smtplib.SMTP, commands: tuple[bytes, ...]) -> tuple[Reply, Reply, Reply]:
    """The replies to MAIL, RCPT and DATA; without PIPELINING the first refusal ends it."""
    if smtp.has_extn("pipelining"):
        smtp.send(b"".join(commands))
        return reply_of(smtp), reply_of(smtp), reply_of(smtp)
    replies: list[Reply] = []
    for command in commands:
        smtp.send(command)
        replies.append(reply_of(smtp))
        if not is_positive(replies[-1]):
            break
    mail, recipient, start = (replies + [replies[-1]] * 2)[:3]
    return mail, recipient, start


def _on_the_wire(data: bytes) -> bytes:
    """The data with CRLF line ends, doubled dots (RFC 5321, 4.5.2), and the end of data."""
    # Each line with the line end before it, so that all dots are doubled at once.
    lines = b"\r\n".join([b"", *data.splitlines(), b""]).replace(b"\r\n.", b"\r\n..")
    return lines.removeprefix(b"\r\n") + b".\r\n"


def _reason(error: BaseException) -> str:
    if isinstance(error, smtplib.SMTPResponseException):
        text = error.smtp_error
        return f"{error.smtp_code} {printable(text if isinstance(text, bytes) else str(text))}"
    said = error.strerror if isinstance(error, OSError) else None  # without the number
    return printable(said or str(error) or type(error).__name__)
