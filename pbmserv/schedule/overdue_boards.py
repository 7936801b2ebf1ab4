"""Handle what falls due on boards with time, each item once, also after a crash.

These are reminders, forfeits, stand-ins, boards whose time is over, and moves that need no person.
`boards/deadlines.py` computes when something falls due.  `schedule/tick.py` calls `attend` with a
unit of work, in one transaction for each board.  Moments are seconds since 1970.
"""

from __future__ import annotations

from sqlalchemy import Connection, bindparam, select, update

from pbmserv.boards import (
    challenge_answers,
    daily_digest,
    notices,
    play,
    reminders,
    seating,
    substitutions,
    vacations,
)
from pbmserv.boards.board import PLAYING, Board, load_board
from pbmserv.boards.deadlines import due_at, forfeit_at, moments, reached
from pbmserv.boards.notices import reason
from pbmserv.boards.record import Played, change_board, keep_counts
from pbmserv.context import UnitOfWork
from pbmserv.database import models
from pbmserv.fast_dataclasses import replace
from pbmserv.games.perudo.table import Resign
from pbmserv.letters.payloads.letter import Letter
from pbmserv.lobby import bots
from pbmserv.monitoring import operator_alerts
from pbmserv.timeunits import HOUR

PUT_OFF = HOUR  # until a board that failed because of a bug is tried again
MOST_AT_ONCE = 200  # boards of one tick; the next tick takes the others
DUE_BOARDS = (
    select(models.Board.id)
    .where(models.Board.state == PLAYING, models.Board.due_at <= bindparam("now"))
    .where(models.Board.void_at.is_(None))
    .order_by(models.Board.due_at, models.Board.id)
    .limit(MOST_AT_ONCE)
)


def due(connection: Connection, now: int) -> list[int]:
    """The boards on which something has fallen due, the longest overdue first."""
    return list(connection.execute(DUE_BOARDS, {"now": now}).scalars())


def attend(work: UnitOfWork, number: int) -> list[Letter]:
    """Do what has fallen due on a board; returns the letters about it."""
    board = load_board(work.connection, number)
    if board.table.winner is not None or board.table.pending:  # since `due` found it
        change_board(work, board, due_at=None)  # the deadlines stand still
        return []
    played = play.by_itself(work, Played(board, ()))
    if played.events:
        return notices.of_move(work, played, None)
    clock, away = board.clock, board.on_turn.away
    if clock.closes and clock.closes <= work.now:
        return notices.of_move(work, play.stop_board(work, board), None, reason("closed"))
    if until := next((ends for begins, ends in away if begins <= work.now < ends), 0):
        # During a vacation only the end of the board's total time can fall due.
        change_board(work, board, due_at=min(until, clock.closes or until))
        return []
    times = moments(clock.terms)
    passed = sum(reached(clock.since, each, away) <= work.now for each in times)
    if passed == len(times):
        return _forfeited(work, board)
    letters = []
    forfeit = forfeit_at(clock, away)
    # Without the seat taken, there is one reminder at first and one before the end.
    is_due = board.on_turn.taken or passed in {1, len(times) - 1}
    if (
        passed > clock.reminded
        and is_due
        and not daily_digest.comes_before(work, board.on_turn.player, forfeit)
    ):
        letters = reminders.of_turn(work, board)
    clock = replace(clock, reminded=max(passed, clock.reminded))
    change_board(work, board, reminded=clock.reminded, due_at=due_at(clock, away))
    return letters


def put_off(connection: Connection, number: int, why: str, now: int) -> None:
    """Postpone a board that failed because of a bug for `PUT_OFF`, and alert the operator."""
    row = models.Board
    waiting = row.id == number, row.due_at <= now
    connection.execute(update(row).where(*waiting).values(due_at=now + PUT_OFF))
    operator_alerts.note(connection, "broken", f"the clock of board {number}", why, now)


def _unconcerned(board: Board, absent: int) -> set[int]:
    """The players who need not be told that a player declined by silence: others who are silent.

    They are told of the board when it is their turn, or when it is over.
    """
    if board.table.winner is not None:
        return set()
    silent = {each.player for each in board.seats if not each.taken}
    return silent - {absent, board.on_turn.player}


def _forfeited(work: UnitOfWork, board: Board) -> list[Letter]:
    """The time of the player on turn is over: act, and return the letters about it.

    A vacation comes first if the player has `autovacation=on`.  Until all players have taken their
    seats, the seat has declined.  Then a bot goes on if the board has stand-ins; else the seat is
    resigned.
    """
    seat, absent = board.table.turn, board.on_turn
    if absent.taken and (letters := vacations.taken_for(work, board)):
        return letters
    if seating.waiting(board):  # there is no penalty before all players have taken their seats
        played = challenge_answers.leave(work, board, seat)
        seating.note_forfeited(work, board, seat)
        letters = notices.of_move(work, played, None, reason("unanswered", absent.userid))
        quiet = _unconcerned(played.board, absent.player)
        return [each for each in letters if each.to not in quiet]
    counted = seating.with_seat(board, seat, moves=absent.moves + 1, late=absent.late + 1)
    keep_counts(work, counted)
    if board.clock.terms.standin:
        standin = bots.standin_for(work.connection, board, work.now)
        substitutions.stand_in(work, board, seat, standin.id)
        played = play.by_itself(work, Played(load_board(work.connection, board.id), ()))
        return notices.of_move(work, played, None, reason("standin", absent.userid, standin.userid))
    played = play.move(work, load_board(work.connection, board.id), seat, Resign())
    seating.note_forfeited(work, board, seat)
    return notices.of_move(work, played, None, reason("forfeit", absent.userid))
