"""Listing: which boards somebody asks about, and what a table of them says."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, Select, select

from pbmserv import models
from pbmserv.errors import Fact, Refused
from pbmserv.games.perudo.notation import read_position
from pbmserv.games.perudo.table import view

STATUSES = ("all", "active", "inactive", "next")


def names_and_status(words: Sequence[str], *, just_status: bool = False) -> tuple[list[str], str]:
    """The userids and the status among the words; `active` is meant where none is said.

    Raises Refused `unknown_word` for a second status, or for a userid where none may stand.
    """
    found = [word.lower() for word in words if word.lower() in STATUSES]
    names = [word for word in words if word.lower() not in STATUSES]
    if len(found) > 1 or (just_status and names):
        wrong = found[1] if len(found) > 1 else names[0]
        raise Refused("unknown_word", word=wrong[:20], known=list(STATUSES))
    return names, found[0] if found else "active"


def numbers(connection: Connection, names: Sequence[str], status: str) -> list[int]:
    """The boards of these players (of everybody where none is named), newest first."""
    return [number for (number,) in connection.execute(_asked(connection, names, status))]


def rows(connection: Connection, names: Sequence[str], status: str, most: int) -> list[Fact]:
    """The table's rows: board, move, turn, rules, status, and the dice left in every seat."""
    asked = numbers(connection, names, status)[:most]
    positions = connection.execute(
        select(models.Board.id, models.Board.position).where(models.Board.id.in_(asked))
    ).all()
    seated: dict[int, list[str]] = {}
    seats = (
        select(models.Seat.board_id, models.Player.userid)
        .join(models.Player, models.Player.id == models.Seat.player_id)
        .where(models.Seat.board_id.in_(asked))
        .order_by(models.Seat.board_id, models.Seat.seat)
    )
    for board, userid in connection.execute(seats):
        seated.setdefault(board, []).append(userid)
    found = {board: _row(board, position, seated[board]) for board, position in positions}
    return [found[board] for board in asked]


def _asked(connection: Connection, names: Sequence[str], status: str) -> Select[int]:
    query = select(models.Board.id).order_by(models.Board.id.desc())
    if status in {"active", "next"}:
        query = query.where(models.Board.ended_at.is_(None))
    if status == "inactive":
        query = query.where(models.Board.ended_at.is_not(None))
    if names:
        mine = models.Seat.player_id.in_(_players(connection, names))
        query = query.join(models.Seat, models.Seat.board_id == models.Board.id).where(mine)
        if status == "next":
            query = query.where(models.Seat.seat == models.Board.turn)
    return query.distinct()


def _players(connection: Connection, names: Sequence[str]) -> list[int]:
    keys = [name.lower() for name in names]
    query = select(models.Player.userid_key, models.Player.id)
    asked = query.where(models.Player.userid_key.in_(keys))
    found = {row.userid_key: row.id for row in connection.execute(asked)}
    if unknown := [name for name in names if name.lower() not in found]:
        raise Refused("no_such_player", names=list(unknown))
    return list(found.values())


def _row(board: int, position: str, names: Sequence[str]) -> dict[str, Fact]:
    seen = view(read_position(position), None)
    over = seen.winner is not None
    return {
        "board": board,
        "move": seen.move,
        "turn": names[seen.winner if seen.winner is not None else seen.turn],
        "rules": seen.rules.name,
        "status": "won" if over else "active",
        "seats": [
            {"name": name, "dice": dice} for name, dice in zip(names, seen.counts, strict=True)
        ],
    }
