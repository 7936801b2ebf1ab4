"""Reminders: the letters that remind players of the boards that wait for them.

`boards/deadlines.py` computes when a reminder is due.  The tick calls this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pbmserv.boards import notices
from pbmserv.boards.board import Board, load_board
from pbmserv.boards.deadlines import due_at, moments, nag_at, reached
from pbmserv.boards.listing import waiting_for
from pbmserv.boards.record import change_board
from pbmserv.context import UnitOfWork
from pbmserv.fast_dataclasses import replace
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.perudo import BOARDS, NAG, Boards, Reminder
from pbmserv.timeunits import DAY

_TOGETHER = DAY // 2  # reminders due within this time of another one are sent together with it


def of_turn(work: UnitOfWork, board: Board) -> list[Letter]:
    """A reminder to the player on turn, of this board and of all others that wait.

    If several boards wait, all are told in one letter.  Other boards whose reminder is due within
    half a day are included, and are not reminded of again then.
    """
    player = board.on_turn.player
    found = [notices.reminding(work, board)]
    for number in waiting_for(work.connection, player):
        if number == board.id:
            continue
        other = load_board(work.connection, number)
        if nag_at(other.clock, other.on_turn.away) <= work.now + _TOGETHER:
            _count_reminder(work, other)
            found.append(notices.reminding(work, other, _TOGETHER))
    if len(found) == 1:
        return [NAG.to(player, found[0], board.id, board.table.move)]
    return [BOARDS.to(player, _many(board.on_turn.userid, most_urgent_first(found)))]


def most_urgent_first(waiting: Iterable[Reminder]) -> list[Reminder]:
    """The boards of a letter, sorted by the end of their time: the first ones have buttons."""

    def end(board: Reminder) -> int:
        times = board["times"]
        return min(times["forfeit"], times["closes"] or times["forfeit"]) if times else 0

    return sorted(waiting, key=end)


def _many(userid: str, sections: Sequence[Reminder]) -> Boards:
    return {"userid": userid, "boards": sections, "news": [], "digest": False, "awake": ""}


def _count_reminder(work: UnitOfWork, board: Board) -> None:
    clock, away = board.clock, board.on_turn.away
    # The forfeit is excluded: it is only ever due at its own time.
    times = moments(clock.terms)[:-1]
    passed = sum(reached(clock.since, each, away) <= work.now + _TOGETHER for each in times)
    clock = replace(clock, reminded=max(passed, clock.reminded))
    change_board(work, board, reminded=clock.reminded, due_at=due_at(clock, away))
