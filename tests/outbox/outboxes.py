"""Letters that wait in the outbox of a town, and their delivery, for tests."""

from __future__ import annotations

from pbmserv.database.engine import writing
from pbmserv.errors import Fact
from pbmserv.letters.payloads.letter import Letter
from pbmserv.outbox import delivery, queue
from pbmserv.transports.maildir_out import MaildirOut
from tests.fake_transport import FakeTransport
from tests.stories.town import MORNING, Town

PAYLOAD: dict[str, Fact] = {"userid": "ann", "address": "ann@example.org", "is_new": True}


def write(town: Town, *addresses: str) -> None:
    """Put a letter to each address into the outbox."""
    with writing(town.engine) as connection:
        letters = [Letter(address, "confirmed", PAYLOAD) for address in addresses]
        queue.put(connection, letters, town.processor.tokens, MORNING)


def send(town: Town, transport: FakeTransport | MaildirOut) -> int:
    """Deliver what is due; returns how many letters left."""
    return delivery.deliver(
        town.engine, town.settings, town.processor.tokens, transport, lambda: MORNING
    )
