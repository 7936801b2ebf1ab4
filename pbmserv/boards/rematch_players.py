"""Who is invited to the rematch of a finished board: all but the players who left it early."""

from __future__ import annotations

from collections.abc import Sequence, Set

from sqlalchemy import Connection, select

from pbmserv.boards.board import Board
from pbmserv.boards.record import record_text
from pbmserv.database import models
from pbmserv.games.perudo.final_places import left_early
from pbmserv.games.perudo.record import read_record


def early_seats(connection: Connection, number: int) -> Set[int]:
    """The seats of a board whose players left it while the others played on."""
    return left_early(read_record(record_text(connection, number)).events)


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
