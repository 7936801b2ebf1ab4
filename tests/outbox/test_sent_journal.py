"""A crash while a batch of letters leaves repeats one of them at most."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import func, select, update

from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.database.models import states
from pbmserv.mail.transport import Postponed, Undeliverable, Unreachable
from pbmserv.outbox import delivery, retries
from pbmserv.outbox.sent_journal import open_journal
from pbmserv.security.tokens import Tokens
from tests.fake_relay import FakeRelay, open_relay
from tests.fake_transport import FakeTransport
from tests.outbox.outboxes import send, write
from tests.stories.town import MORNING, Town, town_at


class Crash(BaseException):
    """The end of the program: nothing catches it."""


def crashing() -> FakeTransport:
    """A transport that ends the program while it takes the third letter."""

    def crash(letter: int, address: str) -> None:
        if len(transport.asked) == 3:
            raise Crash

    transport = FakeTransport(crash)
    return transport


def test_only_the_letter_of_the_crash_is_sent_again(tmp_path: Path) -> None:
    with town_at(tmp_path) as town:
        write(town, "a@x", "b@x", "c@x", "d@x")
        with pytest.raises(Crash):
            send(town, crashing())
        after = FakeTransport()
        assert send(town, after) == 2
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


TOGETHER = ["a@x"] * delivery.TOGETHER


@pytest.mark.parametrize(("ahead", "asked"), [(False, []), (True, TOGETHER)])
def test_a_letter_that_ends_the_process_repeats_no_other_at_each_start(
    tmp_path: Path, ahead: bool, asked: list[str]
) -> None:
    """Only a process that has sent before renders a letter after another one has left."""
    with town_at(tmp_path) as town:
        write(town, *TOGETHER, "b@x")
        transport, tokens = FakeTransport(), DeadlyTokens(bytes(32))
        with pytest.raises(Crash):
            delivery.deliver(
                town.engine, town.settings, tokens, transport, lambda: MORNING, ahead=ahead
            )
        assert transport.asked == asked


DIES_WHILE_RENDERING = """
import os, sys
from pathlib import Path
from threading import Thread
from pbmserv.outbox.sent_journal import excuse, open_journal
home, letter, *excused = sys.argv[1:]
with open_journal(Path(home)) as noted:
    noted.note_rendered(int(letter))
    if excused:  # the thread that renders may be at another letter before the process ends
        excuse(Path(home))
        other = Thread(target=noted.note_rendered, args=[int(letter)], daemon=True)
        other.start()
        other.join(0.05)
    os._exit(9)
"""


def dies_while_rendering(town: Town, *excused: str) -> None:
    """A process ends while it renders the first letter."""
    with reading(town.engine) as connection:
        first = connection.execute(select(func.min(models.OutboxLetter.id))).scalar_one()
    words = [sys.executable, "-c", DIES_WHILE_RENDERING, str(town.home), str(first), *excused]
    assert subprocess.run(words, check=False).returncode == 9


def test_a_letter_that_was_rendered_when_the_process_was_killed_leaves_at_once(
    tmp_path: Path,
) -> None:
    """It is suspected only when it is rendered again, and the process ends again.

    Ends that are excused do not count: the supervisor was killed.
    """
    with town_at(tmp_path) as town:
        write(town, "a@x", "b@x")
        dies_while_rendering(town, "excused")
        with open_journal(town.home) as noted:
            assert noted.suspect() == 0
        dies_while_rendering(town)
        assert send(town, FakeTransport()) == 2


def test_journal_entries_are_deleted_once_the_database_knows(tmp_path: Path) -> None:
    with town_at(tmp_path) as town:
        write(town, "a@x")
        assert send(town, FakeTransport()) == 1
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
        write(town, "odd@example.org", "zoe@example.org")
        transport = FakeTransport(meanwhile=stumble)
        assert send(town, transport) == 1
        assert transport.asked == ["odd@example.org", "zoe@example.org"]
        with reading(town.engine) as connection:
            letter = models.OutboxLetter
            waits = select(letter.state, letter.reason).where(letter.address == "odd@example.org")
            state, reason = connection.execute(waits).one()
        assert state == "due"
        place = r"outbox/test_sent_journal\.py:\d+, called from pbmserv/outbox/delivery\.py:\d+"
        assert re.fullmatch(rf"could not be sent: KeyError at {place}", reason)


# One process after the other sends what is due at a moment; the first has sent before.  Each ends
# while it words a letter to an address that begins with fatal@, as by a crash in C.
SENDS = """
import os, sys
from pathlib import Path
from pbmserv.database.upgrade import open_database
from pbmserv.outbox import delivery
from pbmserv.security.tokens import Tokens
from pbmserv.settings import Settings
from pbmserv.transports.smtp_out import SmtpRelay

was = delivery.worded
def worded(settings, row, *rest):
    if row["address"].startswith("fatal@"):
        os._exit(9)
    return was(settings, row, *rest)
delivery.worded = worded

home, port, *moments = sys.argv[1:]
settings = Settings(home=Path(home))
for number, moment in enumerate(moments):
    if child := os.fork():
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    relay = SmtpRelay("127.0.0.1", int(port), hostname="us")
    engine, tokens = open_database(settings), Tokens(bytes(32))
    delivery.deliver(engine, settings, tokens, relay, lambda: int(moment), ahead=not number)
    break
"""


def ends_of(town: Town, port: int, *moments: int) -> list[str]:
    """The exit codes of processes that send what is due at these moments; 9: a letter ended it."""
    town.engine.dispose()
    words = [sys.executable, "-c", SENDS, str(town.home), str(port), *map(str, moments)]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()


@pytest.mark.slow
def test_a_letter_that_ends_the_process_holds_up_no_other_and_repeats_one_at_most(
    tmp_path: Path,
) -> None:
    """It is rendered after the letter before it was sent, and before that is noted.

    It is tried again at once, in case a signal ended the process, then after a minute, and later
    after longer pauses.
    """
    relay, after = FakeRelay(), FakeTransport()
    with town_at(tmp_path) as town, open_relay(relay) as port:
        write(town, "a@x", "fatal@x", "b@x")
        assert ends_of(town, port, MORNING, MORNING) == ["9", "9"]
        assert send(town, after) == 2
        assert after.asked == ["a@x", "b@x"]
        pause = retries.PAUSES[0]
        assert ends_of(town, port, MORNING + pause - 1, MORNING + pause) == ["0", "9"]
        row = models.OutboxLetter
        with reading(town.engine) as connection:
            kept = select(row.address, row.tries, row.reason).where(row.state == states.DUE)
            left = connection.execute(kept).all()
    assert left == [("fatal@x", 2, "could not be written: the process ended meanwhile")]
    assert [each.recipients[0] for each in relay.taken] in ([], ["a@x"])


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
        write(town, "old@example.org")
        transport = FakeTransport(meanwhile=move)
        send(town, transport)
        send(town, transport)
        assert transport.asked == ["old@example.org", "new@example.org"]
