"""If a bug stops the clock of a board, all others go on and the operator is told."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import text

from pbmserv.database.engine import reading, writing
from tests.stories.town import PASSWORD, Town, town_at

OPERATOR = "root@example.org"


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    with town_at(home, settings=f'operator = "{OPERATOR}"\n') as town:
        town.sign_up("ann", "bob", "cleo", "dan")
        town.challenge("ann", "bob", options=["-inorder", "--nagtime=1", "--forfeittime=3"])
        town.challenge("cleo", "dan", options=["-inorder", "--nagtime=1", "--forfeittime=3"])
        yield town


def broken(town: Town, number: int) -> None:
    """Write something into a board's row that the program never writes."""
    with writing(town.engine) as connection:
        connection.execute(text(f"update boards set position = 'x' where id = {number}"))


def openings(town: Town, hours: int, reader: str) -> list[str]:
    return [each.opening for each in town.waited(hours) if each.to == reader]


def test_the_clocks_of_all_other_boards_go_on(town: Town) -> None:
    broken(town, 1)
    assert openings(town, 26, "cleo@example.org") == [
        "Still your turn, cleo. You open the round: bid any number up to 10, of"
    ]


def test_a_failing_board_is_reported_and_tried_again(town: Town) -> None:
    broken(town, 1)
    told = [each.text for each in town.waited(26) if each.to == OPERATOR]
    assert len(told) == 1 and "the clock of board 1" in told[0]
    with reading(town.engine) as connection:
        due = connection.execute(text("select due_at from boards where id = 1")).scalar_one()
    assert 0 < due - town.now <= 3600


def test_a_digest_that_cannot_be_made_waits_and_the_others_go_out(town: Town) -> None:
    for name in ("ann", "cleo"):
        town.write(f"{name}@example.org", f"set {name} {PASSWORD} digest=daily")
    broken(town, 1)
    letters = town.waited(26)
    assert "Perudo: your boards today, cleo" in [each.subject for each in letters]
    assert any("the digest of ann" in each.text for each in letters if each.to == OPERATOR)


def test_a_reader_of_digests_is_reminded_if_the_next_comes_an_hour_too_late(home: Path) -> None:
    """The clocks change in that night, so it comes 25 hours after the last one."""
    with town_at(home) as town:
        town.now = int(datetime(2026, 10, 23, 5, 30, tzinfo=UTC).timestamp())
        town.sign_up("ann", "bob")
        town.write("ann@example.org", f"set ann {PASSWORD} digest=daily timezone=Europe/Paris")
        town.challenge("ann", "bob", options=["-inorder", "--nagtime=1", "--forfeittime=2"])
        town.move("ann", "1-2s")
        town.move("bob", "2-2s")
        said = openings(town, 47, "ann@example.org")
        assert [each for each in said if each.startswith("Still your turn, ann")]
