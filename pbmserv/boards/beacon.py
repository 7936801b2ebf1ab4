"""Boards whose cups wait for the beacon, and how they are opened.

With the setting `beacon`, everybody is told of a call or a resignation at once.  It names a later
round of the beacon (`games/perudo/beacon.py`).  The cups stay closed until the value of that round
is there.  Until then no move counts, and no deadline passes.  `schedule/beacon_values.py` gets
values.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, bindparam, select

from pbmserv.boards import notices, play
from pbmserv.boards.board import PLAYING, load_board
from pbmserv.context import UnitOfWork
from pbmserv.database import models
from pbmserv.games.perudo.beacon import round_at
from pbmserv.letters.payloads.letter import Letter
from pbmserv.settings import Settings

MOST_AT_ONCE = 200  # boards of one tick; the next tick takes the others
NEVER = 2**62  # seconds since 1970: later than every round
# Built once, because each tick runs it.
DUE_BOARDS = (
    select(models.Board.id, models.Board.opens_at)
    .where(models.Board.state == PLAYING, models.Board.opens_at <= bindparam("opened"))
    .where(models.Board.void_at.is_(None))
    .order_by(models.Board.opens_at, models.Board.id)
    .limit(MOST_AT_ONCE)
)


def opened_by(settings: Settings, now: int) -> int:
    """Until when cups that wait are opened now: without the beacon they need not wait at all."""
    return now if settings.beacon else NEVER


def due(connection: Connection, opened: int) -> dict[int, int]:
    """The boards whose round of the beacon is emitted by then, each with it, the oldest first."""
    rows = connection.execute(DUE_BOARDS, {"opened": opened})
    return {row.id: round_at(row.opens_at) for row in rows if row.opens_at is not None}


def open_cups(values: Mapping[int, str | None], work: UnitOfWork, number: int) -> list[Letter]:
    """Open the cups of a board with the value of its round; returns the letters about it.

    The value None opens them without one, because the server does not use the beacon any more.
    """
    board = load_board(work.connection, number)
    pending = board.table.pending
    if pending is None or pending.beacon is None or pending.beacon not in values or board.void:
        return []  # since `due` found it
    return notices.of_move(work, play.open_cups_at_last(work, board, values[pending.beacon]), None)
