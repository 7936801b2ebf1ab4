"""Ratings: the strength of players, by the order in which they went out (openskill).

A board is counted when it ends.  `recomputed` counts all boards again from the records and must
give the same numbers.  `rating_eligibility` says which boards count, and how much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from functools import partial
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    and_,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)

from pbmserv.boards import rating_eligibility
from pbmserv.boards.record import RatingChange, record_text
from pbmserv.context import UnitOfWork
from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.fast_dataclasses import dataclass
from pbmserv.games.perudo.final_places import left_before_a_loss, places
from pbmserv.games.perudo.record import read_record

PROVISIONAL = 20  # sum of the games' weights; with less, a rating may still be inaccurate
OVERALL = ""  # the key for all rule sets together
WON = "won"


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's rating: openskill's `mu` and `sigma`, and the number of rated games in it.

    `weight` is the sum of the games' weights, at most 1 for each.
    """

    mu: float = 25.0
    sigma: float = 25.0 / 3
    games: int = 0
    won: int = 0
    weight: float = 0.0

    @property
    def shown(self) -> int:
        """One number for both: the strength that the player almost certainly has, times 40."""
        return round(40 * (self.mu - 3 * self.sigma))

    @property
    def is_provisional(self) -> bool:
        """Whether the player has few rated games, so that the rating still changes a lot."""
        return self.weight < PROVISIONAL


def rated(
    before: Sequence[Rating], order: Sequence[int], weights: Sequence[float]
) -> tuple[Rating, ...]:
    """The ratings after a game: `order` has each player's place, 1 for the winner.

    `weights` say how much the game counts for each, from 0 to 1: that part of the change is
    applied.
    """
    from openskill.models import PlackettLuce  # noqa: PLC0415 - only a finished game needs it

    model = PlackettLuce()
    teams = [[model.rating(mu=each.mu, sigma=each.sigma)] for each in before]
    after = model.rate(teams, ranks=[float(place) for place in order])
    return tuple(
        Rating(
            old.mu + weight * (found.mu - old.mu),
            old.sigma + weight * (found.sigma - old.sigma),
            old.games + 1,
            old.won + (place == 1),
            old.weight + weight,
        )
        for old, (found,), place, weight in zip(before, after, order, weights, strict=True)
    )


Ratings = dict[tuple[int, str], Rating]
"""Ratings by player and rule set."""


def count(work: UnitOfWork, number: int) -> tuple[RatingChange, ...]:
    """Count a board that has just ended; returns what changed, empty for an unrated board."""
    connection = work.connection
    board = models.Board
    players = {
        place: seat.player for place, seat in enumerate(_seats(connection, number)) if seat.taken
    }
    if len(players) > 1:  # a weight needs an opponent
        _weigh(work, number, players)
    last = connection.execute(select(func.max(board.counted))).scalar() or 0
    connection.execute(update(board).where(board.id == number).values(counted=last + 1))
    kept = known(connection, list(players.values()))
    before = dict(kept)
    if number in _rated_boards(connection, last):
        _count(connection, number, kept)
    row = models.Rating
    for player, rules in kept:
        connection.execute(delete(row).where(row.player_id == player, row.rules == rules))
    _write(connection, kept)
    return tuple(
        RatingChange(player, before.get((player, rules), Rating()).shown, after.shown)
        for (player, rules), after in kept.items()
        if rules == OVERALL and after != before.get((player, rules))
    )


def _weigh(work: UnitOfWork, number: int, players: Mapping[int, int]) -> None:
    """Store whether a board that has just ended counts, and its weight for each player.

    `players` are those who have not declined, by their seats.
    """
    board, seat, connection = models.Board, models.Seat, work.connection
    ended = connection.execute(select(board.ended_at).where(board.id == number)).scalar_one()
    everybody = list(players.values())
    if rating_eligibility.share_a_mailbox(work, everybody):
        connection.execute(update(board).where(board.id == number).values(rated=False))
    weights = rating_eligibility.weights(work, everybody, ended or 0)
    for place, weight in zip(players, weights, strict=True):
        here = seat.board_id == number, seat.seat == place
        connection.execute(update(seat).where(*here).values(weight=weight))


def _write(connection: Connection, ratings: Ratings) -> None:
    """Insert ratings; none of these players may have one yet."""
    rows = [
        {"player_id": player, "rules": rules, "mu": each.mu, "sigma": each.sigma}
        | {"games": each.games, "won": each.won, "weight": each.weight}
        for (player, rules), each in ratings.items()
    ]
    if rows:
        connection.execute(insert(models.Rating), rows)


def known(connection: Connection, players: Sequence[int] | None = None) -> Ratings:
    """The stored ratings of these players, or of all."""
    row = models.Rating
    query = select(row.player_id, row.rules, row.mu, row.sigma, row.games, row.won, row.weight)
    if players is not None:
        query = query.where(row.player_id.in_(players))
    return {(each.player_id, each.rules): Rating(*each[2:]) for each in connection.execute(query)}


