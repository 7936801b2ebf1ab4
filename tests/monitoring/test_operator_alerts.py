"""The operator is told what happened, once a day at most, and nothing secret."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pbmserv.database.engine import reading, writing
from pbmserv.letters.payloads.letter import Letter
from pbmserv.mail.incoming import IncomingMail
from pbmserv.mail.transport import Undeliverable
from pbmserv.monitoring import operator_alerts
from pbmserv.outbox import queue
from tests.fake_transport import FakeTransport
from tests.stories.town import OUR_ADDRESS, Town, mail, town_at

OPERATOR = "root@example.org"
DAY = 24 * 60 * 60


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    with town_at(home, settings=f'operator = "{OPERATOR}"\n') as town:
        town.app.tick("town")
        yield town


def told(town: Town) -> list[str]:
    """The letters to the operator that come out of a look at the clock, in one line each."""
    town.app.tick("town")
    return [" ".join(letter.text.split()) for letter in town.delivered() if letter.to == OPERATOR]


def noted(town: Town, kind: operator_alerts.Kind, about: str, why: str = "") -> None:
    with writing(town.engine) as connection:
        operator_alerts.note(connection, kind, about, why, town.now)


def no_seed() -> bytes:
    raise RuntimeError("a bug")


def refuse(letter: int, address: str) -> None:
    """No address is good enough."""
    raise Undeliverable(f"550 5.1.1 <{address}> unknown to perudo+{'a' * 32}@localhost")


def test_no_alert_is_sent_without_an_incident(town: Town) -> None:
    assert told(town) == []


def test_an_alert_about_a_quarantined_email_explains_the_remedy(town: Town) -> None:
    town.sign_up("ann", "bob")
    raw = mail("ann@example.org", "perudo challenge ann bob", message_id="<1@x>")
    ill = replace(town.processor, seed=no_seed)
    ill.accept([IncomingMail(raw, "ann@example.org", OUR_ADDRESS, "smtp")])
    for _ in range(3):
        ill.work()
    (text,) = told(town)
    assert "The program failed three times on 1 email" in text
    assert '"pbmserv queue list"' in text
    assert "RuntimeError at " in text


def test_an_alert_about_a_failed_letter_shows_no_token(town: Town) -> None:
    with writing(town.engine) as connection:
        letter = Letter("gone@example.org", "bug")
        queue.put(connection, [letter], town.processor.tokens, town.now)
    replace(town.app, transport=FakeTransport(refuse)).deliver()
    (text,) = told(town)
    assert "1 letter could not be delivered" in text
    assert "gone@example.org" in text
    assert "550 5.1.1" in text
    assert "a" * 26 not in text


def test_a_failed_letter_to_the_operator_is_not_an_alert(town: Town) -> None:
    """Otherwise it would be written again every day, without end."""
    noted(town, "broken", "x")
    town.app.tick("town")
    replace(town.app, transport=FakeTransport(refuse)).deliver()
    with reading(town.engine) as connection:
        assert operator_alerts.untold(connection) == []


def test_an_alert_reports_an_outage(town: Town) -> None:
    town.now += 5 * 60 * 60
    (text,) = told(town)
    assert "2023-11-14 22:13 to 2023-11-15 03:13 UTC" in text


def test_one_alert_a_day_reports_all_incidents(town: Town) -> None:
    noted(town, "budget", "machine@example.org")
    assert len(told(town)) == 1
    for hour in range(23):
        town.now += 60 * 60
        noted(town, "budget", "machine@example.org")
        noted(town, "paused", f"gone{hour}@example.org", "550 no such user")
        assert told(town) == []
    town.now += 60 * 60
    (text,) = told(town)
    assert "machine@example.org (Wednesday 15 November 2023, 21:13 UTC, 23 times)" in text
    assert "23 addresses are paused" in text
    assert "- and 13 more" in text
    town.now += 60 * 60
    assert told(town) == []


def test_a_flood_of_incidents_takes_little_room(town: Town) -> None:
    """An attacker who causes them fills neither the database nor a mailbox."""
    with writing(town.engine) as connection:
        for number in range(2 * operator_alerts.MOST_KEPT):
            operator_alerts.note(connection, "budget", f"{number}@{'x' * 400}", "y" * 400, town.now)
    (text,) = told(town)
    assert "400 times so far" in text
    assert len(text) < 10_000


def test_incidents_stay_recorded_without_an_operator_address(home: Path) -> None:
    with town_at(home) as town:
        town.app.tick("town")
        noted(town, "broken", "x\ny\x1b[31m", "z")
        assert town.waited(48) == []
        with reading(town.engine) as connection:
            (section,) = operator_alerts.untold(connection)
    assert section == {
        "kind": "broken",
        "count": 1,
        "more": 0,
        "rows": [
            {
                "about": "x y [31m",
                "why": "z",
                "last_at": town.now - 48 * 60 * 60,
                "count": 1,
            }
        ],
    }
