"""Reports about letters that come back, for tests."""

from __future__ import annotations

import re
from pathlib import Path

from sqlalchemy import select

from pbmserv.database import models
from pbmserv.database.engine import reading
from tests.fake_transport import FakeTransport
from tests.stories.town import Letter, Town

REPORTS = Path(__file__).parents[1] / "mail" / "reports"
STAMP = "aaaaaaafpa5sussrf7wa3u3x"
ANN, BOB = "ann@example.org", "bob@example.org"


def report(town: Town, name: str, letter: Letter, *, stamp: str | None = None) -> bytes:
    """A machine's email about a letter; with another stamp than the letter's if one is given."""
    text = (REPORTS / f"{name}.eml").read_text("utf-8").replace(ANN, letter.to)
    text = re.sub(STAMP, letter.stamp if stamp is None else stamp, text, flags=re.IGNORECASE)
    number = f"Message-ID: {town.next_message_id()}"
    return re.sub(r"(?m)^Message-I[dD]: .*$", number, text, count=1).encode()


def returned(town: Town, name: str, reader: str, back: int = 1) -> list[Letter]:
    """A letter comes back to its envelope sender; the letters that this brings."""
    letter = town.last_letter_to(reader, back)
    raw = report(town, name, letter)
    return town.carry(raw, "", f"perudo+b-{letter.stamp.lower()}@localhost")


def paused(town: Town) -> list[tuple[str, str]]:
    """The paused addresses, and why."""
    row = models.Address
    query = select(row.address, row.paused_by).where(row.paused_at.is_not(None))
    with reading(town.engine) as connection:
        return [(address, by) for address, by in connection.execute(query.order_by(row.id))]


def stopped(town: Town) -> int:
    """How often a clock was stopped."""
    with reading(town.engine) as connection:
        return len(connection.execute(select(models.Vacation.player_id)).all())


def refusing(refused: str, problem: Exception) -> FakeTransport:
    """A relay that answers every letter to an address in the same way."""

    def refuse(letter: int, address: str) -> None:
        if address == refused:
            raise problem

    return FakeTransport(refuse)
