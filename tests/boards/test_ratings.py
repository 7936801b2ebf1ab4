"""Ratings: what counts, and that counting again gives the same numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from sqlalchemy import Engine, select, update

from pbmserv.boards import play, ratings
from pbmserv.boards.board import Board, load_board
from pbmserv.boards.deadlines import Terms
from pbmserv.boards.ratings import Rating, rated
from pbmserv.context import Context
from pbmserv.database import models
from pbmserv.database.engine import writing
from pbmserv.games.perudo.notation import read_action
from pbmserv.games.perudo.rules import rules_named
from pbmserv.games.perudo.table import Resign
from pbmserv.timeunits import DAY
from tests.boards.contexts import context_on, opened, seated

PAIR = (1.0, 1.0)


def test_the_winner_gains_and_the_first_to_go_loses_most() -> None:
    first, second, third = rated([Rating()] * 3, (1, 2, 3), (1, 1, 1))
    assert first.mu > second.mu > third.mu
    assert first.sigma < Rating().sigma
    assert (first.games, first.won, second.won) == (1, 1, 0)
    assert Rating().shown == 0
    assert first.is_provisional


def test_a_stronger_player_gains_less_from_a_weaker_one() -> None:
    strong, weak = Rating(30, 5, 30, 20), Rating(20, 5, 30, 10)
    expected = rated([strong, weak], (1, 2), PAIR)[0].mu - strong.mu
    surprising = rated([strong, weak], (2, 1), PAIR)[1].mu - weak.mu
    assert surprising > expected > 0


def test_a_game_of_half_the_weight_moves_half_as_far() -> None:
    """A rating stops being provisional by whole games, not by their number."""
    new = Rating()
    full, half = (rated([new, new], (1, 2), (weight, 1))[0] for weight in (1, 0.5))
    assert half.mu - new.mu == pytest.approx((full.mu - new.mu) / 2)
    assert half.sigma - new.sigma == pytest.approx((full.sigma - new.sigma) / 2)
    assert (half.games, half.weight) == (1, 0.5)
    assert Rating(games=100, weight=19.5).is_provisional
    assert not Rating(games=20, weight=20).is_provisional


def doubted(context: Context, board: Board) -> Board:
    """The board after a bid and a doubt: somebody has lost a die."""
    for word in ("1-2s", "dudo"):
        board = play.move(context, board, board.table.turn, read_action(word)).board
    return board


def finished(context: Context, board: Board) -> Board:
    """The board when all but the last have left."""
    connection = context.connection
    connection.execute(update(models.Board).values(counts=""))
    connection.execute(update(models.Seat).values(moves=1))  # so that leaving is not a declining
    board = load_board(connection, board.id)
    while board.table.winner is None:
        board = play.move(context, board, board.table.turn, Resign()).board
    return board


def played(context: Context, names: Sequence[str], **options: str) -> Board:
    """A board of these players that is over; a die was lost before they left."""
    return finished(context, doubted(context, opened(context, names, **options)))


def test_a_board_counts_once_and_again_gives_the_same(engine: Engine) -> None:
    with writing(engine) as connection:
        context = context_on(connection)
        for _ in range(5):
            played(context, ("ann", "bob", "cleo"))
        kept = ratings.known(connection)
        assert {rating.games for rating in kept.values()} == {5}
        assert ratings.recomputed(connection) == kept
        assert list(ratings.problems(connection)) == []
        connection.execute(update(models.Rating).values(mu=models.Rating.mu + 1))
        assert list(ratings.problems(connection)) != []


def test_against_the_same_opponents_each_game_counts_less_for_30_days(engine: Engine) -> None:
    """The fourth game of a pair counts a quarter; a new opponent counts in full."""
    with writing(engine) as connection:
        context = context_on(connection)
        ended = [played(context, ("ann", "bob")).id for _ in range(4)]
        ended.append(played(context, ("ann", "bob", "cleo")).id)
        later = replace(context, now=context.now + 31 * DAY)
        ended.append(played(later, ("ann", "bob")).id)
        query = select(models.Seat.weight).order_by(models.Seat.board_id, models.Seat.seat)
        found = [
            list(connection.execute(query.where(models.Seat.board_id == number)).scalars())
            for number in ended
        ]
        assert found[:4] == [[1, 1], [1 / 2, 1 / 2], [1 / 3, 1 / 3], [1 / 4, 1 / 4]]
        assert found[4] == [pytest.approx((1 + 1 / 5) / 2)] * 2 + [1]
        assert found[5] == [1, 1]
        assert ratings.recomputed(connection) == ratings.known(connection)


@pytest.mark.parametrize(
    ("address", "counts"),
    [("bob+two@example.org", 1 / 2), ("BOB@example.org", 1 / 2), ("cleo@example.org", 1)],
)
def test_opponents_with_one_mailbox_count_as_one(
    engine: Engine, address: str, counts: float
) -> None:
    """Otherwise one person with two mailboxes gains in full from a new account for every game."""
    with writing(engine) as connection:
        context = context_on(connection)
        row = models.Address
        seated(connection, ["ann", "bob", "cleo"])
        change = update(row).where(row.address == "cleo@example.org").values(address=address)
        connection.execute(change)
        played(context, ("ann", "bob"))
        last = played(context, ("ann", "cleo"))
        assert weight(context, last, "ann") == counts
        assert ratings.recomputed(connection) == ratings.known(connection)


@pytest.mark.parametrize(("later", "counts"), [(-1, 1), (0, 1 / 2), (DAY, 1 / 2)])
def test_a_new_player_may_be_an_opponent_who_left(
    engine: Engine, later: int, counts: float
) -> None:
    """A departed player's address is erased, so it cannot be compared."""
    with writing(engine) as connection:
        context = context_on(connection)
        row = models.Player
        seated(connection, ["ann", "bob", "cleo"])
        played(context, ("ann", "bob"))
        connection.execute(update(row).where(row.userid == "bob").values(left_at=context.now))
        new = update(row).where(row.userid == "cleo").values(created_at=context.now + later)
        connection.execute(new)
        assert weight(context, played(context, ("ann", "cleo")), "ann") == counts


