"""Whether a letter about a board may be the newest one that its player has.

A letter's token names the move that was next when the letter was written.  Not every move brings
every player a letter (`notices.of_move`).  So a reply may answer a letter that is some moves old.
Each player gets one with each deal and on each own turn.
"""

from __future__ import annotations

from sqlalchemy import Connection, bindparam, func, or_, select

from pbmserv.boards.board import Board, load_board
from pbmserv.database import models
from pbmserv.errors import Refused
from pbmserv.games.perudo.notation import write_event
from pbmserv.games.perudo.table import Eliminated
from pbmserv.security.credentials import Identity

_row = models.BoardEvent
_OUT = (
    select(_row.number)
    .where(_row.board_id == bindparam("board"))
    # Older versions wrote a row for each line.
    .where(or_(_row.line == bindparam("line"), _row.line.contains(bindparam("below"))))
    .scalar_subquery()
)
_MOVES_UNTIL_OUT = (
    select(func.count())
    .select_from(_row)
    .where(_row.board_id == bindparam("board"))
    .where(_row.line.like("_ %"))  # only moves begin with a seat number
    .where(_row.number <= _OUT)
)


def may_be_newest(connection: Connection, board: Board, seat: int, move: int) -> bool:
    """Whether the player at a seat may have no newer letter than one of before this `move`.

    Moves count from 1.  Letters of a finished game are not looked at: they count for a time
    (`authorship.LAST_WORDS`).
    """
    table = board.table
    if table.winner is not None:
        return False
    if table.pending:  # all have a letter about the call
        return move >= table.move - 1
    if move >= table.move or table.turn == seat:
        return move == table.move
    if not table.cups[seat]:
        return move > _last_move(connection, board, seat)
    return move >= max(_own_bids(board, seat), default=table.move - len(table.bids))


def has_bid_since(board: Board, seat: int, move: int) -> bool:
    """Whether the player at a seat has bid in the running round, as this `move` or a later one."""
    return max(_own_bids(board, seat), default=0) >= move


def _own_bids(board: Board, seat: int) -> list[int]:
    """The numbers of the moves by which the player at a seat has bid in the running round."""
    if board.seats[seat].standin:  # a bot's turn brings no letter
        return []
    bids = board.table.bids
    first = board.table.move - len(bids)
    return [number for number, bid in enumerate(bids, first) if bid[0] == seat]


def is_newest(connection: Connection, shown: Identity) -> bool:
    """Whether the letter of a token may be the newest one of its board that its player has."""
    assert shown.board is not None
    assert shown.move is not None
    try:
        board = load_board(connection, shown.board)
        seat = board.seat_of(shown.player)
    except Refused:  # it has not begun, or somebody else has the seat now
        return False
    return may_be_newest(connection, board, seat, shown.move)


def is_last_of_leaver(connection: Connection, shown: Identity, since: int) -> bool:
    """Whether a token is of the last letter to a player who resigned at a board.

    The game has ended after `since` (seconds since 1970).  Who resigned gets no letter of its end.
    """
    assert shown.board is not None
    assert shown.move is not None
    try:
        board = load_board(connection, shown.board)
        seat = board.seat_of(shown.player)
    except Refused:
        return False
    is_over = board.table.winner is not None and board.moved_at > since
    if not (is_over and board.seats[seat].leaving and not board.table.cups[seat]):
        return False
    return shown.move > _last_move(connection, board, seat)


def _last_move(connection: Connection, board: Board, seat: int) -> int:
    """The number of the move that put a seat out of the game."""
    line = write_event(Eliminated(seat))
    out = {"board": board.id, "line": line, "below": f"\n{line}"}
    return int(connection.execute(_MOVES_UNTIL_OUT, out).scalar_one())
