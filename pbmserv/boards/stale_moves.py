"""A move that came too late, and what its writer is told.

Emails cross.  The first one received counts, and the writer of the second is told who was first and
with which move.
"""

from __future__ import annotations

from sqlalchemy import Connection, bindparam, select

from pbmserv.boards.board import Board, require_open
from pbmserv.boards.record_compression import restored
from pbmserv.database import models
from pbmserv.errors import Fact, Refused
from pbmserv.games.perudo.notation import read_action, read_event, unsalted, write_event
from pbmserv.games.perudo.table import NOBODY, Action, Bade, Call, Called, Resign, Resigned, Table

_MADE = (
    select(models.BoardEvent.line, models.BoardEvent.digits)
    .where(models.BoardEvent.board_id == bindparam("board"))
    .where(models.BoardEvent.line.like("_ %"))  # only moves begin with a seat number
    .order_by(models.BoardEvent.number)
    .offset(bindparam("before"))
    .limit(1)
)
_LEFT = select(models.Seat.taken_at, models.Seat.resigned_at, models.Seat.forfeited_at).where(
    models.Seat.board_id == bindparam("board"), models.Seat.seat == bindparam("place")
)


def is_calza(text: str) -> bool:
    """Whether the text is a calza, the call that may be made out of turn."""
    action = _action(text)
    return isinstance(action, Call) and action.word == "calza"


def is_resignation(text: str) -> bool:
    """Whether the text is a resignation, which waits for the player's turn."""
    return isinstance(_action(text), Resign)


def _action(text: str) -> Action | None:
    try:
        return read_action(text)
    except Refused:
        return None


def overtaken(
    connection: Connection,
    board: Board,
    seat: int,
    move: int,
    *,
    calza: bool = False,
    ends: bool = False,
) -> Refused:
    """The refusal of a move that was meant as number `move`, which is already made.

    Moves count from 1; 0 stands for the answer to an invitation whose board has begun.  The code is
    `calza_late` for a `calza` that others may overtake, else `already_played`.  It is `move_ahead`
    for a move still to come: its letter was sent after the backup that was restored.  `ends`: it
    was meant to leave the game, or to offer a draw.  Raises Refused `beacon_awaited` while a call
    waits for the beacon.
    """
    if move:
        require_open(board)
    if move > board.table.move:
        return Refused("move_ahead", board=board.id, given=move, move=board.table.move)
    made = _made(connection, board, move, seat) if move else None
    late = calza and made is not None and made["seat"] != seat and _anyone_may_call(board.table)
    table = board.table
    return Refused(
        "calza_late" if late else "already_played",
        board=board.id,
        move=table.move,
        turn=None if table.winner is not None else board.on_turn.userid,
        yours=table.turn == seat,
        bid=str(table.bids[-1][1]) if table.bids else None,
        made=made and {**made, "number": move},
        ends=ends and table.winner is None,
    )


def chat_late(board: Board, seat: int, *, reply: bool) -> Refused:
    """The refusal of words that came with the token of a letter from before the last move.

    `reply`: the answer goes to an address of the player's, so it may carry a valid token.
    """
    userid, player = board.seats[seat].userid, board.seats[seat].player
    running = board.table.winner is None
    facts: dict[str, Fact] = {"move": board.table.move, "player": player}
    return Refused("chat_late", board=board.id, userid=userid, reply=reply and running, **facts)


def _made(connection: Connection, board: Board, move: int, reader: int) -> dict[str, Fact]:
    """The seat, the player and the text of that move, and whether it was the reader's."""
    row = connection.execute(_MADE, {"board": board.id, "before": move - 1}).one()
    event = read_event(restored(row.line, row.digits).partition("\n")[0])
    # Only the lines of these events begin with a seat number.
    assert isinstance(event, Bade | Called | Resigned)
    what = write_event(unsalted(event)).partition(" ")[2]
    mine = event.seat == reader
    made: dict[str, Fact] = {"seat": event.seat, "by": board.names[event.seat], "what": what}
    left = _left(connection, board, reader) if mine and isinstance(event, Resigned) else {}
    return {**made, "mine": mine, **left}


def _left(connection: Connection, board: Board, seat: int) -> dict[str, Fact]:
    """Why and when the player left the seat; empty if the row is too old to say so."""
    row = connection.execute(_LEFT, {"board": board.id, "place": seat}).one()
    if row.forfeited_at is not None:
        return {"left": "time", "at": row.forfeited_at}
    if row.resigned_at is None:
        return {}
    return {"left": "declined" if row.taken_at is None else "resigned", "at": row.resigned_at}


def lost_race(connection: Connection, board: Board, seat: int, refusal: Refused) -> Refused:
    """The refusal of a calza; if the last move ended its round, the refusal says so."""
    table = board.table
    ended = refusal.code == "game_over" and table.winner != NOBODY
    begun = refusal.code == "no_bid_yet" and table.move > 1
    if not (ended or begun) or not _anyone_may_call(table):
        return refusal
    return overtaken(connection, board, seat, table.move - 1, calza=True)


def _anyone_may_call(table: Table) -> bool:
    return table.rules.calza and table.rules.calza_by_anyone
