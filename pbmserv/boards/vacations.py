"""Vacations: days on which a player's clock stops, within a yearly limit.

Once a year the server grants one itself, to a player whose email cannot be delivered.  Moments are
seconds since 1970; days are whole, and a year is the last 365 days.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, and_, delete, insert, select, update

from pbmserv.boards import listing
from pbmserv.boards.board import PLAYING, Board, load_board
from pbmserv.boards.deadlines import due_at, forfeit_at
from pbmserv.boards.record import change_board
from pbmserv.context import UnitOfWork
from pbmserv.database import models
from pbmserv.errors import Refused
from pbmserv.letters.payloads.accounts import UNREACHABLE, VACATION, PlayerUnreachable, Vacation
from pbmserv.letters.payloads.letter import Letter
from pbmserv.timeunits import DAY, HOUR

YEAR = 365 * DAY
GRANTED = 14 * DAY  # for a player whose email cannot be delivered: twice the usual nag time
BY_ITSELF = 7 * DAY  # taken at once for a player with `autovacation=on`


def of_player(connection: Connection, player: int, now: int) -> Sequence[tuple[int, int]]:
    """The vacations that are not over, in order, without granted ones."""
    row = models.Vacation
    query = select(row.begins_at, row.ends_at).where(
        row.player_id == player, row.ends_at > now, row.granted.is_(False)
    )
    return [(begins, ends) for begins, ends in connection.execute(query.order_by(row.begins_at))]


def _days_left(connection: Connection, player: int, at: int, allowance: int) -> int:
    """The days of vacation still allowed in the year around a moment, of `allowance` a year."""
    row = models.Vacation
    query = select(row.begins_at, row.ends_at).where(
        row.player_id == player, row.ends_at > at - YEAR, row.begins_at < at + YEAR
    )
    query = query.where(row.granted.is_(False))
    spent = sum(ends - max(begins, at - YEAR) for begins, ends in connection.execute(query))
    return max(0, allowance * DAY - spent + HOUR) // DAY  # an hour: see `_write_down`


def take(work: UnitOfWork, player: int, userid: str, begins: int, ends: int) -> list[Letter]:
    """Store a vacation, and tell the players who share a board with this player.

    Raises Refused `vacation_too_long` (left: days) or `vacation_twice`.
    """
    _write_down(work, player, begins, ends)
    told = _vacation(userid, begins, ends)
    told["planned"] = begins > work.now
    return _letters_to_all(work, player, told)


def _write_down(work: UnitOfWork, player: int, begins: int, ends: int) -> None:
    """Store a vacation within the yearly limit; raises Refused as `take` does."""
    allowance = work.settings.vacation_days
    # A part of a day counts as a day.  A day with a change of the clocks may have 25 hours.
    days = max(1, -(-(ends - begins - HOUR) // DAY))
    remaining = _days_left(work.connection, player, begins, allowance)
    if days > remaining:
        raise Refused("vacation_too_long", days=days, left=remaining, allowance=allowance)
    for other_begins, other_ends in of_player(work.connection, player, work.now):
        if begins < other_ends and other_begins < ends:
            raise Refused("vacation_twice", begins=other_begins, ends=other_ends)
    row = {"player_id": player, "begins_at": begins, "ends_at": ends}
    work.connection.execute(insert(models.Vacation).values(row))


def grant(work: UnitOfWork, player: int, userid: str) -> tuple[int, list[Letter]]:
    """Stop the clocks of a player whose email cannot be delivered; returns until when, and letters.

    This is granted once a year, so that letting email bounce for ever gains nothing more.  If it
    was granted before, there are no letters, and 0 means that this vacation is over.
    """
    if (ends := granted_until(work, player)) is not None:
        return ends, []
    ends = work.now + GRANTED
    row = models.Vacation
    values = {"player_id": player, "begins_at": work.now, "ends_at": ends, "granted": True}
    work.connection.execute(insert(row).values(values))
    told: PlayerUnreachable = {"userid": userid, "ends": ends}
    letters = [UNREACHABLE.to(each, told) for each in _playing_with(work, player)]
    return ends, [each for each in letters if each.to != player]


def granted_until(work: UnitOfWork, player: int) -> int | None:
    """The end of the vacation granted within the last year: 0 if over, None without one."""
    row = models.Vacation
    query = select(row.ends_at).where(
        row.player_id == player, row.granted.is_(True), row.begins_at > work.now - YEAR
    )
    ends = work.connection.execute(query.limit(1)).scalar()
    return ends if ends is None or ends > work.now else 0


def end_granted(work: UnitOfWork, player: int, userid: str) -> list[Letter]:
    """End a granted vacation, because the player's letters arrive again, and tell the opponents."""
    row = models.Vacation
    running = row.player_id == player, row.granted.is_(True), row.ends_at > work.now
    if not work.connection.execute(update(row).where(*running).values(ends_at=work.now)).rowcount:
        return []
    told: PlayerUnreachable = {"userid": userid, "ends": work.now, "over": True}
    letters = [UNREACHABLE.to(each, told) for each in _playing_with(work, player)]
    return [each for each in letters if each.to != player]