def recomputed(connection: Connection) -> Ratings:
    """All ratings, computed again from the records, in the order in which the boards ended."""
    found: Ratings = {}
    for number in _rated_boards(connection):
        _count(connection, number, found)
    return found


@dataclass(frozen=True, slots=True)
class Decision:
    """The operator's decision that a board `counts` from now on, or does not.

    `write` stores the decision.  In the same transaction it calls the function that it is given,
    which writes the ratings.  `write` may be called more than once, and only its last transaction
    is kept.
    """

    number: int
    counts: bool
    write: Callable[[Callable[[Connection], None]], None]


class _Overtaken(Exception):
    """Another decision was stored while boards were counted."""


def recount(
    engine: Engine,
    progress: Callable[[Sequence[Any]], AbstractContextManager[Any]],
    decision: Decision | None = None,
) -> None:
    """Compute all ratings again, and store them in one transaction with a decision.

    Boards can go on meanwhile, and those that end are counted at the end.  If two decisions are
    made at once, the one stored last computes the ratings again.  `progress` wraps the boards as
    `click.progressbar` does.
    """

    def at_once(settle: Callable[[Connection], None]) -> None:
        with writing(engine) as connection:
            settle(connection)

    done = False
    while not done:
        with reading(engine) as connection:
            numbers = _rated_boards(connection, decision=decision)
            found: Ratings = {}
            with progress(numbers) as boards:
                for number in boards:
                    _count(connection, number, found)
        with suppress(_Overtaken):
            (decision.write if decision else at_once)(partial(_settle, numbers, found))
            done = True


def _settle(numbers: Sequence[int], ratings: Ratings, connection: Connection) -> None:
    """Store ratings computed from these boards, after adding the boards that ended since."""
    now = _rated_boards(connection)
    if now[: len(numbers)] != numbers:
        raise _Overtaken
    for number in now[len(numbers) :]:
        _count(connection, number, ratings)
    connection.execute(delete(models.Rating))
    _write(connection, ratings)


def _rated_boards(
    connection: Connection, last: int = 0, *, decision: Decision | None = None
) -> list[int]:
    """The boards that count and come after this place in the order of counting.

    The result is as after the `decision`, if one is given.
    """
    board = models.Board
    counts: ColumnElement[bool] = board.rated.is_(True)
    if decision is not None:
        one = board.id == decision.number
        counts = or_(counts, one) if decision.counts else and_(counts, ~one)
    query = select(board.id).where(board.counted > last, board.state == WON, counts)
    return list(connection.execute(query.order_by(board.counted)).scalars())


def problems(connection: Connection) -> Iterator[str]:
    """The differences between the stored ratings and those computed from the records."""
    kept, right = known(connection), recomputed(connection)
    for player, rules in sorted(kept.keys() | right.keys()):
        if kept.get((player, rules)) != right.get((player, rules)):
            yield f"player {player}, rules {rules or 'all'}: not the rating of the records"


@dataclass(frozen=True, slots=True)
class _Seat:
    """The first player of a seat, with the weight of the board and the end of that player's part.

    `until` is the index of the event at which another player took over, None if nobody did.  A
    player who has not `taken` the seat has declined (`boards/seating.py`) and is not rated.
    """

    player: int
    weight: float
    until: int | None
    taken: bool


def _seats(connection: Connection, number: int) -> list[_Seat]:
    """The seats of a board in order, with the players of its start: these are rated."""
    row = models.Seat
    taken = row.taken_at.is_not(None)
    query = select(row.first_id, row.weight, row.handed_over, taken).where(row.board_id == number)
    return [_Seat(*each) for each in connection.execute(query.order_by(row.seat))]


def _count(connection: Connection, number: int, ratings: Ratings) -> None:
    """Add a board that counts to these ratings, if enough people have played there."""
    seats = _seats(connection, number)
    players = [seat.player for seat in seats]
    if rating_eligibility.bots_among(connection, players) > rating_eligibility.MOST_BOTS:
        return
    record = read_record(record_text(connection, number))
    handed_over = {place: seat.until for place, seat in enumerate(seats) if seat.until is not None}
    order = places(record.events, len(seats), handed_over)
    left = left_before_a_loss(record.events)
    counted = [place for place, seat in enumerate(seats) if place not in left and seat.taken]
    if order is None or len(counted) < 2:  # noqa: PLR2004 - one player alone beats nobody
        return
    rivals = [seats[place].player for place in counted]
    weights = [seats[place].weight for place in counted]
    for rules in (OVERALL, record.rules.name):
        before = [ratings.get((each, rules), Rating()) for each in rivals]
        after = rated(before, [order[place] for place in counted], weights)
        ratings.update({(each, rules): new for each, new in zip(rivals, after, strict=True)})
