"""What a door hands in: one mail for one recipient, before anybody has read it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

IMAP = "imap"
SOCKET = "socket"  # LMTP at a unix socket that one group alone may use
HEARING = frozenset({"smtp", "lmtp", SOCKET})  # doors whose callers hear what became of a mail


@dataclass(frozen=True, slots=True)
class IncomingMail:
    """The raw bytes and what the envelope said.

    A mail for several recipients arrives once for each.  `envelope_sender` is "" for the null
    sender of a bounce (RFC 5321, 4.5.5) and None where the door was not told; `recipient` is
    our address as written in the envelope, plus part included, "" if not told; `door` names
    where it came in: "smtp", "lmtp", "pipe", IMAP, "maildir", or SOCKET.  `vouched` is of a mail
    that was kept without its passwords (`intake/stored_mail.py`); a door leaves it empty.
    """

    raw: bytes
    envelope_sender: str | None
    recipient: str
    door: str
    vouched: str = ""

    @property
    def words(self) -> tuple[str | None, bytes]:
        """What is the same in a mail that arrives for several recipients."""
        return self.envelope_sender, self.raw


def different(incoming_mails: Iterable[IncomingMail]) -> list[IncomingMail]:
    """One arrival of each mail: of one for several of our addresses the first."""
    found: dict[tuple[str | None, bytes], IncomingMail] = {}
    for incoming in incoming_mails:
        found.setdefault(incoming.words, incoming)
    return list(found.values())
