"""Emails without Message-ID and date: known by what they say, for as long as servers try."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import func, select

from pbmserv.database import models
from pbmserv.database.engine import reading
from pbmserv.mail.incoming import IncomingMail
from tests.stories.town import OUR_ADDRESS, PASSWORD, Town, town_at

MINUTE, DAY = 60, 24 * 3600


@pytest.fixture
def town(any_home: Path) -> Iterator[Town]:
    with town_at(any_home) as town:
        town.sign_up("ann", "bob")
        yield town


def sent(town: Town, words: str, *, number: str = "", head: str = "") -> list[str]:
    """Send an email of ann's without a Message-ID; returns the Subjects of the answers."""
    message_id = f"Message-ID: {number}\r\n" if number else ""
    raw = f"{message_id}{head}From: ann@example.org\r\nSubject: {words}\r\n\r\n".encode()
    return [each.subject for each in town.carry(raw, "ann@example.org", OUR_ADDRESS)]


def test_a_copy_within_minutes_is_silent(town: Town, caplog: pytest.LogCaptureFixture) -> None:
    """An email for two of our addresses, or whose 250 was lost, gets one answer.

    The operator's log says that a copy came, and which email was carried out.
    """
    caplog.set_level("INFO", "pbmserv")
    assert sent(town, "list") == ["Perudo: open boards"]
    assert "came before" not in caplog.text
    with reading(town.engine) as connection:
        number = connection.execute(select(func.max(models.InboxMail.id))).scalar()
    when = f"{datetime.fromtimestamp(town.now, UTC):%Y-%m-%d %H:%M:%S} UTC"
    assert sent(town, "list") == []
    assert f": came before as in{number}, {when}, so it does nothing" in caplog.text
    town.now += 5 * MINUTE
    assert sent(town, "list") == []


def test_a_later_copy_of_an_email_brings_a_letter_that_it_did_nothing(town: Town) -> None:
    """A change of a letter makes it a new email."""
    sent(town, f"set ann {PASSWORD} digest=daily")
    town.now += 6 * MINUTE
    assert sent(town, f"set ann {PASSWORD} digest=daily") == ["We got the same email before"]
    assert "on Tuesday 14 November 2023,\n22:13 UTC" in town.last_letter_to("ann@example.org").text
    assert sent(town, f"Set ann {PASSWORD} digest=daily") == ["The preferences of ann"]


def test_after_five_days_the_same_words_are_a_new_email(town: Town) -> None:
    """No server tries for longer; and the copies of the new one are known again."""
    sent(town, "list")
    town.now += 5 * DAY + 1
    assert sent(town, "list") == ["Perudo: open boards"]
    assert sent(town, "list") == []
    town.now += 5 * DAY + 1
    assert sent(town, "list") == ["Perudo: open boards"]
    with reading(town.engine) as connection:
        row = models.InboxMail
        query = select(func.count(row.message_id.distinct())).where(
            row.message_id.startswith("undated-")
        )
        assert connection.execute(query).scalar() == 3


def test_a_late_copy_of_a_numbered_email_does_nothing(town: Town) -> None:
    """Its writer's program says which email it is, by a number or a date: nobody has to be told."""
    date = "Date: Tue, 14 Nov 2023 22:13:20 +0000\r\n"
    assert sent(town, "list", number="<1@x>") == ["Perudo: open boards"]
    assert sent(town, "list", head=date) == ["Perudo: open boards"]
    town.now += 6 * DAY
    assert sent(town, "list", number="<1@x>") == []
    assert sent(town, "list", head=date) == []


def test_a_waiting_email_is_not_called_processed(town: Town) -> None:
    """No server has taken it up: it is kept, and the copy changes nothing about that."""
    raw = b"From: ann@example.org\r\nSubject: list\r\n\r\n"
    for _ in range(2):
        town.processor.store([IncomingMail(raw, "ann@example.org", OUR_ADDRESS, "pipe")])
        town.now += DAY
    (told,) = town.delivered()
    assert told.subject == "We got the same email before"
    assert "it is kept and will be handled." in " ".join(told.text.split())
    assert "was handled then" not in told.text


def test_no_machine_is_told_of_a_copy(town: Town) -> None:
    for _ in range(2):
        assert sent(town, "list", head="Auto-Submitted: auto-replied\r\n") == []
        town.now += DAY


def test_the_pipe_beside_a_running_server_reports_a_copy_as_well(town: Town) -> None:
    """An email stored for the server is already in the inbox."""
    raw = b"From: ann@example.org\r\nSubject: list\r\n\r\n"
    incoming = IncomingMail(raw, "ann@example.org", OUR_ADDRESS, "pipe")
    for _ in range(2):
        town.processor.store([incoming])
        town.processor.work()
        town.now += DAY
    assert [each.subject for each in town.delivered()] == [
        "Perudo: open boards",
        "We got the same email before",
    ]
