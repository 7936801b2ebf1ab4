"""The raw form of an incoming email, for one recipient."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from hashlib import sha256

from pbmserv.fast_dataclasses import dataclass

IMAP = "imap"
SOCKET = "socket"  # LMTP at a unix socket that only one group may use
HEARING = frozenset({"smtp", "lmtp", SOCKET})  # transports that answer for each email


@dataclass(frozen=True)
class IncomingMail:
    """The raw bytes and the envelope of an incoming email.

    An email for several recipients arrives once for each.  `envelope_sender` is "" for the null
    sender of a bounce (RFC 5321, 4.5.5) and None if it is not known.  `recipient` is our address as
    written in the envelope, plus part included, "" if not known.  `transport` names the transport:
    "smtp", "lmtp", "pipe", IMAP, "maildir", or SOCKET.  `credentials` belongs to an email that was
    stored without its passwords (`intake/kept_emails/stored_mail.py`); a transport leaves it empty.
    """

    raw: bytes
    envelope_sender: str | None
    recipient: str
    transport: str
    credentials: str = ""

    @property
    def words(self) -> tuple[str | None, bytes]:
        """The part that is equal in the copies of an email for several recipients."""
        return self.envelope_sender, self.raw

    @cached_property
    def digest(self) -> bytes:
        """The digest of the raw bytes, by which an email is known that is not opened yet."""
        return sha256(self.raw).digest()


def different(incoming_mails: Iterable[IncomingMail]) -> list[IncomingMail]:
    """Each email once: for several of our recipients, the first copy."""
    found: dict[tuple[str | None, bytes], IncomingMail] = {}
    for incoming in incoming_mails:
        found.setdefault(incoming.words, incoming)
    return list(found.values())
