"""A clock that was ahead and is put back: nothing waits for a time that is years away."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select, update

from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.letters.payloads.letter import Letter
from pbmserv.mail.transport import Unanswered
from pbmserv.outbox import queue
from tests.fake_transport import FakeTransport
from tests.stories.town import PASSWORD, Town, town_at

HOUR, DAY = 3600, 86400
YEAR = 365 * DAY


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    with town_at(tmp_path / "home") as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob")
        town.waited(1)
        yield town


def ahead(town: Town, hours: int = 1) -> None:
    """The clock is a year ahead for so many hours, and put back."""
    town.now += YEAR
    town.waited(hours)
    town.now -= YEAR


def test_a_digest_comes_the_next_morning_after_the_clock_was_put_back(town: Town) -> None:
    """It reminds of all waiting boards. Without it a seat would be forfeited without notice."""
    town.write("ann@example.org", f"set ann {PASSWORD} digest=daily")
    ahead(town, 25)
    days = [letter.subject for letter in town.waited(48) if "boards today" in letter.subject]
    assert len(days) == 2


def test_every_player_is_told_that_deadlines_are_unchanged(town: Town) -> None:
    times = select(models.Board.clock_at, models.Board.due_at)
    with reading(town.engine) as connection:
        before = connection.execute(times).one()
    ahead(town, 0)
    letters = town.waited(0)
    assert [letter.to for letter in letters] == ["ann@example.org", "bob@example.org"]
    assert {letter.subject for letter in letters} == {"The game server's clock was ahead"}
    with reading(town.engine) as connection:
        assert connection.execute(times).one() == before


def test_a_move_before_the_next_tick_gives_the_next_player_the_whole_time(town: Town) -> None:
    """Its clock has begun by the right time, so it is not put back with the others."""
    town.now += YEAR
    town.waited(0)
    town.now -= YEAR
    town.move("ann", "1-2s")
    times = select(models.Board.clock_at, models.Board.due_at)
    with reading(town.engine) as connection:
        before = connection.execute(times).one()
    town.waited(0)
    with reading(town.engine) as connection:
        assert connection.execute(times).one() == before


def test_a_postponed_letter_leaves(town: Town) -> None:
    town.now += YEAR
    town.waited(0)
    row = models.OutboxLetter
    with writing(town.engine) as connection:
        later = {"state": "due", "due_at": town.now + 900, "written_at": town.now}
        connection.execute(update(row).values(**later))
    town.now -= YEAR
    town.app.tick("town")
    with reading(town.engine) as connection:
        written = select(row.due_at, row.written_at).order_by(row.id)
        assert connection.execute(written).first() == (town.now + 900, town.now)


@pytest.mark.slow
def test_a_letter_that_was_tried_keeps_its_message_id_and_is_given_up(town: Town) -> None:
    """The relay may have taken it, though its answer was lost; it is tried for five days."""
    row = models.OutboxLetter

    def refuse(letter: int, address: str) -> None:
        raise Unanswered("connection closed")

    town.now += YEAR
    town.waited(0)
    town.app = replace(town.app, transport=FakeTransport(refuse))
    with writing(town.engine) as connection:
        letters = [Letter("zoe@example.org", "help", {"subject": "dice", "page": "They fall."})]
        queue.put(connection, letters, town.processor.tokens, town.now)
    the_letter = select(row.written_at, row.due_at).where(row.address == "zoe@example.org")
    is_due = the_letter.where(row.state == "due")
    with reading(town.engine) as connection:
        written_at = connection.execute(the_letter).one().written_at
    assert town.app.deliver() == 0
    town.now -= YEAR
    town.app.tick("town")
    begun = town.now
    while True:
        with reading(town.engine) as connection:
            if (found := connection.execute(is_due).first()) is None:
                break
        assert found.written_at == written_at
        town.now = found.due_at
        assert town.app.deliver() == 0
    assert 4 * DAY < town.now - begun < 6 * DAY


def test_emails_and_words_of_that_time_are_not_kept_for_longer(town: Town) -> None:
    town.now += YEAR
    town.waited(0)
    town.move("ann", "1-2s", text="Hello!")
    town.now -= YEAR
    town.app.tick("town")
    with reading(town.engine) as connection:
        for moment in (models.InboxMail.received_at, models.Talk.at):
            assert connection.execute(select(func.max(moment))).scalar_one() == town.now


def test_a_limit_of_a_day_ends_although_the_clock_was_put_back(town: Town) -> None:
    town.now += YEAR
    for _ in range(3):
        town.write("bob@example.org", "reset ann")
    town.waited(0)
    town.now -= YEAR
    town.waited(25)
    heard = {each.subject for each in town.write("bob@example.org", "reset ann")}
    assert "A new password, ann" in heard


def vacations(town: Town) -> list[tuple[int, int]]:
    row = models.Vacation
    with reading(town.engine) as connection:
        found = connection.execute(select(row.begins_at, row.ends_at).order_by(row.begins_at))
        return [(begins, ends) for begins, ends in found]


def times(town: Town) -> list[Any]:
    """The times of vacations, of wishes for a board, and of an invitation to the second board."""
    seek, board = models.Seek, models.Board
    invited = select(board.state, board.due_at).where(board.id == 2)
    with reading(town.engine) as connection:
        wished = connection.execute(select(seek.lapses_at)).all()
        return [vacations(town), wished, connection.execute(invited).one()]


def days_from(town: Town, first: int, last: int) -> str:
    """Two days as a player writes them, so many days from now."""
    days = (datetime.fromtimestamp(town.now + each * DAY, UTC) for each in (first, last))
    return " ".join(f"{each:%Y-%m-%d}" for each in days)


def test_a_booked_vacation_is_on_its_days_again(town: Town) -> None:
    """The clock that was ahead has moved it, as after an outage."""
    town.write("ann@example.org", f"vacation ann {PASSWORD} {days_from(town, 3, 9)}")
    before = vacations(town)
    ahead(town)
    town.waited(0)
    ((begins, ends),) = vacations(town)
    assert abs(begins - before[0][0]) <= HOUR  # it was ahead for an hour
    assert ends - begins == before[0][1] - before[0][0]


def test_requests_made_before_the_next_tick_stay(town: Town) -> None:
    """A vacation, a wish for a board and an invitation: their times are right."""
    town.write("bob@example.org", f"set bob {PASSWORD} challenges=ask")
    ahead(town)
    town.move("ann", "1-2s")
    town.write("bob@example.org", f"vacation bob {PASSWORD} {days_from(town, 3, 9)}")
    town.write("bob@example.org", f"perudo seek bob {PASSWORD}")
    town.challenge("ann", "bob")
    before = times(town)
    town.waited(24)
    assert times(town) == before
