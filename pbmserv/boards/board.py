"""A board as a value: its game, seats and clock, and how it is loaded from the database.

`boards/seating.py` checks who may act at a seat.  `boards/play.py` opens a board and makes its
moves.  `boards/notices.py` decides who is told, and with which payload.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence, Set
from dataclasses import KW_ONLY, field
from typing import Any

from sqlalchemy import Connection, and_, bindparam, exists, select

from pbmserv.boards.deadlines import Away, Clock, Terms
from pbmserv.database import models
from pbmserv.database.prepared_statements import Prepared
from pbmserv.errors import Refused
from pbmserv.fast_dataclasses import dataclass
from pbmserv.games.perudo.beacon import emitted_at
from pbmserv.games.perudo.notation import read_position
from pbmserv.games.perudo.table import Table
from pbmserv.outbox import recipients
from pbmserv.outbox.recipients import Recipient
from pbmserv.text.numbers import whole_of_any_script

PLAYING, INVITED = "playing", "invited"
DECLINED = "declined"  # the game ended before all players took their seats: `boards/seating.py`
LARGEST_NUMBER = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Seated:
    """A player at a board.

    `leaving`: the player has resigned, or resigns when the turn comes.  `agrees`: the player agrees
    to a draw.  `queued` are the moves to try when the turn comes.  `moves` counts the moves made,
    `late` those made after the nag time.

    `level` is the level of the bot that has this seat or stands in for the player; "" for people.
    `standin` is the userid of the bot that stands in.  `away` are the vacations that matter to the
    board's clock.  `left`: the player has signed off.  `began`: the player had this seat when the
    board began.  `taken`: the player has taken the seat (`boards/seating.py`).  `suspended_until`
    is when the player may act again, in seconds since 1970.  `salt` is that of the email with the
    queue.
    """

    player: int
    userid: str
    _: KW_ONLY
    leaving: bool = False
    agrees: bool = False
    queued: tuple[str, ...] = ()
    moves: int = 0
    late: int = 0
    level: str = ""
    standin: str = ""
    away: Away = ()
    left: bool = False
    began: bool = True
    suspended_until: int | None = None
    taken: bool = True
    salt: str = ""


@dataclass(frozen=True, slots=True)
class Board:
    """The state of a board: its table, its seats in order, its clock, and the proof of its dice.

    `lines` counts the public lines, and `chain` is their digest.  `seed` is the secret of the
    running round, and `next_seed` that of the next one.  `recent` holds the last finished rounds,
    each with its bids.  In a row of an older version each begins with its last bid.  `watched`: at
    least one player watches.  `challenger` is the player who made the challenge, or None if it came
    from a shell of the server.  `opening` is the opening message while it waits for proof of its
    sender.

    `void`: the running round must be rolled again after a restore, and no move is accepted before.

    `recipients` are its players as the readers of letters, by id, as they were when it was loaded.
    `unshunned` are the userids that nobody has blocked, if nobody has muted the board.
    """

    id: int
    table: Table
    seats: tuple[Seated, ...]
    _: KW_ONLY
    lines: int
    chain: bytes
    seed: bytes | None
    next_seed: bytes | None
    recent: tuple[tuple[str, ...], ...]
    moved_at: int
    clock: Clock
    watched: bool = False
    challenger: int | None = None
    opening: str = ""
    void: bool = False
    recipients: Mapping[int | None, Recipient] = field(default_factory=dict, compare=False)
    unshunned: Set[str] = field(default=frozenset(), compare=False)

    @property
    def names(self) -> list[str]:
        """The userids in order of play."""
        return [seated.userid for seated in self.seats]

    @property
    def on_turn(self) -> Seated:
        """The player on turn."""
        return self.seats[self.table.turn]

    @property
    def agreed(self) -> list[str]:
        """The userids of the players who agree to the draw on offer; empty without an offer."""
        return [each.userid for each in self.seats if each.agrees]

    @property
    def undecided(self) -> list[int]:
        """The seats of the people in the game who have not agreed to a draw."""
        return [
            place
            for place, each in enumerate(self.seats)
            if self.table.cups[place] and not (each.agrees or each.level or each.left)
        ]

    def seat_of(self, player: int) -> int:
        """The seat of a player; raises Refused `not_on_board`."""
        for number, seated in enumerate(self.seats):
            if seated.player == player:
                return number
        raise Refused("not_on_board", board=self.id)


def require_open(board: Board) -> None:
    """Raise Refused `beacon_awaited` while a call waits for the beacon: no other action counts."""
    pending = board.table.pending
    if pending is not None and pending.beacon is not None:
        facts = {"beacon": pending.beacon, "opens": emitted_at(pending.beacon)}
        raise Refused("beacon_awaited", board=board.id, name=board.names[pending.seat], **facts)


_STANDIN = models.Player.aliased()
_LOAD = Prepared(
    select(
        models.Board.position,
        models.Board.lines,
        models.Board.chain,
        models.Board.seed,
        models.Board.next_seed,
        models.Board.recent,
        models.Board.moved_at,
        models.Board.state,
        models.Board.rated,
        models.Board.started_at,
        models.Board.clock_at,
        models.Board.reminded,
        models.Board.nag_seconds,
        models.Board.forfeit_seconds,
        models.Board.total_seconds,
        models.Board.standin,
        models.Board.challenger_id,
        models.Board.opening,
        models.Board.void_at,
        models.Board.counts,
        models.Seat.leaving,
        models.Seat.agrees,
        models.Seat.queued,
        models.Seat.salt,
        models.Seat.moves,
        models.Seat.late,
        models.Seat.first_id,
        models.Seat.taken_at,
        models.Seat.muted,
        *recipients.COLUMNS,
        models.Player.level,
        models.Player.suspended_until,
        _STANDIN.userid.label("standin_userid"),
        _STANDIN.level.label("standin_level"),
        models.Vacation.begins_at,
        models.Vacation.ends_at,
        exists().where(models.Watcher.board_id == models.Board.id).label("watched"),
        exists().where(models.Block.blocked_id == models.Player.id).label("blocked"),
    )
    .join(models.Seat, models.Seat.board_id == models.Board.id)
    .join(models.Player, models.Player.id == models.Seat.player_id)
    .outerjoin(models.Address, recipients.ARE_THEIRS)
    .outerjoin(_STANDIN, _STANDIN.id == models.Seat.standin_id)
    .outerjoin(
        models.Vacation,
        and_(
            models.Vacation.player_id == models.Player.id,
            models.Vacation.ends_at > models.Board.clock_at,
        ),
    )
    .where(models.Board.id == bindparam("board"))
    .order_by(models.Seat.seat, models.Vacation.begins_at, models.Address.id)
)


def board_number(text: str, otherwise: str = "not_a_board_number") -> int:
    """Read the number of a board or of a move; raises Refused `otherwise`."""
    if (number := whole_of_any_script(text, LARGEST_NUMBER, 1)) is None:
        raise Refused(otherwise, text=text[:80])
    return number


def begun_board(
    number: int,
    table: Table,
    players: Sequence[tuple[int, str]],
    clock: Clock,
    *,
    chain: bytes,
    next_seed: bytes,
    now: int,
) -> Board:
    """A board whose record has a header, and whose first round has no dice yet."""
    return Board(
        number,
        table,
        tuple(Seated(player, userid) for player, userid in players),
        lines=1,
        chain=chain,
        seed=None,
        next_seed=next_seed,
        recent=(),
        moved_at=now,
        clock=clock,
    )


def load_board(connection: Connection, number: int) -> Board:
    """Load a board; raises Refused `no_such_board`, or `not_begun` for an invitation."""
    rows = _LOAD.rows(connection, {"board": number})
    if not rows:
        raise Refused("no_such_board", board=number)
    row = rows[0]
    if not row.position:
        raise Refused("not_begun", board=number, withdrawn=row.state != INVITED)
    return Board(
        number,
        read_position(row.position),
        _seats(rows),
        lines=row.lines,
        chain=row.chain,
        seed=row.seed,
        next_seed=row.next_seed,
        recent=tuple(tuple(lines) for lines in json.loads(row.recent or "[]")),
        moved_at=row.moved_at,
        clock=_clock(row),
        watched=bool(row.watched),
        challenger=row.challenger_id,
        opening=row.opening,
        void=row.void_at is not None,
        recipients=recipients.of_rows(rows),
        unshunned=_unshunned(rows),
    )


def _unshunned(rows: Sequence[Any]) -> Set[str]:
    """The userids of players whose words everybody at the board hears."""
    if any(row.muted for row in rows):
        return frozenset()
    return {row.userid for row in rows if not row.blocked}


def _clock(row: Any) -> Clock:  # a row of _LOAD
    terms = Terms(row.nag_seconds, row.forfeit_seconds, row.total_seconds, row.standin, row.rated)
    closes = row.started_at + terms.total if terms.total else 0
    return Clock(row.clock_at, row.reminded, closes, terms)


def _seats(rows: Sequence[Any]) -> tuple[Seated, ...]:
    """The seats in order; a player has a row for each vacation and each address."""
    away: dict[int, dict[tuple[int, int], None]] = {}
    for row in rows:
        if row.begins_at is not None:
            away.setdefault(row.id, {})[row.begins_at, row.ends_at] = None
    one_of_each = {row.id: row for row in rows}.values()
    counts = json.loads(rows[0].counts or "[]")
    counts = counts or [(each.moves, each.late) for each in one_of_each]
    return tuple(
        Seated(
            row.id,
            row.userid,
            leaving=row.leaving,
            agrees=row.agrees,
            queued=tuple(json.loads(row.queued)) if row.queued else (),
            moves=made[0],
            late=made[1],
            level=row.standin_level or row.level,
            standin=row.standin_userid or "",
            away=tuple(away.get(row.id, ())),
            left=row.left_at is not None,
            began=row.first_id == row.id,
            suspended_until=row.suspended_until,
            taken=row.taken_at is not None,
            salt=row.salt,
        )
        for row, made in zip(one_of_each, counts, strict=True)
    )
