"""Takeovers: a seat that a house player keeps for an absent player gets a person again."""

from __future__ import annotations

from sqlalchemy import and_, delete, insert, select, union_all

from pbmserv.boards import notices
from pbmserv.boards.board import Board, Seated, board_number, load_board
from pbmserv.boards.notices import Note
from pbmserv.boards.record import Played, change_seat
from pbmserv.context import Context
from pbmserv.database import models
from pbmserv.errors import Fact, Refused
from pbmserv.letters.payloads.letter import Letter
from pbmserv.players import blocks


def taken(context: Context, number: str, player: int) -> list[Letter]:
    """Seat a player in the first place that is kept; whoever sat there comes back to his own.

    Who has sat in another seat of the board may have seen its dice, and gets no second cup.
    Raises Refused `board_over`, `on_board_already`, `saw_dice`, `seat_taken`,
    `no_standin`, `blocked_by`, or as `boards.load`.
    """
    board = load_board(context.connection, board_number(number))
    if board.table.winner is not None:
        raise Refused("board_over", board=board.id)
    kept = {seat for seat, each in enumerate(board.seats) if each.standin}
    known = _known_seats(context, board.id, player)
    if any(board.seats[seat].player == player for seat in known - kept):
        raise Refused("on_board_already", board=board.id)
    if taken_from := known - kept:
        if kept:
            raise Refused("saw_dice", board=board.id)
        raise Refused("seat_taken", board=board.id, by=board.names[min(taken_from)])
    free = [seat for seat in sorted(known or kept) if board.table.cups[seat]]
    if not free:
        raise Refused("no_standin", board=board.id)
    there = {each.player for each, cup in zip(board.seats, board.table.cups, strict=True) if cup}
    if not known and (blocking := blocks.blockers(context.connection, player) & there):
        names: list[Fact] = [each.userid for each in board.seats if each.player in blocking]
        raise Refused("blocked_by", names=names)
    before = _change_sitter(context, board, free[0], player)
    now = load_board(context.connection, board.id)
    name = now.names[free[0]]
    return notices.of_move(context, Played(now, ()), None, Note("takeover", name, before))


def stood_in(context: Context, board: Board, seat: int, standin: int) -> None:
    """Have a house player go on in the place of an absent player.

    What is played there from now on is not that player's.
    """
    change_seat(context, board, seat, standin_id=standin)
    if board.seats[seat].began:
        # The header of the record is its first line, and no event.
        change_seat(context, board, seat, handed_over=board.lines - 1)


def _known_seats(context: Context, board: int, player: int) -> set[int]:
    """The seats in which a player sits or has sat."""
    rows = (
        select(each.seat).where(each.board_id == board, each.player_id == player)
        for each in (models.Seat, models.Sitting)
    )
    return set(context.connection.execute(union_all(*rows)).scalars())


def _change_sitter(context: Context, board: Board, seat: int, player: int) -> str:
    """Seat a player, and keep what who sat there has done; returns that one's name."""
    before = board.seats[seat]
    if before.player != player:
        _change_counts(context, board, seat, before, player)
    first = select(models.Seat.first_id).where(
        models.Seat.board_id == board.id, models.Seat.seat == seat
    )
    if context.connection.execute(first).scalar_one() == player:
        change_seat(context, board, seat, handed_over=None)
    change_seat(
        context,
        board,
        seat,
        player_id=player,
        standin_id=None,
        queued="",
        agrees=False,
        leaving=False,
    )
    return before.userid


def _change_counts(context: Context, board: Board, seat: int, before: Seated, player: int) -> None:
    """Keep apart how who sat there has moved; who sat there earlier goes on counting."""
    row = models.Sitting
    mine = and_(row.board_id == board.id, row.seat == seat, row.player_id == player)
    found = context.connection.execute(select(row.moves, row.late).where(mine)).first()
    context.connection.execute(delete(row).where(mine))
    kept = {"player_id": before.player, "moves": before.moves, "late": before.late}
    kept |= {"board_id": board.id, "seat": seat, "round": board.table.round}
    context.connection.execute(insert(row).values(kept))
    moves, late = found or (0, 0)
    change_seat(context, board, seat, moves=moves, late=late)
