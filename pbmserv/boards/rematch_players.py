"""Who is invited to the rematch of a finished board: all but the players who left it early."""

from __future__ import annotations

from collections.abc import Sequence, Set

from sqlalchemy import Connection, and_, bindparam, func, or_, select

from pbmserv.boards.board import Board
from pbmserv.boards.record_compression import restored
from pbmserv.database import models
from pbmserv.games.perudo.event_notation import read_event
from pbmserv.games.perudo.final_places import left_early

_ROW = models.BoardEvent
_OF_BOARD = and_(_ROW.board_id == bindparam("board"), _ROW.number > 0)  # without the header
_LAST_DEAL = (
    select(func.max(_ROW.number))
    .where(_OF_BOARD, or_(_ROW.line.like("deal %"), _ROW.line.like("%\ndeal %")))
    .scalar_subquery()
)
_RESIGNATIONS = (
    select(_ROW.line, _ROW.digits)
    .where(_OF_BOARD, or_(_ROW.line.like("% resign%"), _ROW.number == _LAST_DEAL))
    .order_by(_ROW.number)
)


def early_seats(connection: Connection, number: int) -> Set[int]:
    """The seats of a board whose players left it while the others played on.

    Who left before the last deal did so.  Only the resignations and this deal are read.
    """
    rows = connection.execute(_RESIGNATIONS, {"board": number})
    lines = (line for row in rows for line in restored(row.line, row.digits).split("\n"))
    return left_early(map(read_event, lines))


def gone_before(connection: Connection, board: Board) -> list[str]:
    """Who has left the server before a rematch of a finished board; without them there is none."""
    left = {seat for seat, each in enumerate(board.seats) if each.left}
    if board.table.winner is None or not left:
        return []
    return [board.names[seat] for seat in sorted(left - early_seats(connection, board.id))]


def left_out(connection: Connection, number: int, names: Sequence[str]) -> list[str]:
    """The first players of a finished board who are not among these names of its rematch."""
    seat, who = models.Seat, models.Player
    query = select(who.userid).join(seat, seat.first_id == who.id).where(seat.board_id == number)
    players = connection.execute(query.order_by(seat.seat)).scalars()
    return [each for each in players if each not in names]
