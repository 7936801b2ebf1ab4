"""Count the moves of a player, and how many of them were late.

Boards that ended as declined do not count (`boards/seating.py`).  A seat counts the moves of its
present player.  Those of earlier players are in another table, `Sitting`.
"""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, Subquery, func, select, union_all

from pbmserv.boards.board import DECLINED
from pbmserv.database import models


def moves_made() -> Subquery:
    """A row for each player and seat: `player_id`, `moves`, and how many of them were `late`."""
    rows = (
        select(each.player_id, each.moves, each.late)
        .join(models.Board, models.Board.id == each.board_id)
        .where(each.moves > 0, models.Board.state != DECLINED)
        for each in (models.Seat, models.Sitting)
    )
    return union_all(*rows).subquery()


def of_players(connection: Connection, players: Collection[int]) -> dict[int, tuple[int, int]]:
    """The numbers of moves and late moves of these players; players without a move are left out."""
    made = moves_made().c
    query = select(made.player_id, func.sum(made.moves), func.sum(made.late))
    query = query.where(made.player_id.in_(players)).group_by(made.player_id)
    return {
        player: (int(moves), int(late))  # PostgreSQL returns sums as decimals
        for player, moves, late in connection.execute(query)
    }
