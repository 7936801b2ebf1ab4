"""The processor of emails in this process, for figures without a server."""

from __future__ import annotations

import time

from sqlalchemy import Engine

from pbmserv.database.engine import checkpoint, close
from pbmserv.database.upgrade import open_database
from pbmserv.home import open_home
from pbmserv.intake.processor import Processor
from pbmserv.mail.incoming import IncomingMail
from pbmserv.outbox import delivery
from pbmserv.security.passwords import Passwords
from scripts.benchmarks.population import Posted, Town
from tests.fake_transport import FakeTransport


class Office:
    """The processor of a town's home, on its own connection."""

    def __init__(self, town: Town) -> None:
        self._settings = open_home(town.home)
        self._tokens = town.tokens
        self._engine: Engine = open_database(self._settings)
        self._office = Processor(self._engine, town.tokens, Passwords(), self._settings, _now)

    def accept(self, *mails: Posted) -> None:
        """Process emails in one transaction."""
        self._office.accept(
            [IncomingMail(each.raw, each.sender, each.recipient, "") for each in mails]
        )

    def deliver(self) -> int:
        """Word and compose the letters that are due, and discard them; returns how many."""
        return delivery.deliver(self._engine, self._settings, self._tokens, FakeTransport(), _now)

    def rest(self) -> None:
        """Do the work of a server between its batches."""
        checkpoint(self._engine)

    def close(self) -> None:
        """Close the database."""
        close(self._engine)


def _now() -> int:
    return int(time.time())
