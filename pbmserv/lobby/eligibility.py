"""Consent: who may be seated at a new board, and how many boards somebody plays at once.

What a player lets others do stands in the columns of `models.Player`; it is changed by
`accept`, `reject`, `set` and `limit`.  Challenges are weighed in `lobby/challenges.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, exists, func, select, update

from pbmserv.boards import punctuality
from pbmserv.boards.board import INVITED, PLAYING
from pbmserv.database import models
from pbmserv.games.perudo.notation import read_position

START, ASK, OFF = "start", "ask", "off"


@dataclass(frozen=True, slots=True)
class Guest:
    """Somebody who is to sit at a new board.

    `challenges` is start, ask or off; `most` the boards at once that are wanted, None for any
    number; `works` says whether an address was ever confirmed, `left` whether the player has
    signed off, `level` which house player this is ("" for people).  `must`: is asked
    first whatever `challenges` was.  `strange`: has never played with the challenger.
    """

    id: int
    userid: str
    challenges: str
    most: int | None
    works: bool
    left: bool
    level: str
    must: bool = False
    strange: bool = False


def guests(connection: Connection, userids: Collection[str], default: str) -> dict[str, Guest]:
    """The players of these userids, by the userid in lower case.

    `default` holds for those who have not said what a challenge may do.  House players always
    play.
    """
    row = models.Player
    confirmed = models.Address.confirmed_at.is_not(None)
    works = exists().where(models.Address.player_id == row.id, confirmed).correlate(row)
    query = select(
        row.id,
        row.userid,
        row.userid_key,
        row.challenges,
        row.most_boards,
        row.left_at,
        row.level,
        works.label("works"),
    ).where(row.userid_key.in_({userid.lower() for userid in userids}))
    return {
        each.userid_key: Guest(
            each.id,
            each.userid,
            START if each.level else each.challenges or default,
            each.most_boards,
            each.works or each.level != "" or each.left_at is not None,
            each.left_at is not None,
            each.level,
        )
        for each in connection.execute(query)
    }


def boards_at_once(connection: Connection, players: Collection[int]) -> dict[int, int]:
    """How many boards each of these plays now, or has agreed to play.

    A board where the player has resigned or has no dice left does not count, nor does an
    invitation that is not answered yet.
    """
    query = (
        select(models.Seat.player_id, models.Seat.seat, models.Board.position)
        .join(models.Board, models.Board.id == models.Seat.board_id)
        .where(models.Seat.player_id.in_(players), models.Board.state.in_([PLAYING, INVITED]))
        .where(models.Seat.accepted.is_(True), models.Seat.leaving.is_(False))
    )
    found = dict.fromkeys(players, 0)
    for player, seat, position in connection.execute(query):
        found[player] += not position or bool(read_position(position).cups[seat])
    return found


def overbooked(
    connection: Connection, seated: Sequence[Guest], invited: Collection[int] = ()
) -> list[Guest]:
    """Those who play as many boards as they want to, or more.

    For the players `invited` the invitations count, too, that they have not answered.
    """
    limits = {guest.id: guest.most for guest in seated if guest.most is not None}
    if not limits:
        return []
    counts = boards_at_once(connection, limits)
    waiting = _invitations(connection, limits.keys() & invited) if invited else {}
    counts = {player: count + waiting.get(player, 0) for player, count in counts.items()}
    return [each for each in seated if each.id in limits and counts[each.id] >= limits[each.id]]


def _invitations(connection: Connection, players: Collection[int]) -> dict[int, int]:
    """How many invitations each of these players has not answered."""
    seat, board = models.Seat, models.Board
    query = (
        select(seat.player_id, func.count())
        .join(board, board.id == seat.board_id)
        .where(seat.player_id.in_(players), seat.accepted.is_(False), board.state == INVITED)
        .group_by(seat.player_id)
    )
    return {player: int(count) for player, count in connection.execute(query)}


def unreliable(connection: Connection, seated: Sequence[Guest], least: int) -> list[Guest]:
    """Those who made less than `least` percent of their moves in time; no moves are no fault."""
    made = punctuality.of_players(connection, [each.id for each in seated if not each.level])
    late = {
        player for player, (moves, late) in made.items() if 100 * (moves - late) < least * moves
    }
    return [each for each in seated if each.id in late]


def change(connection: Connection, player: int, challenges: str) -> None:
    """Let challenges start at once, ask, or be refused (off) from now on."""
    mine = models.Player.id == player
    connection.execute(update(models.Player).where(mine).values(challenges=challenges))


def limit_of(connection: Connection, player: int) -> int | None:
    """How many boards at once the player wants; None for any number."""
    query = select(models.Player.most_boards).where(models.Player.id == player)
    return connection.execute(query).scalar_one()


def set_limit(connection: Connection, player: int, most: int | None) -> None:
    """At most so many boards at once from now on; None for any number."""
    mine = models.Player.id == player
    connection.execute(update(models.Player).where(mine).values(most_boards=most))
