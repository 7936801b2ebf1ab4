"""Ratings: how strong players are, by the order in which they went out (openskill).

A board is counted when it ends; `recomputed` counts them all again from the records and must
come to the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, insert, select, update

from pbmserv import models, records
from pbmserv.games.perudo.outcome import places
from pbmserv.games.perudo.record import read_record

PROVISIONAL = 20  # games below which a rating may still be far off
MOST_HOUSE_SEATS = 1  # a board with more seats of the house says little about people
OVERALL = ""  # stands for all rule sets together
WON = "won"


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's rating: openskill's `mu` and `sigma`, and the rated games behind them."""

    mu: float = 25.0
    sigma: float = 25.0 / 3
    games: int = 0
    won: int = 0

    @property
    def shown(self) -> int:
        """One number for both: a strength that the player has almost certainly, times 40."""
        return round(40 * (self.mu - 3 * self.sigma))

    @property
    def is_provisional(self) -> bool:
        """True for the first games, in which a rating still moves far."""
        return self.games < PROVISIONAL


def rated(before: Sequence[Rating], order: Sequence[int]) -> tuple[Rating, ...]:
    """The ratings after a game: `order` has everybody's place, 1 for the winner."""
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    teams = [[model.rating(mu=each.mu, sigma=each.sigma)] for each in before]
    after = model.rate(teams, ranks=[float(place) for place in order])
    return tuple(
        Rating(found.mu, found.sigma, old.games + 1, old.won + (place == 1))
        for old, (found,), place in zip(before, after, order, strict=True)
    )


Ratings = dict[tuple[int, str], Rating]
"""Ratings by player and rule set."""


def count(connection: Connection, number: int) -> None:
    """Count a board that was just won."""
    board = models.Board
    last = connection.execute(select(func.max(board.counted))).scalar() or 0
    connection.execute(update(board).where(board.id == number).values(counted=last + 1))
    _count(connection, number, kept := known(connection, _players(connection, number)))
    rows = [
        {"player_id": player, "rules": rules, "mu": each.mu, "sigma": each.sigma}
        | {"games": each.games, "won": each.won}
        for (player, rules), each in kept.items()
    ]
    row = models.Rating
    for each in rows:
        mine = row.player_id == each["player_id"], row.rules == each["rules"]
        connection.execute(delete(row).where(*mine))
    if rows:
        connection.execute(insert(row), rows)


def known(connection: Connection, players: Sequence[int] | None = None) -> Ratings:
    """The ratings of these players, or of all."""
    row = models.Rating
    query = select(row.player_id, row.rules, row.mu, row.sigma, row.games, row.won)
    if players is not None:
        query = query.where(row.player_id.in_(players))
    return {
        (each.player_id, each.rules): Rating(each.mu, each.sigma, each.games, each.won)
        for each in connection.execute(query)
    }


def recomputed(connection: Connection) -> Ratings:
    """All ratings counted again, from the records, in the order in which the boards ended."""
    board = models.Board
    query = select(board.id).where(board.counted.is_not(None)).order_by(board.counted)
    found: Ratings = {}
    for number in connection.execute(query).scalars().all():
        _count(connection, number, found)
    return found


def problems(connection: Connection) -> Iterator[str]:
    """Where the ratings that are kept differ from those of the records."""
    kept, right = known(connection), recomputed(connection)
    for player, rules in sorted(kept.keys() | right.keys()):
        if kept.get((player, rules)) != right.get((player, rules)):
            yield f"player {player}, rules {rules or 'all'}: not the rating of the records"


def _players(connection: Connection, number: int) -> list[int]:
    """Who sat down when a board began, in order of the seats: they are rated."""
    row = models.Seat
    query = select(row.first_id).where(row.board_id == number).order_by(row.seat)
    return list(connection.execute(query).scalars())


def _handed_over(connection: Connection, number: int) -> dict[int, int]:
    """The seats in which somebody else went on, and after how many events of the record."""
    row = models.Seat
    query = select(row.seat, row.handed_over)
    query = query.where(row.board_id == number, row.handed_over.is_not(None))
    return {seat: events or 0 for seat, events in connection.execute(query)}


def _count(connection: Connection, number: int, ratings: Ratings) -> None:
    """Count a board in these ratings, if it is to be counted."""
    board, player = models.Board, models.Player
    players = _players(connection, number)
    levels = select(func.count()).where(player.id.in_(players), player.level != "")
    house = connection.execute(levels).scalar_one()
    row = connection.execute(select(board.rated, board.state).where(board.id == number)).one()
    if not row.rated or row.state != WON or house > MOST_HOUSE_SEATS:
        return
    record = read_record(records.record(connection, number))
    if (order := places(record.events, len(players), _handed_over(connection, number))) is None:
        return
    for rules in (OVERALL, record.rules.name):
        before = [ratings.get((each, rules), Rating()) for each in players]
        after = rated(before, order)
        ratings.update({(each, rules): new for each, new in zip(players, after, strict=True)})
