"""A reply to a digest with news of other boards is a move at the board that waits, and no more."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from pbmserv.database import models
from pbmserv.database.engine import reading
from tests.stories.town import PASSWORD, Letter, Town, town_at

ANN, BOB = "ann@example.org", "bob@example.org"


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    """A town where board 1 waits for ann, who plays with cleo and dan on board 2, too."""
    with town_at(home) as town:
        town.sign_up("ann", "bob", "cleo", "dan")
        town.challenge("ann", "bob")
        town.challenge("cleo", "ann", "dan")
        for userid, board in (("ann", 1), ("bob", 1), ("ann", 2), ("dan", 2)):
            town.write(f"{userid}@example.org", f"perudo accept {userid} {PASSWORD} {board}")
        town.write(ANN, f"set ann {PASSWORD} digest=daily")
        yield town


def digest_of(town: Town) -> Letter:
    return next(each for each in town.waited(30) if each.to == ANN)


def states(town: Town) -> list[tuple[str, int]]:
    """The state and the move of each board."""
    row = models.Board
    with reading(town.engine) as connection:
        rows = connection.execute(select(row.state, row.move).order_by(row.id))
        return [(state, move) for state, move in rows]


def test_words_about_another_board_do_not_go_to_the_one_that_waits(town: Town) -> None:
    town.write("dan@example.org", f"perudo chat 2 dan {PASSWORD}", "Shall we keep it secret?")
    digest = digest_of(town)
    assert "On board 2 dan writes:" in digest.text
    for words in ("I think that we should tell it to dan, but not to bob.", "chat\nNot to bob!"):
        (asked,) = town.reply(digest, words)
        assert asked.to == ANN
        assert "reply with the word chat" not in asked.text
    told = town.reply(digest, "2-2s\n\nGood luck, bob!")
    assert "| Good luck, bob!" in next(each for each in told if each.to == BOB).text


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "accept",
        "reject",
        "yes",
        "resign",
        "draw",
        "decline",
        "mute",
        "",
        "chat",
        "queue dudo",
        "1",
        "Yes, resign",
    ],
)
def test_an_answer_to_a_draw_on_another_board_changes_nothing(town: Town, words: str) -> None:
    town.move("cleo", "propose", board=2)
    digest = digest_of(town)
    assert "On board 2 cleo proposes a draw." in digest.text
    town.move("bob", "propose")  # she has not heard of it
    letters = town.reply(digest, words)
    assert [each.to for each in letters] == [ANN]
    assert states(town) == [("playing", 1), ("playing", 1)]
    assert "You no longer get" not in letters[0].text


def test_a_draw_that_the_digest_tells_of_is_answered_as_it_says(town: Town) -> None:
    town.write("dan@example.org", f"perudo chat 2 dan {PASSWORD}", "Hello, ann!")
    town.move("bob", "propose")
    digest = digest_of(town)
    assert "To answer, reply with accept or reject on the first line." in digest.text
    town.reply(digest, "accept")
    assert states(town) == [("drawn", 1), ("playing", 1)]


def test_a_digest_of_one_board_brings_words_to_it(town: Town) -> None:
    digest = digest_of(town)
    (told, *_) = town.reply(digest, "I think that you have all the luck in the world.")
    assert told.to == BOB
    assert "all the luck" in told.text
