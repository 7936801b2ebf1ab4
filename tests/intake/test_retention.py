"""Old emails and letters are forgotten in time; boards never are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Table, func, select, update

from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.database.models import states
from pbmserv.intake.kept_emails import inbox, retention
from pbmserv.letters.payloads.letter import Letter
from pbmserv.mail.incoming import IncomingMail
from pbmserv.outbox import queue
from tests.sql import heard
from tests.stories.town import OUR_ADDRESS, PASSWORD, Town, mail, town_at

pytestmark = pytest.mark.long

DAY = 24 * 60 * 60
POST = (models.InboxMail, models.OutboxLetter, models.DeliveryAttempt)


@pytest.fixture
def town(any_home: Path) -> Iterator[Town]:
    """A town with some emails and letters in it."""
    any_home.mkdir(mode=0o700, exist_ok=True)
    with (any_home / "pbmserv.toml").open("a") as settings:
        settings.write('keep_days = 10\noperator = "root@example.org"\n')
    with town_at(any_home) as town:
        town.sign_up("ann", "bob")
        town.app.tick("town")
        town.delivered()
        yield town


def count(town: Town, *tables: type[models.Base]) -> list[int]:
    with reading(town.engine) as connection:
        return [
            connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in tables
        ]


def passes(town: Town, days: int) -> None:
    """Let days pass in which the server runs and nothing happens."""
    for _ in range(days * 12):
        town.now += 2 * 60 * 60
        town.app.tick("town")


def no_seed() -> bytes:
    raise RuntimeError("a bug")


def test_emails_and_letters_are_deleted_after_the_configured_days(town: Town) -> None:
    """All but the newest; what happened on the boards is all there."""
    town.challenge("ann", "bob")
    before, boards = count(town, *POST), count(town, models.Board, models.BoardEvent)
    assert min(before[:2]) > 4
    passes(town, 9)
    assert count(town, models.InboxMail) == before[:1]
    passes(town, 2)
    assert count(town, models.InboxMail) == [1]
    assert count(town, models.Board, models.BoardEvent) == boards


def test_the_newest_letter_stays_so_that_its_number_is_not_reused(town: Town) -> None:
    """A mailbox names letters by their numbers: a second one would replace the first."""
    newest = max(letter.number for letter in town.letters)
    passes(town, 11)
    assert count(town, models.OutboxLetter) == [1]
    assert [each.number for each in town.write("zoe@example.org", "help")] == [newest + 1]


def test_a_waiting_letter_is_never_deleted(town: Town) -> None:
    with writing(town.engine) as connection:
        queue.put(connection, [Letter("x@y.org", "bug")], town.processor.tokens, town.now)
        late = update(models.OutboxLetter).where(models.OutboxLetter.state == states.DUE)
        connection.execute(late.values(due_at=town.now + 99 * DAY))
    passes(town, 30)
    with reading(town.engine) as connection:
        kept = connection.execute(select(models.OutboxLetter.address)).scalars().all()
    assert "x@y.org" in kept


def test_an_ignored_quarantined_email_is_deleted_and_the_operator_told(
    town: Town,
) -> None:
    raw = mail("ann@example.org", "perudo challenge ann bob", message_id="<1@x>")
    ill = replace(town.processor, seed=no_seed)
    ill.accept([IncomingMail(raw, "ann@example.org", OUR_ADDRESS, "smtp")])
    for _ in range(3):
        ill.work()
    passes(town, 9)
    with reading(town.engine) as connection:
        assert inbox.ASIDE in connection.execute(select(models.InboxMail.state)).scalars()
    town.processor.accept([IncomingMail(raw.replace(b"<1@x>", b"<2@x>"), "", OUR_ADDRESS, "smtp")])
    passes(town, 3)
    town.delivered()
    told = [letter.text for letter in town.letters if letter.to == "root@example.org"]
    assert "1 email had been set aside" in told[-1]


def test_one_tick_deletes_a_small_part(town: Town) -> None:
    with writing(town.engine) as connection:
        for number in range(3 * retention.PIECE):
            incoming = IncomingMail(b"", None, "", "smtp")
            read = town.processor.request_reader.read(incoming)
            inbox.note(connection, incoming, replace(read, message_id=f"<{number}>"), town.now)
    (before,) = count(town, models.InboxMail)
    with writing(town.engine) as connection:
        connection.execute(update(models.InboxMail).values(received_at=0))
    town.now += retention.PAUSE
    town.app.tick("town")
    assert count(town, models.InboxMail) == [before - retention.PIECE]
    for _ in range(5):
        town.now += 60
        town.app.tick("town")
    assert count(town, models.InboxMail) == [1], "looks follow each other while something is left"


def test_the_next_deletion_is_in_six_hours_if_nothing_is_old(town: Town) -> None:
    looks: list[str] = []

    def noted(statement: str, _values: object) -> None:
        looks.extend(["talk"] * statement.startswith("SELECT talk"))

    with heard(town.engine, noted):
        for _ in range(24 * 4):
            town.now += 900
            town.app.tick("town")
        before = len(looks)
        assert 4 * 2 <= before <= 5 * 2
        town.now -= DAY
        town.app.tick("town")
        assert len(looks) > before, "a clock that was put back puts nothing off"


def test_no_record_holds_the_address_of_a_departed_player(town: Town) -> None:
    """Addresses are erased; the processor's records of them go in time."""
    for _ in range(3):
        town.write("ann@example.org", "perudo move 1 ann wrong 1-1s")
    town.write("ann@example.org", f"signoff ann {PASSWORD}")
    (asked,) = [each for each in town.letters if each.subject.startswith("Do you want to leave")]
    token = asked.text.partition("confirm ")[2].split()[0]
    town.write("ann@example.org", f"confirm {token}")
    town.write("bob@example.org", "help")
    passes(town, 11)
    assert [table for table in models.Base.metadata.sorted_tables if holds(town, table)] == []


