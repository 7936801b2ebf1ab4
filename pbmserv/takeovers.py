"""Takeovers: a seat that a house player keeps for an absent player gets a person again."""

from __future__ import annotations

from sqlalchemy import select

from pbmserv import boards, models, telling
from pbmserv.desk import Desk, Letter
from pbmserv.errors import Refused
from pbmserv.recording import Played, change_seat
from pbmserv.telling import Note


def taken(desk: Desk, number: str, player: int) -> list[Letter]:
    """Seat a player in the first place that is kept; whoever sat there comes back to his own.

    Raises Refused `no_standin`, `on_board_already`, `game_over`, or as `boards.load`.
    """
    board = boards.load(desk.connection, boards.numbered(number))
    kept = [seat for seat, each in enumerate(board.seats) if each.standin]
    if board.table.winner is not None:
        raise Refused("board_over", board=board.id)
    own = [seat for seat, each in enumerate(board.seats) if each.player == player]
    if own and own[0] not in kept:
        raise Refused("on_board_already", board=board.id)
    free = [seat for seat in own or kept if board.table.cups[seat]]
    if not free:
        raise Refused("no_standin", board=board.id)
    seat = free[0]
    change_seat(desk, board, seat, player_id=player, standin_id=None, queued="", agrees=False)
    before = board.names[seat]
    now = boards.load(desk.connection, board.id)
    name = desk.connection.execute(
        select(models.Player.userid).where(models.Player.id == player)
    ).scalar_one()
    return telling.of_move(desk, Played(now, ()), None, Note("takeover", name, before))
