"""Substitutions: a bot stands in for an absent player, and a person takes over such a seat."""

from __future__ import annotations

from sqlalchemy import and_, delete, insert, select, union_all

from pbmserv.boards import notices
from pbmserv.boards.board import Board, Seated, board_number, load_board
from pbmserv.boards.notices import reason
from pbmserv.boards.record import Played, change_seat, keep_counts
from pbmserv.boards.seating import with_seat
from pbmserv.context import UnitOfWork
from pbmserv.database import models
from pbmserv.errors import Fact, Refused
from pbmserv.letters.payloads.letter import Letter
from pbmserv.players import blocks


def take_over(work: UnitOfWork, number: str, player: int) -> list[Letter]:
    """Seat a player in the first kept seat; a player who left it to a bot returns to that seat.

    A player of another seat at the board may have seen its dice, and so gets no second cup.  Raises
    Refused `board_over`, `on_board_already`, `saw_dice`, `seat_taken`, `no_standin`, `blocked_by`,
    or as `load_board`.
    """
    board = load_board(work.connection, board_number(number))
    if board.table.winner is not None:
        raise Refused("board_over", board=board.id)
    kept = {seat for seat, each in enumerate(board.seats) if each.standin}
    known = _known_seats(work, board.id, player)
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
    if not known and (blocking := blocks.blockers(work.connection, player) & there):
        names: list[Fact] = [each.userid for each in board.seats if each.player in blocking]
        raise Refused("blocked_by", names=names)
    before = _change_sitter(work, board, free[0], player)
    now = load_board(work.connection, board.id)
    name = now.names[free[0]]
    return notices.of_move(work, Played(now, ()), None, reason("takeover", name, before))


def stand_in(work: UnitOfWork, board: Board, seat: int, standin: int) -> None:
    """Let a bot play for an absent player.

    Moves made there from now on do not count for that player.
    """
    change_seat(work, board, seat, standin_id=standin)
    if board.seats[seat].began:
        # The header is the first line of the record, but is not an event.
        change_seat(work, board, seat, handed_over=board.lines - 1)


def _known_seats(work: UnitOfWork, board: int, player: int) -> set[int]:
    """The seats that a player has or had at a board."""
    rows = (
        select(each.seat).where(each.board_id == board, each.player_id == player)
        for each in (models.Seat, models.Sitting)
    )
    return set(work.connection.execute(union_all(*rows)).scalars())


def _change_sitter(work: UnitOfWork, board: Board, seat: int, player: int) -> str:
    """Seat a player, and store the counts of the previous one, whose userid is returned."""
    before = board.seats[seat]
    if before.player != player:
        _change_counts(work, board, seat, before, player)
    first = select(models.Seat.first_id).where(
        models.Seat.board_id == board.id, models.Seat.seat == seat
    )
    if work.connection.execute(first).scalar_one() == player:
        change_seat(work, board, seat, handed_over=None)
    change_seat(
        work,
        board,
        seat,
        player_id=player,
        standin_id=None,
        queued="",
        agrees=False,
        leaving=False,
    )
    return before.userid


def _change_counts(work: UnitOfWork, board: Board, seat: int, before: Seated, player: int) -> None:
    """Store the counts of the previous player; a returning player's counts continue."""
    row = models.Sitting
    mine = and_(row.board_id == board.id, row.seat == seat, row.player_id == player)
    found = work.connection.execute(select(row.moves, row.late).where(mine)).first()
    work.connection.execute(delete(row).where(mine))
    kept = {"player_id": before.player, "moves": before.moves, "late": before.late}
    kept |= {"board_id": board.id, "seat": seat, "round": board.table.round}
    work.connection.execute(insert(row).values(kept))
    moves, late = found or (0, 0)
    keep_counts(work, with_seat(board, seat, moves=moves, late=late))
