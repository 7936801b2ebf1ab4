"""Hard emails of other projects, by every transport: nothing breaks, is done or bounces.

`README.md` says where they come from.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Connection, select

from pbmserv.database import models
from pbmserv.database.engine import reading
from pbmserv.database.models.base import Base
from pbmserv.intake.kept_emails import inbox
from pbmserv.mail.reading import read
from tests.corpora.transports import TRANSPORTS, Carry
from tests.processor_time import usual_seconds
from tests.rows import each_row
from tests.stories.town import OUR_ADDRESS, town_at

pytestmark = pytest.mark.long

HERE = Path(__file__).parent
CPYTHON = sorted(HERE.glob("cpython/*.txt"))
BOUNCES = sorted(HERE.glob("flufl.bounce/*.txt"))
OF_A_PERSON = {"groupwise_03.txt"}  # among the bounces
LIMIT = 0.5  # seconds of processor time

GAME = (
    *("players", "addresses", "confirmations", "vacations", "ratings"),
    *("boards", "seats", "watchers", "seeks", "happenings"),
)
"""The tables that commands change.  To receive an email changes others."""

every_mail = each_row("file", [*CPYTHON, *BOUNCES], ids=lambda path: path.name)
every_transport = pytest.mark.parametrize("transport", TRANSPORTS)


def game(connection: Connection) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table that a command could change."""
    tables = Base.metadata.tables
    return {name: [tuple(row) for row in connection.execute(select(tables[name]))] for name in GAME}


def carried(home: Path, transport: str, files: list[Path], sender: str) -> list[tuple[str, str]]:
    """Hand emails to a transport, which must change nothing; returns the letters."""
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob")
        with reading(town.engine) as connection:
            before = game(connection)
            letters = len(connection.execute(select(models.OutboxLetter.id)).all())
    with TRANSPORTS[transport](home) as carry:
        _carry_all(carry, files, sender)
    with town_at(home) as town, reading(town.engine) as connection:
        assert game(connection) == before
        row = models.InboxMail
        noted = connection.execute(select(row.message_id, row.state)).all()
        assert {state for _, state in noted} == {inbox.DONE}
        # A mail server's Return-Path makes another email of one that began with its text.
        numbers = {
            number
            for file in files
            if not (number := message_id(file)).startswith(("sha256-", "undated-"))
        }
        assert numbers <= {number for number, _ in noted}
        assert len(noted) > len(files) * 3 // 4  # some have the same number
        rows = connection.execute(
            select(models.OutboxLetter.address, models.OutboxLetter.kind).order_by(
                models.OutboxLetter.id
            )
        )
        return [(to or "", kind) for to, kind in rows][letters:]


def message_id(file: Path) -> str:
    raw = file.read_bytes()
    return read(raw, envelope_sender=None, recipient=OUR_ADDRESS, own=OUR_ADDRESS).message_id


def _carry_all(carry: Carry, files: list[Path], sender: str) -> None:
    for file in files:
        carry(file.read_bytes(), sender)


@every_transport
def test_emails_of_cpython_do_nothing(home: Path, transport: str) -> None:
    """Emails by people are answered at most once a day: they were not understood."""
    letters = carried(home, transport, CPYTHON, "somebody@example.net")
    assert {kind for _, kind in letters} == {"stranger"}
    answered = [to for to, _ in letters]
    assert len(answered) == len(set(answered)) > 0


@every_transport
@pytest.mark.parametrize("sender", ["", "somebody@example.net"])
def test_no_bounce_is_answered(home: Path, transport: str, sender: str) -> None:
    """This holds even if its envelope has a sender, which no bounce should have."""
    bounces = [file for file in BOUNCES if file.name not in OF_A_PERSON]
    assert carried(home, transport, bounces, sender) == []


@every_transport
def test_an_email_that_asks_for_something_is_answered(home: Path, transport: str) -> None:
    """The transports of these tests do accept email: above, the content is the reason."""
    file = home.with_name("help.txt")
    file.write_text("From: zoe@example.net\nMessage-ID: <1@x>\nSubject: help\n\n")
    assert carried(home, transport, [file], "zoe@example.net") == [("zoe@example.net", "stranger")]


@every_mail
def test_an_email_is_read_quickly(file: Path) -> None:
    raw = file.read_bytes()
    reading = partial(read, raw, envelope_sender=None, recipient=OUR_ADDRESS, own=OUR_ADDRESS)
    mail = reading()
    assert usual_seconds(reading, LIMIT) <= LIMIT
    if file in BOUNCES:
        assert bool(mail.automatic) is (file.name not in OF_A_PERSON)