def holds(town: Town, table: Table) -> bool:
    """Whether a table holds an address of ann."""
    with reading(town.engine) as connection:
        rows = connection.execute(select(table)).all()
    return any("ann@example" in str(value) for row in rows for value in row)


def test_the_text_of_an_unreadable_newest_email_is_deleted(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The text was stored unchanged. The newest email keeps its row, but none of its text."""
    with monkeypatch.context() as bug:
        bug.setattr("pbmserv.mail.reading.read", no_reading)
        raw = mail("ann@example.org", "perudo showas ann swordfish", message_id="<1@x>")
        town.processor.accept([IncomingMail(raw, "ann@example.org", OUR_ADDRESS, "smtp")])
        for _ in range(3):
            town.processor.work()
    assert texts(town) == [(inbox.ASIDE, raw)]
    passes(town, 9)
    assert texts(town) == [(inbox.ASIDE, raw)]
    passes(town, 2)
    assert texts(town) == []
    assert count(town, models.InboxMail) == [1]
    town.delivered()
    told = [letter.text for letter in town.letters if letter.to == "root@example.org"]
    assert "1 email had been set aside" in told[-1]


def test_the_payload_of_an_unsent_newest_letter_is_deleted(
    town: Town,
) -> None:
    with writing(town.engine) as connection:
        queue.put(connection, [Letter("x@y.org", "bug")], town.processor.tokens, town.now)
        given_up = update(models.OutboxLetter).where(models.OutboxLetter.address == "x@y.org")
        connection.execute(given_up.values(state=states.FAILED, payload="{}", token="A"))
    passes(town, 11)
    with reading(town.engine) as connection:
        letter = models.OutboxLetter
        rows = connection.execute(select(letter.state, letter.payload, letter.token)).all()
    assert [tuple(row) for row in rows] == [(states.DROPPED, "", "")]


def no_reading(raw: bytes, **rest: object) -> None:
    raise RuntimeError("a bug")


def texts(town: Town) -> list[tuple[str, bytes]]:
    """The emails whose text is still there: their states and their text."""
    with reading(town.engine) as connection:
        rows = connection.execute(select(models.InboxMail.state, models.InboxMail.raw)).all()
    return [(row.state, row.raw) for row in rows if row.raw]