def end(work: UnitOfWork, player: int, userid: str) -> list[Letter]:
    """End the running vacation now and delete those to come; raises Refused `no_vacation`."""
    known = of_player(work.connection, player, work.now)
    if not known:
        raise Refused("no_vacation")
    row = models.Vacation
    mine = and_(row.player_id == player, row.granted.is_(False))
    work.connection.execute(delete(row).where(mine, row.begins_at >= work.now))
    work.connection.execute(
        update(row).where(mine, row.ends_at > work.now).values(ends_at=work.now)
    )
    return _letters_to_all(work, player, _vacation(userid, work.now, work.now))


def taken_for(work: UnitOfWork, board: Board) -> list[Letter]:
    """Take a vacation for the player on turn, whose time is over, if wanted and days are left.

    The preference `autovacation` asks for it.  It ends at the latest when a booked one begins.
    Returns no letters if none was taken.
    """
    absent = board.on_turn
    row, allowance = models.Player, work.settings.vacation_days
    wanted = select(row.autovacation).where(row.id == absent.player)
    if not work.connection.execute(wanted).scalar_one():
        return []
    days = _days_left(work.connection, absent.player, work.now, allowance)
    days = min(BY_ITSELF // DAY, days)
    if not days:
        return []
    # It begins exactly at the forfeit, so that the forfeit moves to its end.
    begins = forfeit_at(board.clock, absent.away)
    booked = [begun for begun, _ in of_player(work.connection, absent.player, work.now)]
    until = min([begins + days * DAY, *booked])
    if until <= work.now:
        return []
    _write_down(work, absent.player, begins, until)
    told = _vacation(absent.userid, begins, until)
    told["board"], told["standin"] = board.id, board.clock.terms.standin
    told["left"] = _days_left(work.connection, absent.player, until, allowance)
    return _letters_to_all(work, absent.player, told)


def _vacation(userid: str, begins: int, ends: int) -> Vacation:
    """The payload of a vacation for the player who asked for it."""
    return {
        "userid": userid,
        "begins": begins,
        "ends": ends,
        "mine": True,
        "board": None,
        "left": 0,
        "standin": False,
    }


def _letters_to_all(work: UnitOfWork, player: int, told: Vacation) -> list[Letter]:
    """Tell the player and all who share a board; only the player is told why it was taken."""
    others: Vacation = {**told, "mine": False, "board": None, "left": 0, "standin": False}
    return [
        VACATION.to(each, told if each == player else others)
        for each in _playing_with(work, player)
    ]


def _playing_with(work: UnitOfWork, player: int) -> list[int]:
    """The players who share a board with this one, who is included; also updates the `due_at`."""
    for number in listing.waiting_for(work.connection, player):
        board = load_board(work.connection, number)
        change_board(work, board, due_at=due_at(board.clock, board.on_turn.away))
    mine = select(models.Seat.board_id).where(models.Seat.player_id == player)
    query = (
        select(models.Seat.player_id)
        .join(models.Board, models.Board.id == models.Seat.board_id)
        .where(models.Board.state == PLAYING, models.Seat.board_id.in_(mine))
        .where(models.Seat.leaving.is_(False))
        .distinct()
    )
    return sorted({*work.connection.execute(query).scalars(), player})
