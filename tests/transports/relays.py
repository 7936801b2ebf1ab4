"""A relay that answers by a script, and letters for it, for tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pbmserv.mail.transport import (
    Coming,
)
from pbmserv.transports.smtp_out import SmtpRelay

if TYPE_CHECKING:  # pytest gives the fixtures; their types are all we need
    pass

ANN, BOB = "ann@example.org", "bob@example.org"
OWN = "perudo@perudo.example"
LETTER = b"Subject: x\r\n\r\n.dot\r\n5-5s\r\n"


def coming(address: str, prepare: Callable[[], object] = lambda: None) -> Coming:
    return Coming((OWN, address), prepare)


def carry(transport: SmtpRelay, address: str = ANN, sender: str = OWN, following: str = "") -> None:
    transport.carry(1, sender, address, LETTER, coming(following) if following else None)
