"""Boards: between the rules of a game and the rows of the database.

A board is loaded here, and a player let to the seat.  It is opened and moved on in `playing.py`;
who hears of it, and with which facts, stands in `telling.py`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, select

from pbmserv import models
from pbmserv.desk import Desk
from pbmserv.errors import Refused
from pbmserv.games.perudo.notation import read_position
from pbmserv.games.perudo.table import Table

_LARGEST_NUMBER = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Seated:
    """A player at a board.  `leaving`: has resigned, or will when the turn comes."""

    player: int
    userid: str
    leaving: bool


@dataclass(frozen=True, slots=True)
class Board:
    """A board as it stands: its table, its seats in order, and what proves its dice.

    `lines` counts the public lines, `chain` is their digest, `seed` the secret of the running
    round and `next_seed` that of the next one, `recent` the last finished rounds.
    """

    id: int
    table: Table
    seats: tuple[Seated, ...]
    lines: int
    chain: bytes
    seed: bytes | None
    next_seed: bytes | None
    recent: tuple[tuple[str, ...], ...]
    moved_at: int

    @property
    def names(self) -> list[str]:
        """The userids in order of play."""
        return [seated.userid for seated in self.seats]

    def seat_of(self, player: int) -> int:
        """The seat of a player; raises Refused `not_on_board`."""
        for number, seated in enumerate(self.seats):
            if seated.player == player:
                return number
        raise Refused("not_on_board", board=self.id)


_LOAD = (
    select(
        models.Board.position,
        models.Board.lines,
        models.Board.chain,
        models.Board.seed,
        models.Board.next_seed,
        models.Board.recent,
        models.Board.moved_at,
        models.Seat.leaving,
        models.Player.id,
        models.Player.userid,
    )
    .join(models.Seat, models.Seat.board_id == models.Board.id)
    .join(models.Player, models.Player.id == models.Seat.player_id)
    .where(models.Board.id == bindparam("board"))
    .order_by(models.Seat.seat)
)


def numbered(text: str, otherwise: str = "not_a_board_number") -> int:
    """The number of a board, or of a move, as written; raises Refused `otherwise`."""
    if not (text.isascii() and text.isdigit()) or not 0 < int(text[:11]) <= _LARGEST_NUMBER:
        raise Refused(otherwise, text=text[:20])
    return int(text)


def take_seat(
    desk: Desk,
    number: str,
    userid: str,
    password: str,
    *,
    expected: int | None = None,
    late: bool = False,
) -> tuple[Board, int]:
    """The board, and the seat of the player who shows a password or a letter's token.

    Raises Refused `wrong_move` where `expected` is not the move that comes next, and
    `already_played` for the token of an earlier letter, unless `late` allows it.
    """
    voucher = desk.vouch(userid, password)
    board = load(desk.connection, numbered(number))
    seat = board.seat_of(voucher.player)
    if voucher.board not in {None, board.id}:
        raise Refused("wrong_password")
    if not late and voucher.move not in {None, board.table.move}:
        raise Refused("already_played", board=board.id, move=board.table.move)
    if expected not in {None, board.table.move}:
        raise Refused("wrong_move", board=board.id, expected=board.table.move, given=expected)
    return board, seat


def load(connection: Connection, number: int) -> Board:
    """The board of a number; raises Refused `no_such_board`."""
    rows = connection.execute(_LOAD, {"board": number}).all()
    if not rows:
        raise Refused("no_such_board", board=number)
    position, lines, digest, seed, next_seed, recent, moved_at, *_ = rows[0]
    return Board(
        number,
        read_position(position),
        tuple(Seated(player, userid, leaving) for *_, leaving, player, userid in rows),
        lines,
        digest,
        seed,
        next_seed,
        tuple(tuple(lines) for lines in json.loads(recent or "[]")),
        moved_at,
    )
