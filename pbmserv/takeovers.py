"""Takeovers: a seat that a house player keeps for an absent player gets a person again."""

from __future__ import annotations

from sqlalchemy import select

from pbmserv import boards, models, telling
from pbmserv.boards import Board
from pbmserv.desk import Desk, Letter
from pbmserv.errors import Refused
from pbmserv.recording import Played, change_seat
from pbmserv.telling import Note


def taken(desk: Desk, number: str, player: int) -> list[Letter]:
    """Seat a player in the first place that is kept; whoever sat there comes back to his own.

    Who has sat in another seat of the board may have seen its dice, and gets no second cup.
    Raises Refused `board_over`, `on_board_already`, `saw_dice`, `no_standin`, or as `boards.load`.
    """
    board = boards.load(desk.connection, boards.numbered(number))
    if board.table.winner is not None:
        raise Refused("board_over", board=board.id)
    kept = [seat for seat, each in enumerate(board.seats) if each.standin]
    known = _known_seats(desk, board.id, player)
    if any(board.seats[seat].player == player for seat in known - set(kept)):
        raise Refused("on_board_already", board=board.id)
    if known - set(kept):
        raise Refused("saw_dice", board=board.id)
    free = [seat for seat in (known or kept) if board.table.cups[seat]]
    if not free:
        raise Refused("no_standin", board=board.id)
    before = _change_sitter(desk, board, free[0], player)
    now = boards.load(desk.connection, board.id)
    name = now.names[free[0]]
    return telling.of_move(desk, Played(now, ()), None, Note("takeover", name, before))


def _known_seats(desk: Desk, board: int, player: int) -> set[int]:
    """The seats in which a player sits or has sat."""
    row = models.Seat
    query = select(row.seat, row.player_id, row.former).where(row.board_id == board)
    return {
        seat
        for seat, sitter, former in desk.connection.execute(query)
        if player == sitter or str(player) in former.split()
    }


def _change_sitter(desk: Desk, board: Board, seat: int, player: int) -> str:
    """Seat a player, and remember who sat there; returns that one's name."""
    row = models.Seat
    place = (row.board_id == board.id, row.seat == seat)
    former = desk.connection.execute(select(row.former).where(*place)).scalar_one()
    before = board.seats[seat].player
    if before != player:
        former = f"{former} {before}".strip()
    change_seat(
        desk,
        board,
        seat,
        player_id=player,
        former=former,
        standin_id=None,
        queued="",
        agrees=False,
        leaving=False,
    )
    return board.names[seat]
