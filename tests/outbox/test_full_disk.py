"""A full disk sends no letter twice: sending stops, and goes on when there is room again."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import select

from pbmserv.database import models
from pbmserv.database.engine import reading
from pbmserv.errors import TryLater
from pbmserv.mail.incoming import IncomingMail
from pbmserv.mail.transport import Postponed
from pbmserv.maintenance.doctor.work import sending
from pbmserv.monitoring import operator_alerts
from pbmserv.outbox.sent_journal import open_journal
from pbmserv.transports.mailbox_poller import Beyond
from pbmserv.transports.maildir_out import MaildirOut
from tests.fake_transport import FakeTransport
from tests.outbox.outboxes import send, write
from tests.stories.town import OUR_ADDRESS, Town, mail, town_at

MARKS_FIT, NOTHING_FITS = 4096, 0  # bytes that a file may have


def answering(answer: Postponed | TryLater) -> FakeTransport:
    """A transport that takes no letter, and raises this for each."""

    def refuse(letter: int, address: str) -> None:
        raise answer

    return FakeTransport(refuse)


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Limit each file of this process to `size` bytes: beyond them the kernel returns EFBIG."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    """A town with five letters that are due, and a server that has sent letters before."""
    with town_at(tmp_path) as town:
        write(town, "first@x")
        send(town, FakeTransport())
        write(town, "a@x", "b@x", "c@x", "d@x", "e@x")
        yield town


def states_in(town: Town) -> set[str]:
    with reading(town.engine) as connection:
        return set(connection.execute(select(models.OutboxLetter.state)).scalars())


def test_no_letter_leaves_without_its_entry_in_the_journal(town: Town) -> None:
    transport = FakeTransport()
    with files_of_at_most(NOTHING_FITS):
        for _ in range(3):
            with pytest.raises(TryLater, match="File too large"):
                send(town, transport)
    assert transport.asked == []
    assert send(town, transport) == 5
    assert transport.asked == ["a@x", "b@x", "c@x", "d@x", "e@x"]


def test_a_new_home_sends_nothing_before_its_journal_has_room(tmp_path: Path) -> None:
    with town_at(tmp_path) as town:
        write(town, "a@x")
        transport = FakeTransport()
        with files_of_at_most(NOTHING_FITS), pytest.raises(TryLater):
            send(town, transport)
        assert transport.asked == []
        assert send(town, transport) == 1


def test_letters_that_left_are_not_sent_again_while_the_database_is_full(town: Town) -> None:
    """Their marks wait in the file, and reach the database as soon as it has room."""
    transport = FakeTransport()
    with files_of_at_most(MARKS_FIT):
        for _ in range(3):
            with pytest.raises(TryLater):
                send(town, transport)
    assert transport.asked == ["a@x", "b@x", "c@x", "d@x", "e@x"]
    assert states_in(town) == {"due", "sent"}
    assert send(town, transport) == 0
    assert len(transport.asked) == 5
    assert states_in(town) == {"sent"}


def test_a_relay_is_not_bothered_again_while_the_database_is_full(town: Town) -> None:
    transport = answering(Postponed("452 full"))
    with files_of_at_most(MARKS_FIT):
        for _ in range(3):
            with pytest.raises(TryLater):
                send(town, transport)
    assert len(transport.asked) == 5


def test_a_full_disk_of_our_own_mailboxes_stops_sending(town: Town, tmp_path: Path) -> None:
    """No letter waits an hour for a disk that is long in order."""
    transport = MaildirOut(tmp_path / "mail")
    with files_of_at_most(NOTHING_FITS), pytest.raises(TryLater):
        transport.carry(9, "", "a@x", b"Subject: x\r\n\r\nx\r\n")
    with files_of_at_most(MARKS_FIT):
        large = answering(TryLater("mail: there is no room"))
        with pytest.raises(TryLater):
            send(town, large)
        assert len(large.asked) == 1
    assert not sending(town.settings).is_well
    assert send(town, transport) == 5


def test_no_email_is_to_blame_for_a_full_disk(town: Town) -> None:
    """So it stays in its mailbox, and is not set aside like one that triggers a bug."""
    raw = mail("zoe@example.org", "help", message_id="<1@x>")
    email = IncomingMail(raw, "zoe@example.org", OUR_ADDRESS, "maildir")
    with files_of_at_most(NOTHING_FITS), pytest.raises(TryLater) as raised:
        town.app.accept([email])
    assert not isinstance(raised.value, Beyond)
    assert town.app.accept([email]) == []


def test_the_doctor_and_an_alert_report_stopped_sending(town: Town) -> None:
    assert sending(town.settings).is_well
    with files_of_at_most(MARKS_FIT), pytest.raises(TryLater):
        send(town, FakeTransport())
    found = sending(town.settings)
    assert found.is_well is False
    assert found.said == (
        "stopped at 2023-11-14 22:13 UTC: nothing could be written; letters recorded: 5"
    )
    send(town, FakeTransport())
    assert sending(town.settings).is_well
    with reading(town.engine) as connection:
        (section,) = operator_alerts.untold(connection)
    assert (section["kind"], section["rows"][0]["about"]) == ("sending", "letters")
    assert section["rows"][0]["why"] == "stopped from 2023-11-14 22:13 UTC"


def test_a_disk_that_fails_while_a_letter_leaves_repeats_that_one_alone(town: Town) -> None:
    """No place can be sure on a disk that takes what it took before no longer."""

    def fail(letter: int, address: str) -> None:
        if address == "b@x":
            resource.setrlimit(resource.RLIMIT_FSIZE, (NOTHING_FITS, -1))

    transport = FakeTransport(fail)
    with files_of_at_most(MARKS_FIT), pytest.raises(TryLater):
        send(town, transport)
    with files_of_at_most(NOTHING_FITS), pytest.raises(TryLater):
        send(town, transport)
    assert transport.asked == ["a@x", "b@x"]
    after = FakeTransport()
    assert send(town, after) == 4
    assert after.asked == ["b@x", "c@x", "d@x", "e@x"]


def test_an_incomplete_write_is_not_a_journal_entry(town: Town) -> None:
    with open_journal(town.home) as noted:
        with files_of_at_most(5), pytest.raises(TryLater, match="the disk is full"):
            noted.note(2**40 + 7)
        assert noted.noted() == []
