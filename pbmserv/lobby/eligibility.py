"""Who may be seated at a new board, and how many boards a player plays at once.

`models.Player` stores what a player allows; `accept`, `reject`, `set` and `limit` change it.
`lobby/challenges.py` asks for the `objections` to its candidates.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import Connection, bindparam, exists, func, select, update

from pbmserv.boards import punctuality
from pbmserv.boards.board import INVITED, PLAYING
from pbmserv.context import UnitOfWork
from pbmserv.database import models
from pbmserv.errors import Fact, Refused
from pbmserv.fast_dataclasses import dataclass
from pbmserv.games.perudo.notation import read_position
from pbmserv.players import account_suspension, blocks

START, ASK, OFF = "start", "ask", "off"
_GUESTS = select(
    models.Player.id,
    models.Player.userid,
    models.Player.userid_key,
    models.Player.challenges,
    models.Player.most_boards,
    models.Player.left_at,
    models.Player.level,
    exists()
    .where(models.Address.player_id == models.Player.id, models.Address.confirmed_at.is_not(None))
    .correlate(models.Player)
    .label("works"),
).where(models.Player.userid_key.in_(bindparam("userids", expanding=True)))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A player to be seated at a new board.

    `challenges` is start, ask or off.  `most` is the number of boards that the player wants at
    once, None for no limit.  `works`: an address was confirmed at some time.  `left`: the player
    has signed off.  `level` is the level of a bot ("" for people).  `must`: the player is asked
    first, also if `challenges` is start.  `strange`: the player has never played with the
    challenger.  `address`: not a player, but somebody who is invited by this address; `id` is 0.
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
    address: str = ""


def candidates(
    connection: Connection, userids: Collection[str], default: str
) -> dict[str, Candidate]:
    """The players with these userids, by the userid in lower case.

    `default` is the value of `challenges` for those who have not set it.  Bots always play.
    """
    return {
        each.userid_key: Candidate(
            each.id,
            each.userid,
            START if each.level else each.challenges or default,
            each.most_boards,
            each.works or each.level != "" or each.left_at is not None,
            each.left_at is not None,
            each.level,
        )
        for each in connection.execute(_GUESTS, {"userids": [userid.lower() for userid in userids]})
    }


def boards_at_once(connection: Connection, players: Collection[int]) -> dict[int, int]:
    """How many boards each of these players plays now, or has agreed to play.

    Boards where the player has resigned or has no dice left do not count.  Unanswered invitations
    do not count either.
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


def objections(
    work: UnitOfWork, candidates: Sequence[Candidate], own: int | None, least: int
) -> list[Refused]:
    """A refusal for each reason why candidates cannot be seated.

    `own` is the id of the challenger, if known.  `least` is the percentage of moves made in time
    that every candidate must have, 0 for none.
    """
    here = [candidate for candidate in candidates if not candidate.left]
    people = {each.id: each.userid for each in here}
    off = [each for each in here if each.challenges == OFF and each.id != own]
    full = overbooked(work.connection, here, people.keys() - {own})
    late = unreliable(work.connection, here, least) if least else []
    return [
        *_refused("signed_off", [candidate for candidate in candidates if candidate.left]),
        *_refused("challenges_off", off),
        *account_suspension.unseated(work.connection, people, work.now),
        *blocks.check(work.connection, own, people),
        *_refused("overbooked", full),
        *_refused("unreliable", late, least=least),
    ]


def _refused(code: str, whom: Sequence[Candidate], **facts: Fact) -> list[Refused]:
    names = [candidate.userid for candidate in whom]
    return [Refused(code, names=names, **facts)] if names else []


def overbooked(
    connection: Connection, seated: Sequence[Candidate], invited: Collection[int] = ()
) -> list[Candidate]:
    """The players who play at least as many boards as they want.

    For the players `invited`, unanswered invitations count too.
    """
    limits = {candidate.id: candidate.most for candidate in seated if candidate.most is not None}
    if not limits:
        return []
    counts = boards_at_once(connection, limits)
    waiting = _invitations(connection, limits.keys() & invited) if invited else {}
    counts = {player: count + waiting.get(player, 0) for player, count in counts.items()}
    return [each for each in seated if each.id in limits and counts[each.id] >= limits[each.id]]


def _invitations(connection: Connection, players: Collection[int]) -> dict[int, int]:
    """The number of unanswered invitations of these players; players without one are left out."""
    seat, board = models.Seat, models.Board
    query = (
        select(seat.player_id, func.count())
        .join(board, board.id == seat.board_id)
        .where(seat.player_id.in_(players), seat.accepted.is_(False), board.state == INVITED)
        .group_by(seat.player_id)
    )
    return {player: int(count) for player, count in connection.execute(query)}


def unreliable(connection: Connection, seated: Sequence[Candidate], least: int) -> list[Candidate]:
    """The players who made moves, but less than `least` percent of them in time."""
    made = punctuality.of_players(connection, [each.id for each in seated if not each.level])
    late = {
        player for player, (moves, late) in made.items() if 100 * (moves - late) < least * moves
    }
    return [each for each in seated if each.id in late]


def change(connection: Connection, player: int, challenges: str) -> None:
    """Set what challenges do for a player from now on: start at once, ask, or are refused (off)."""
    mine = models.Player.id == player
    connection.execute(update(models.Player).where(mine).values(challenges=challenges))


def limit_of(connection: Connection, player: int) -> int | None:
    """How many boards at once the player wants; None for no limit."""
    query = select(models.Player.most_boards).where(models.Player.id == player)
    return connection.execute(query).scalar_one()


def set_limit(connection: Connection, player: int, most: int | None) -> None:
    """Set how many boards at once the player wants; None for no limit."""
    mine = models.Player.id == player
    connection.execute(update(models.Player).where(mine).values(most_boards=most))
