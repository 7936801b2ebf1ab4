"""A clock that was ahead and is put back: nothing waits for a time that is years away."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select, update

from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from tests.stories.town import PASSWORD, Town, town_at

YEAR = 365 * 86400


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


def test_limits_of_a_day_end_with_that_day(town: Town) -> None:
    town.now += YEAR
    for _ in range(3):
        town.write("bob@example.org", "reset ann")
    town.waited(0)
    town.now -= YEAR
    town.waited(25)
    heard = {each.subject for each in town.write("bob@example.org", "reset ann")}
    assert "A new password, ann" in heard
