"""The counts of every seat are kept when a board is over; statistics are sums of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, func, select, update

from pbmserv.boards import tallies
from pbmserv.boards.record import record_text
from pbmserv.database.engine import reading, writing
from pbmserv.database.models import BoardEvent, OperatorAlert, Tally
from pbmserv.lobby.standings import statistics
from tests.stories.town import Town, town_at


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    """A town where ann and bob have ended two boards of one die each, and play on a third."""
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        for board in (1, 2):
            town.challenge("ann", "bob", options=("-inorder", "-dice=1"))
            town.move("ann", f"{board}-2s", board)
            town.move("bob", "dudo", board)
        town.challenge("ann", "bob", options=("-inorder", "-dice=2"))
        town.move("ann", "1-2s", 3)
        town.move("bob", "dudo", 3)
        yield town


def told(town: Town) -> object:
    with reading(town.engine) as connection:
        return statistics(connection, ["ann", "bob"], 2)


def counted(town: Town) -> list[int]:
    """The boards that were counted, once for each seat."""
    with reading(town.engine) as connection:
        query = select(Tally.board_id, func.count()).group_by(Tally.board_id)
        return sorted(number for number, seats in connection.execute(query) if seats == 2)


def test_statistics_are_the_same_before_and_after_a_board_is_counted(town: Town) -> None:
    """A board that runs is read from its record, and never kept."""
    before = told(town)
    assert counted(town) == []
    town.app.tick("town")
    assert counted(town) == [1, 2]
    assert told(town) == before


def test_a_board_that_cannot_be_counted_keeps_no_other_one_waiting(town: Town) -> None:
    """The operator is told once, and the next tick has nothing to do."""
    with writing(town.engine) as connection:
        broken = update(BoardEvent).where(BoardEvent.board_id == 1)
        connection.execute(broken.values(line="?"))
    town.app.tick("town")
    assert counted(town) == [2]
    with reading(town.engine) as connection:
        assert tallies.due(connection, town.now) == []
        noted = select(OperatorAlert.about).where(OperatorAlert.kind == "broken")
        assert connection.execute(noted).scalars().all() == ["the statistics of board 1"]


def test_statistics_read_no_record_of_a_counted_board(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twenty lines of `perudo stats` once read the records of all boards twenty times."""
    town.app.tick("town")
    read: list[int] = []
    was = record_text

    def noted(connection: Connection, number: int) -> str:
        read.append(number)
        return was(connection, number)

    for module in list(sys.modules.values()):  # every module that has imported it
        if getattr(module, "record_text", None) is was:
            monkeypatch.setattr(module, "record_text", noted)
    told(town)
    assert set(read) == {3}
