"""Ratings: what counts, and that counting again gives the same numbers."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine, select, update

from pbmserv import boards, models, playing, ratings
from pbmserv.boards import Board
from pbmserv.database import writing
from pbmserv.desk import Desk
from pbmserv.games.perudo.rules import rules_named
from pbmserv.games.perudo.table import Resign
from pbmserv.ratings import Rating, rated
from pbmserv.terms import Terms
from tests.boards.desks import desk_on, opened, seated


def test_the_winner_gains_and_the_first_to_go_loses_most() -> None:
    first, second, third = rated([Rating()] * 3, (1, 2, 3))
    assert first.mu > second.mu > third.mu
    assert first.sigma < Rating().sigma
    assert (first.games, first.won, second.won) == (1, 1, 0)
    assert Rating().shown == 0
    assert first.is_provisional


def test_a_stronger_player_gains_less_from_a_weaker_one() -> None:
    strong, weak = Rating(30, 5, 30, 20), Rating(20, 5, 30, 10)
    expected = rated([strong, weak], (1, 2))[0].mu - strong.mu
    surprising = rated([strong, weak], (2, 1))[1].mu - weak.mu
    assert surprising > expected > 0


def finished(desk: Desk, board: Board) -> Board:
    """The board when all but the last have moved once and left."""
    while board.table.winner is None:
        board = playing.move(desk, board, board.table.turn, Resign()).board
    return board


def test_a_board_counts_once_and_again_gives_the_same(engine: Engine) -> None:
    with writing(engine) as connection:
        desk = desk_on(connection)
        for _ in range(5):
            board = opened(desk, ("ann", "bob", "cleo"), dice="2")
            rows = update(models.Seat).values(moves=1)  # so that leaving is no declining
            connection.execute(rows)
            finished(desk, boards.load(connection, board.id))
        kept = ratings.known(connection)
        assert {rating.games for rating in kept.values()} == {5}
        assert ratings.recomputed(connection) == kept
        assert list(ratings.problems(connection)) == []
        connection.execute(update(models.Rating).values(mu=models.Rating.mu + 1))
        assert list(ratings.problems(connection)) != []


@pytest.mark.parametrize("why", ["unrated", "declined", "house"])
def test_boards_that_do_not_count(engine: Engine, why: str) -> None:
    """Challenges that say so, games left before the first move, two house players or more."""
    with writing(engine) as connection:
        desk = desk_on(connection)
        terms = Terms(rated=why != "unrated")
        people = seated(connection, ["ann", "bob", "cleo"])
        if why == "house":
            levels = update(models.Player).where(models.Player.userid.in_(["bob", "cleo"]))
            connection.execute(levels.values(level="house"))
        board = playing.open_board(desk, rules_named("pbmserv"), people, terms).board
        if why == "unrated":
            connection.execute(update(models.Seat).values(moves=1))
        while board.table.winner is None:
            board = playing.move(desk, board, board.table.turn, Resign()).board
        assert ratings.known(connection) == {}
        assert connection.execute(select(models.Board.counted)).scalars().all() == [1]