def weight(context: Context, board: Board, userid: str) -> float:
    """How much a board counted for a player."""
    seat = [each.userid for each in board.seats].index(userid)
    row = models.Seat
    query = select(row.weight).where(row.board_id == board.id, row.seat == seat)
    return context.connection.execute(query).scalar_one()


@pytest.mark.parametrize("names", [("ann", "bob"), ("ann", "bob", "cleo")])
def test_leaving_before_a_die_is_lost_moves_nothing(engine: Engine, names: Sequence[str]) -> None:
    """Everybody but one leaves at once: the one who stays has beaten nobody."""
    with writing(engine) as connection:
        context = context_on(connection)
        finished(context, opened(context, names))
        assert ratings.known(connection) == {}
        assert ratings.recomputed(connection) == {}


def test_remaining_players_are_rated_without_early_leavers(engine: Engine) -> None:
    with writing(engine) as connection:
        context = context_on(connection)
        board = opened(context)
        connection.execute(update(models.Seat).values(moves=1))
        board = load_board(connection, board.id)
        left = board.on_turn.userid
        board = play.move(context, board, board.table.turn, Resign()).board
        finished(context, doubted(context, board))
        people = dict(seated(connection, ["ann", "bob", "cleo"]))
        counted = {people[player] for player, _ in ratings.known(connection)}
        assert counted == {"ann", "bob", "cleo"} - {left}


@pytest.mark.parametrize("options", [{"dice": "1"}, {"dice": "6"}, {"faces": "20"}])
def test_boards_with_other_dice_or_faces_are_not_rated(
    engine: Engine, options: dict[str, str]
) -> None:
    with writing(engine) as connection:
        board = played(context_on(connection), ("ann", "bob"), **options)
        assert not board.clock.terms.rated
        assert ratings.known(connection) == {}


@pytest.mark.parametrize(
    ("anns", "shared"),
    [
        ("ann@example.org", "ann@example.org"),
        ("ann@example.org", "ann+two@example.org"),
        ("ann@example.org", "Ann@Example.Org"),
        ("an.n@gmail.com", "a.nn+two@googlemail.com"),  # dots are nothing at Gmail
    ],
)
@pytest.mark.parametrize("when", ["begin", "end"])
def test_boards_of_players_with_one_mailbox_are_not_rated(
    engine: Engine, anns: str, shared: str, when: str
) -> None:
    """This holds if they share it at the beginning or at the end of the board."""
    with writing(engine) as connection:
        context = context_on(connection)
        row = models.Address
        seated(connection, ["ann", "bob"])
        connection.execute(update(row).where(row.address == "ann@example.org").values(address=anns))
        share = update(row).where(row.address == "bob@example.org").values(address=shared)
        if when == "begin":
            connection.execute(share)
        board = doubted(context, opened(context, ("ann", "bob")))
        connection.execute(share)
        finished(context, board)
        assert ratings.known(connection) == {}
        assert ratings.recomputed(connection) == {}


@pytest.mark.parametrize("why", ["unrated", "declined", "house"])
def test_some_boards_are_not_rated(engine: Engine, why: str) -> None:
    """Challenges that say so, games left before the first move, two bots or more."""
    with writing(engine) as connection:
        context = context_on(connection)
        terms = Terms(rated=why != "unrated")
        people = seated(connection, ["ann", "bob", "cleo"])
        if why == "house":
            levels = update(models.Player).where(models.Player.userid.in_(["bob", "cleo"]))
            connection.execute(levels.values(level="house"))
        board = play.open_board(context, rules_named("pbmserv"), people, terms).board
        if why == "declined":
            while board.table.winner is None:
                board = play.move(context, board, board.table.turn, Resign()).board
        else:
            finished(context, doubted(context, board))
        assert ratings.known(connection) == {}
        assert connection.execute(select(models.Board.counted)).scalars().all() == [1]
