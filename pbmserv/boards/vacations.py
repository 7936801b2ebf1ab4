"""Vacations: days on which a player's clock stands still, within what a year allows.

Once in a year the server grants some of its own accord: to a player whom letters do not reach.

Moments are seconds since 1970; days are counted whole, and a year is the last 365 of them.
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
from pbmserv.letters.payloads.accounts import UNREACHABLE, VACATION, Unreachable, Vacation
from pbmserv.letters.payloads.letter import Letter
from pbmserv.timeunits import DAY, HOUR

YEAR = 365 * DAY
GRANTED = 14 * DAY  # to a player whom letters do not reach: twice the usual time to the nag
BY_ITSELF = 7 * DAY  # what is taken at once for a player who wants vacations to be spent


def of_player(connection: Connection, player: int, now: int) -> Sequence[tuple[int, int]]:
    """The vacations that are not over, in order."""
    row = models.Vacation
    query = select(row.begins_at, row.ends_at).where(
        row.player_id == player, row.ends_at > now, row.granted.is_(False)
    )
    return [(begins, ends) for begins, ends in connection.execute(query.order_by(row.begins_at))]


def days_left(connection: Connection, player: int, at: int, allowance: int) -> int:
    """The days of vacation that the year around a moment still allows, of `allowance` a year."""
    row = models.Vacation
    query = select(row.begins_at, row.ends_at).where(
        row.player_id == player, row.ends_at > at - YEAR, row.begins_at < at + YEAR
    )
    query = query.where(row.granted.is_(False))
    spent = sum(ends - max(begins, at - YEAR) for begins, ends in connection.execute(query))
    return max(0, allowance * DAY - spent + HOUR) // DAY  # an hour: see `take`


def take(work: UnitOfWork, player: int, userid: str, begins: int, ends: int) -> list[Letter]:
    """Write down a vacation; those who wait for the player are told.

    Raises Refused `vacation_too_long` (left: days) or `vacation_twice`.
    """
    _write_down(work, player, begins, ends)
    return _told(work, player, _vacation(userid, begins, ends))


def _write_down(work: UnitOfWork, player: int, begins: int, ends: int) -> None:
    """Write down a vacation that the year allows; raises Refused as `take` does."""
    allowance = work.settings.vacation_days
    # A part of a day is a day; where clocks are changed a day has an hour more.
    days = max(1, -(-(ends - begins - HOUR) // DAY))
    remaining = days_left(work.connection, player, begins, allowance)
    if days > remaining:
        raise Refused("vacation_too_long", days=days, left=remaining, allowance=allowance)
    for other_begins, other_ends in of_player(work.connection, player, work.now):
        if begins < other_ends and other_begins < ends:
            raise Refused("vacation_twice", begins=other_begins, ends=other_ends)
    row = {"player_id": player, "begins_at": begins, "ends_at": ends}
    work.connection.execute(insert(models.Vacation).values(row))


def granted(work: UnitOfWork, player: int, userid: str) -> tuple[int, list[Letter]]:
    """Stop the clocks of a player whom letters do not reach: until when, and who is told.

    Once in a year: whoever lets letters come back for ever gains nothing more by it.  Where it
    was done already no letters are written, and 0 stands for a time that is over.
    """
    if (ends := granted_until(work, player)) is not None:
        return ends, []
    ends = work.now + GRANTED
    row = models.Vacation
    values = {"player_id": player, "begins_at": work.now, "ends_at": ends, "granted": True}
    work.connection.execute(insert(row).values(values))
    told: Unreachable = {"userid": userid, "ends": ends}
    letters = [UNREACHABLE.to(each, told) for each in _playing_with(work, player)]
    return ends, [each for each in letters if each.to != player]


def granted_until(work: UnitOfWork, player: int) -> int | None:
    """Until when the clocks stand still that were stopped within a year, 0 if that is over."""
    row = models.Vacation
    query = select(row.ends_at).where(
        row.player_id == player, row.granted.is_(True), row.begins_at > work.now - YEAR
    )
    ends = work.connection.execute(query.limit(1)).scalar()
    return ends if ends is None or ends > work.now else 0


def end(work: UnitOfWork, player: int, userid: str) -> list[Letter]:
    """End the running vacation now and forget those to come; raises Refused `no_vacation`."""
    known = of_player(work.connection, player, work.now)
    if not known:
        raise Refused("no_vacation")
    row = models.Vacation
    mine = and_(row.player_id == player, row.granted.is_(False))
    work.connection.execute(delete(row).where(mine, row.begins_at >= work.now))
    work.connection.execute(
        update(row).where(mine, row.ends_at > work.now).values(ends_at=work.now)
    )
    return _told(work, player, _vacation(userid, work.now, work.now))


def taken_for(work: UnitOfWork, board: Board) -> list[Letter]:
    """A vacation for the player on turn whose time is over, if it is wanted and there is some.

    COMMANDS: `set … autovacation=on`.  It ends where one that is booked begins, at the latest.
    No letters: nothing was taken.
    """
    absent = board.on_turn
    row, allowance = models.Player, work.settings.vacation_days
    wanted = select(row.autovacation).where(row.id == absent.player)
    if not work.connection.execute(wanted).scalar_one():
        return []
    days = days_left(work.connection, absent.player, work.now, allowance)
    days = min(BY_ITSELF // DAY, days)
    if not days:
        return []
    # From the very moment of the forfeit on, which moves to the end of the vacation by that.
    begins = forfeit_at(board.clock, absent.away)
    booked = [begun for begun, _ in of_player(work.connection, absent.player, work.now)]
    until = min([begins + days * DAY, *booked])
    if until <= work.now:
        return []
    _write_down(work, absent.player, begins, until)
    told = _vacation(absent.userid, begins, until)
    told["board"], told["standin"] = board.id, board.clock.terms.standin
    told["left"] = days_left(work.connection, absent.player, until, allowance)
    return _told(work, absent.player, told)


def _vacation(userid: str, begins: int, ends: int) -> Vacation:
    """What the player himself is told of a vacation that he has asked for."""
    return {
        "userid": userid,
        "begins": begins,
        "ends": ends,
        "mine": True,
        "board": None,
        "left": 0,
        "standin": False,
    }


def _told(work: UnitOfWork, player: int, told: Vacation) -> list[Letter]:
    """Tell the player, and whoever plays with him; why it was taken concerns nobody else."""
    others: Vacation = {**told, "mine": False, "board": None, "left": 0, "standin": False}
    return [
        VACATION.to(each, told if each == player else others)
        for each in _playing_with(work, player)
    ]


def _playing_with(work: UnitOfWork, player: int) -> list[int]:
    """The player and whoever plays with him; the clocks that wait for him are set."""
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
