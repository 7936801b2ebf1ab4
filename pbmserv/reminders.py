"""Reminders: whom the boards wait for, and the letters that say so.

When a reminder falls due is worked out in `deadlines.py`; the clock calls here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import Connection, select

from pbmserv import boards, models, telling
from pbmserv.boards import PLAYING, Board
from pbmserv.deadlines import due_at, moments, nag_at, reached
from pbmserv.desk import Desk, Letter
from pbmserv.facts.perudo import BOARDS, NAG, Boards, Reminder
from pbmserv.recording import change_board
from pbmserv.terms import DAY

_TOGETHER = DAY // 2  # what would fall due so soon after a reminder is told with it


def waiting_for(connection: Connection, player: int) -> list[int]:
    """The running boards on which it is this player's turn, the longest waiting first."""
    query = (
        select(models.Board.id)
        .join(models.Seat, models.Seat.board_id == models.Board.id)
        .where(models.Board.state == PLAYING, models.Board.turn == models.Seat.seat)
        .where(models.Seat.player_id == player)
        .order_by(models.Board.clock_at, models.Board.id)  # databases break ties differently
    )
    return list(connection.execute(query).scalars())


def of_turn(desk: Desk, board: Board) -> list[Letter]:
    """A reminder to the player on turn, of this board and of all others that wait.

    COMMANDS: "all told in one letter if several boards wait".  Boards whose own reminder would
    come within half a day are reminded of now, and not again then.
    """
    player = board.on_turn.player
    found = [telling.reminding(desk, board)]
    for number in waiting_for(desk.connection, player):
        if number == board.id:
            continue
        other = boards.load(desk.connection, number)
        if nag_at(other.clock, other.on_turn.away) <= desk.now + _TOGETHER:
            _count_reminder(desk, other)
            found.append(telling.reminding(desk, other, _TOGETHER))
    if len(found) == 1:
        return [NAG.to(player, found[0], board.id, board.table.move)]
    return [BOARDS.to(player, _many(board.on_turn.userid, found))]


def _many(userid: str, sections: Sequence[Reminder]) -> Boards:
    return {"userid": userid, "boards": sections, "news": [], "digest": False, "awake": ""}


def _count_reminder(desk: Desk, board: Board) -> None:
    clock, away = board.clock, board.on_turn.away
    # The forfeit is none of them: nothing but its own moment may bring it.
    times = moments(clock.terms)[:-1]
    passed = sum(reached(clock.since, each, away) <= desk.now + _TOGETHER for each in times)
    clock = replace(clock, reminded=max(passed, clock.reminded))
    change_board(desk, board, reminded=clock.reminded, due_at=due_at(clock, away))
