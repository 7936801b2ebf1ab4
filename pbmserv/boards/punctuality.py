"""Count the moves of a player, and how many of them were late.

Boards that ended as declined do not count (`boards/seating.py`).  A seat counts the moves of its
present player; while the board runs, the board's row has these counts.  Those of earlier players
are in another table, `Sitting`.
"""

from __future__ import annotations

import json
from collections.abc import Collection

from sqlalchemy import Connection, func, select, union_all

from pbmserv.boards.board import DECLINED
from pbmserv.database import models


def of_players(
    connection: Connection, players: Collection[int] | None = None
) -> dict[int, tuple[int, int]]:
    """The numbers of moves and late moves of these players, or of all.

    Players without a move are left out.
    """
    made = _in_rows(connection, players)
    board, seat = models.Board, models.Seat
    query = (
        select(board.counts, seat.seat, seat.player_id)
        .join(board, board.id == seat.board_id)
        .where(board.counts != "")
    )
    if players is not None:
        query = query.where(seat.player_id.in_(players))
    for counts, place, player in connection.execute(query):
        moves, late = json.loads(counts)[place]
        before, late_before = made.get(player, (0, 0))
        made[player] = before + moves, late_before + late
    return {player: found for player, found in made.items() if found[0]}


def _in_rows(connection: Connection, players: Collection[int] | None) -> dict[int, tuple[int, int]]:
    """What the rows of seats and former players have, without the seats of running boards."""
    board, seat, former = models.Board, models.Seat, models.Sitting
    rows = union_all(
        select(seat.player_id, seat.moves, seat.late)
        .join(board, board.id == seat.board_id)
        .where(seat.moves > 0, board.state != DECLINED, board.counts == ""),
        select(former.player_id, former.moves, former.late)
        .join(board, board.id == former.board_id)
        .where(former.moves > 0, board.state != DECLINED),
    ).subquery()
    query = select(rows.c.player_id, func.sum(rows.c.moves), func.sum(rows.c.late))
    if players is not None:
        query = query.where(rows.c.player_id.in_(players))
    return {
        player: (int(moves), int(late))  # PostgreSQL returns sums as decimals
        for player, moves, late in connection.execute(query.group_by(rows.c.player_id))
    }
