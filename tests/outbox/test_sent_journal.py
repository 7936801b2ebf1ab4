"""A crash while a batch of letters leaves repeats one of them at most."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sqlalchemy import select, update

from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.database.models import states
from pbmserv.errors import Fact
from pbmserv.letters.payloads.letter import Letter
from pbmserv.mail.transport import Postponed, Undeliverable, Unreachable
from pbmserv.outbox import delivery, queue
from pbmserv.outbox.sent_journal import open_journal
from pbmserv.security.tokens import Tokens
from tests.fake_transport import FakeTransport
from tests.stories.town import MORNING, Town, town_at

FACTS: dict[str, Fact] = {"userid": "ann", "address": "ann@example.org", "is_new": True}


class Crash(BaseException):
    """The end of the program: nothing catches it."""


def crashing() -> FakeTransport:
    """A transport that ends the program while it takes the third letter."""

    def crash(letter: int, address: str) -> None:
        if len(transport.asked) == 3:
            raise Crash

    transport = FakeTransport(crash)
    return transport


def written(town: Town, *addresses: str) -> None:
    with writing(town.engine) as connection:
        letters = [Letter(address, "confirmed", FACTS) for address in addresses]
        queue.put(connection, letters, town.processor.tokens, MORNING)


def sent_by(town: Town, transport: FakeTransport) -> int:
    return delivery.deliver(
        town.engine, town.settings, town.processor.tokens, transport, lambda: MORNING
    )


def test_only_the_letter_of_the_crash_is_sent_again(tmp_path: Path) -> None:
    with town_at(tmp_path) as town:
        written(town, "a@x", "b@x", "c@x", "d@x")
        with pytest.raises(Crash):
            sent_by(town, crashing())
        after = FakeTransport()
        assert sent_by(town, after) == 2
        assert after.asked == ["c@x", "d@x"]
        with reading(town.engine) as connection:
            found = connection.execute(select(models.OutboxLetter.state)).scalars()
            assert set(found) == {states.SENT}


class DeadlyStamp(str):
    """Ends the program when it is written into a Message-ID."""

    __slots__ = ()

    def __format__(self, how: str) -> str:
        raise Crash


class DeadlyTokens(Tokens):
    """Gives the letters to one address a deadly stamp."""

    def stamp(self, letter: int, address: str) -> str:
        stamp = super().stamp(letter, address)
        return DeadlyStamp(stamp) if address == "b@x" else stamp


@pytest.mark.parametrize(("ahead", "asked"), [(False, []), (True, ["a@x"])])
def test_a_letter_that_ends_the_process_repeats_no_other_at_each_start(
    tmp_path: Path, ahead: bool, asked: list[str]
) -> None:
    """Only a process that has sent before renders a letter after another one has left."""
    with town_at(tmp_path) as town:
        written(town, "a@x", "b@x")
        transport, tokens = FakeTransport(), DeadlyTokens(bytes(32))
        with pytest.raises(Crash):
            delivery.deliver(
                town.engine, town.settings, tokens, transport, lambda: MORNING, ahead=ahead
            )
        assert transport.asked == asked


def test_journal_entries_are_deleted_once_the_database_knows(tmp_path: Path) -> None:
    with town_at(tmp_path) as town:
        written(town, "a@x")
        assert sent_by(town, FakeTransport()) == 1
        with open_journal(town.home) as noted:
            assert noted.noted() == []


def test_a_half_written_journal_entry_is_ignored(tmp_path: Path) -> None:
    with open_journal(tmp_path) as noted:
        noted.note(7)
        noted.note(2**40)
    with (tmp_path / "postmarks").open("ab") as file:
        file.write(b"\0\0\0")
    with open_journal(tmp_path) as noted:
        assert noted.noted() == [7, 2**40]
        noted.clear()
        assert noted.noted() == []


def test_a_bug_in_a_transport_holds_up_no_other_letter(tmp_path: Path) -> None:
    """The letter is tried again, and what is kept of the bug is its name and place alone."""

    def stumble(_: int, address: str) -> None:
        if address == "odd@example.org":
            raise KeyError("sesame")

    with town_at(tmp_path) as town:
        written(town, "odd@example.org", "zoe@example.org")
        transport = FakeTransport(meanwhile=stumble)
        assert sent_by(town, transport) == 1
        assert transport.asked == ["odd@example.org", "zoe@example.org"]
        with reading(town.engine) as connection:
            letter = models.OutboxLetter
            waits = select(letter.state, letter.reason).where(letter.address == "odd@example.org")
            state, reason = connection.execute(waits).one()
        assert state == "due"
        assert re.fullmatch(rf"could not be sent: KeyError at {re.escape(__file__)}:\d+", reason)


@pytest.mark.parametrize(
    "became", [None, Undeliverable("550 no such user"), Postponed("452 full"), Unreachable("gone")]
)
def test_a_letter_follows_an_address_changed_during_its_delivery(
    tmp_path: Path, became: Exception | None
) -> None:
    """The result at the old address does not end its delivery."""

    def move(letter: int, address: str) -> None:
        if address == "old@example.org":
            row = models.OutboxLetter
            moved = update(row).where(row.id == letter).values(address="new@example.org")
            with writing(town.engine) as connection:
                connection.execute(moved)
            if became:
                raise became

    with town_at(tmp_path) as town:
        written(town, "old@example.org")
        transport = FakeTransport(meanwhile=move)
        sent_by(town, transport)
        sent_by(town, transport)
        assert transport.asked == ["old@example.org", "new@example.org"]
