"""The last letter of a game: places, what each player lost, and what the ratings gained."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Engine

from pbmserv.boards import notices, play, ratings
from pbmserv.boards.board import Board, load_board
from pbmserv.context import Context
from pbmserv.database.engine import writing
from pbmserv.games.perudo.notation import read_action
from tests.boards.contexts import context_on, opened


@pytest.fixture
def context(engine: Engine) -> Iterator[Context]:
    with writing(engine) as connection:
        yield context_on(connection)


def results(context: Context, board: Board) -> Iterator[Any]:
    """Play until the end, a bid and a call each round; the result in each letter."""
    while board.table.winner is None:
        board = load_board(context.connection, board.id)
        word = "dudo" if board.table.bids else "1-6s"
        played = play.move(context, board, board.table.turn, read_action(word))
        board = played.board
        for letter in notices.of_move(context, played, None):
            yield letter.payload.get("result")


def test_the_last_letter_has_places_lost_dice_and_ratings(context: Context) -> None:
    board = opened(context)
    *before, first, second, third = results(context, board)
    assert set(map(str, before)) == {"None"}
    assert first == second == third
    assert first["placed"]
    winner, *others = first["seats"]
    assert winner["dice"] == 5 - len(winner["lost"]) > 0
    assert [len(each["lost"]) for each in others] == [5, 5]
    assert others[0]["lost"][-1] > others[1]["lost"][-1]
    kept = ratings.known(context.connection)
    by_name = {each["name"]: each["rating"] for each in first["ratings"]}
    assert by_name == {
        seat.userid: kept[seat.player, ratings.OVERALL].shown for seat in board.seats
    }
    assert [each["change"] for each in first["ratings"]] == list(by_name.values())
    assert list(by_name.values()) == sorted(by_name.values(), reverse=True)


def test_a_game_that_does_not_count_changes_no_rating(context: Context) -> None:
    *_, last = results(context, opened(context, dice="2"))
    assert last["placed"]
    assert last["ratings"] == []


def test_a_game_without_a_winner_has_no_places(context: Context) -> None:
    letters = notices.of_move(context, play.stop_board(context, opened(context)), None)
    found: Any = letters[0].payload["result"]
    assert not found["placed"]
    assert [seat["name"] for seat in found["seats"]] == ["ann", "bob", "cleo"]
