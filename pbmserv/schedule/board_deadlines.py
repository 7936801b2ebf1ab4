"""The clock: what falls due with time on boards, and is done once, whatever happened meanwhile.

Reminders, forfeits, stand-ins, boards whose time is over, and what a board still has to do by
itself.  When something falls due is worked out in `boards/deadlines.py`; the post office calls here
with a desk, a transaction for each board.  Moments are seconds since 1970.
"""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import Connection, bindparam, func, insert, select, update

from pbmserv.boards import (
    declining,
    digest,
    notices,
    play,
    reminders,
    seating,
    substitutions,
    vacations,
)
from pbmserv.boards.board import PLAYING, Board, load_board
from pbmserv.boards.deadlines import due_at, forfeit_at, moments, reached
from pbmserv.boards.notices import Note
from pbmserv.boards.record import Played, change_board, change_seat
from pbmserv.context import UnitOfWork
from pbmserv.database import models
from pbmserv.games.perudo.table import Resign
from pbmserv.letters.payloads.letter import Letter
from pbmserv.lobby import bots
from pbmserv.monitoring import operator_alerts
from pbmserv.timeunits import HOUR

PUT_OFF = HOUR  # until a board on which a bug of ours has stopped the clock is tried again
LEASE = 120  # seconds that one process has the clock to itself
MOST_AT_ONCE = 200  # boards of one look at the clock; the others come with the next one
# Made once: each look at the clock asks them.
_LEASE = select(models.Tick)
_TAKEN = update(models.Tick).values(holder=bindparam("by"), held_until=bindparam("until"))
_DUE = (
    select(models.Board.id)
    .where(models.Board.state == PLAYING, models.Board.due_at <= bindparam("now"))
    .where(models.Board.void_at.is_(None))
    .order_by(models.Board.due_at, models.Board.id)
    .limit(MOST_AT_ONCE)
)


def taken(connection: Connection, holder: str, now: int) -> bool:
    """Whether this process may look at the clock: only one does, however many run."""
    row = connection.execute(_LEASE).first()
    if row is None:
        # Boards of before the first look count as played until their latest move.
        latest = connection.execute(select(func.max(models.Board.moved_at))).scalar() or now
        values = {"id": 1, "ticked_at": latest, "holder": holder, "held_until": now + LEASE}
        connection.execute(insert(models.Tick).values(values))
        return True
    # A lease that reaches further than any lease can is one of before the clock was put back.
    if row.holder != holder and now < row.held_until <= now + LEASE:
        return False
    connection.execute(_TAKEN, {"by": holder, "until": now + LEASE})
    return True


def due(connection: Connection, now: int) -> list[int]:
    """The boards on which something has fallen due, the longest overdue first."""
    return list(connection.execute(_DUE, {"now": now}).scalars())


def attend(work: UnitOfWork, number: int) -> list[Letter]:
    """Do what has fallen due on a board; whom it concerns hears of it."""
    board = load_board(work.connection, number)
    if board.table.winner is not None:  # it has ended since it was found due
        return []
    played = play.by_itself(work, Played(board, ()))
    if played.events:
        return notices.of_move(work, played, None)
    clock, away = board.clock, board.on_turn.away
    if clock.closes and clock.closes <= work.now:
        return notices.of_move(work, play.stopped(work, board), None, Note("closed"))
    if until := next((ends for begins, ends in away if begins <= work.now < ends), 0):
        # Nothing falls due for somebody who is away, but the end of the board's own time.
        change_board(work, board, due_at=min(until, clock.closes or until))
        return []
    times = moments(clock.terms)
    passed = sum(reached(clock.since, each, away) <= work.now for each in times)
    if passed == len(times):
        return _forfeited(work, board)
    letters = []
    forfeit = forfeit_at(clock, away)
    # Who has not taken the seat is reminded once, and once more before the end.
    is_due = board.on_turn.taken or passed in {1, len(times) - 1}
    if (
        passed > clock.reminded
        and is_due
        and not digest.comes_before(work, board.on_turn.player, forfeit)
    ):
        letters = reminders.of_turn(work, board)
    clock = replace(clock, reminded=max(passed, clock.reminded))
    change_board(work, board, reminded=clock.reminded, due_at=due_at(clock, away))
    return letters


def put_off(connection: Connection, number: int, why: str, now: int) -> None:
    """Leave a board alone for a while that could not be attended to; the operator is told."""
    row = models.Board
    waiting = row.id == number, row.due_at <= now
    connection.execute(update(row).where(*waiting).values(due_at=now + PUT_OFF))
    operator_alerts.note(connection, "broken", f"the clock of board {number}", why, now)


def _unconcerned(board: Board, absent: int) -> set[int]:
    """Who need not hear that somebody declined by silence: others who have said nothing yet.

    They hear of the board when it is their turn, or it is over.
    """
    if board.table.winner is not None:
        return set()
    silent = {each.player for each in board.seats if not each.taken}
    return silent - {absent, board.on_turn.player}


def _forfeited(work: UnitOfWork, board: Board) -> list[Letter]:
    """The player on turn has let all the time pass.

    A vacation that the player lets the server take comes first.  Until everybody has taken their
    seat it is the same as declining.  Then a house player goes on if the board has stand-ins, and
    else the seat is resigned.
    """
    seat, absent = board.table.turn, board.on_turn
    if absent.taken and (letters := vacations.taken_for(work, board)):
        return letters
    if seating.waiting(board):  # what nobody has agreed to yet leaves no mark
        played = declining.left(work, board, seat)
        letters = notices.of_move(work, played, None, Note("unanswered", absent.userid))
        quiet = _unconcerned(played.board, absent.player)
        return [each for each in letters if each.to not in quiet]
    change_seat(work, board, seat, moves=absent.moves + 1, late=absent.late + 1)
    if board.clock.terms.standin:
        standin = bots.standin_for(work.connection, board, work.now)
        substitutions.stood_in(work, board, seat, standin.id)
        played = play.by_itself(work, Played(load_board(work.connection, board.id), ()))
        return notices.of_move(work, played, None, Note("standin", absent.userid, standin.userid))
    played = play.move(work, load_board(work.connection, board.id), seat, Resign())
    return notices.of_move(work, played, None, Note("forfeit", absent.userid))
