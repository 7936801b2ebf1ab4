"""What the operator does to a board, and which players are told.

The cups of a stopped board are open.  An annulled board can be made to count again.
"""

from __future__ import annotations

from sqlalchemy import Connection, select, update

from pbmserv.boards import notices, play
from pbmserv.boards.board import Board, load_board
from pbmserv.context import UnitOfWork
from pbmserv.database import models
from pbmserv.errors import Refused
from pbmserv.letters.payloads.boards import ANNULLED, Annulled
from pbmserv.letters.payloads.letter import Letter
from pbmserv.monitoring import action_log


def stopped(work: UnitOfWork, number: int, why: str) -> list[Letter]:
    """End a running board without a winner, unrated, and tell its players the reason `why`.

    Raises Refused `no_such_board`, `not_begun` or `game_over`.
    """
    board = load_board(work.connection, number)
    if board.table.winner is not None:
        winner = board.names[board.table.winner] if board.table.winner >= 0 else None
        raise Refused("game_over", winner=winner, board=number)
    action_log.note(work.connection, action_log.STOP, work.now, board=number, why=why)
    return notices.of_move(
        work, play.stop_board(work, board), None, notices.reason("stopped", other=why)
    )


def annulled(work: UnitOfWork, number: int, why: str) -> list[Letter]:
    """Remove a board from the ratings, and tell its players the reason `why`.

    `ratings.recount` then corrects the ratings that already include it.  Raises Refused
    `no_such_board`, `not_begun` or `not_rated`.
    """
    board = checked(work.connection, number, counts=False)
    return _counting(work, board, action_log.ANNUL, why)


def reinstated(work: UnitOfWork, number: int, why: str) -> list[Letter]:
    """Let an annulled board count again, and tell its players the reason `why`.

    Raises Refused `no_such_board`, `not_begun` or `not_annulled`.
    """
    board = checked(work.connection, number, counts=True)
    return _counting(work, board, action_log.ANNUL_UNDONE, why)


def checked(connection: Connection, number: int, *, counts: bool) -> Board:
    """Load a board to annul or, with `counts`, to reinstate; raises Refused as these two do."""
    board = load_board(connection, number)
    if not counts and not board.clock.terms.rated:
        raise Refused("not_rated", board=number)
    if counts:
        last = action_log.latest(
            connection, action_log.ANNUL, action_log.ANNUL_UNDONE, board=number
        )
        if last is None or last["what"] != action_log.ANNUL:
            raise Refused("not_annulled", board=number)
    return board


def _counting(work: UnitOfWork, board: Board, what: str, why: str) -> list[Letter]:
    counts = what == action_log.ANNUL_UNDONE
    row = models.Board
    work.connection.execute(update(row).where(row.id == board.id).values(rated=counts))
    action_log.note(work.connection, what, work.now, board=board.id, why=why)
    told: Annulled = {"board": board.id, "why": why, "counts": counts}
    seat, player = models.Seat, models.Player
    people = (
        select(player.id)
        .join(seat, seat.first_id == player.id)
        .where(seat.board_id == board.id, player.level == "", player.left_at.is_(None))
        .order_by(seat.seat)
    )
    return [ANNULLED.to(each, told, board.id) for each in work.connection.execute(people).scalars()]
