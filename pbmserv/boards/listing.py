"""Find boards by player and status, and list them in a table."""

from __future__ import annotations

import json
from collections.abc import Sequence

from sqlalchemy import Connection, Select, select

from pbmserv.boards.board import PLAYING
from pbmserv.database import models
from pbmserv.errors import Refused
from pbmserv.games.perudo.notation import read_position, read_rules
from pbmserv.games.perudo.table import NOBODY, view
from pbmserv.letters.payloads.guests import GUEST
from pbmserv.letters.payloads.listings import Row

STATUSES = ("all", "active", "inactive", "next")


def names_and_status(words: Sequence[str], *, just_status: bool = False) -> tuple[list[str], str]:
    """Split the words into userids and the status, which is `active` by default.

    Raises Refused `one_status` for several, and `unknown_word` for a userid if only a status is
    allowed.
    """
    found = [word.lower() for word in words if word.lower() in STATUSES]
    names = [word for word in words if word.lower() not in STATUSES]
    if len(found) > 1:
        raise Refused("one_status", words=list(found), known=list(STATUSES))
    if just_status and names:
        raise Refused("unknown_word", word=names[0][:20], known=list(STATUSES))
    return names, found[0] if found else "active"


def numbers(connection: Connection, names: Sequence[str], status: str) -> list[int]:
    """The boards of these players (of all players if none is named), newest first.

    Boards that never began are left out, because they have no position to show.
    """
    begun = _asked(connection, names, status).where(models.Board.position != "")
    return [number for (number,) in connection.execute(begun)]


def rows(connection: Connection, names: Sequence[str], status: str, most: int) -> list[Row]:
    """The table's rows: board, move, turn, rules, status, and the dice left in every seat.

    The status is invited, withdrawn, active, won, drawn or declined.  For an invitation `waiting`
    names the players who have not accepted.
    """
    asked = list(connection.execute(_asked(connection, names, status).limit(most)).scalars())
    query = select(
        models.Board.id, models.Board.position, models.Board.state, models.Board.asked
    ).where(models.Board.id.in_(asked))
    seated = _seated(connection, asked)
    found = {
        board: _row(board, state, position, [userid for userid, _ in seated[board]])
        if position
        else _not_begun(board, state, kept, seated[board])
        for board, position, state, kept in connection.execute(query)
    }
    return [found[board] for board in asked]


def _seated(connection: Connection, boards: Sequence[int]) -> dict[int, list[tuple[str, bool]]]:
    """The players of each board in the order of seats, and whether each has accepted.

    Somebody who was invited by address, and has not answered, is there as `GUEST`.
    """
    seat, guest, board = models.Seat, models.AddressInvitation, models.Board
    players = select(seat.board_id, seat.seat, models.Player.userid, seat.accepted)
    players = players.join(models.Player, models.Player.id == seat.player_id)
    players = players.where(seat.board_id.in_(boards))
    found = {(each[0], each[1]): (each[2], each[3]) for each in connection.execute(players)}
    guests = select(guest.board_id, guest.seat).join(board, board.id == guest.board_id)
    guests = guests.where(guest.board_id.in_(boards), board.position == "")
    for number, place in connection.execute(guests):
        found.setdefault((number, place), (GUEST, False))
    seated: dict[int, list[tuple[str, bool]]] = {number: [] for number in boards}
    for (number, _), player in sorted(found.items()):
        seated[number].append(player)
    return seated


def seated(connection: Connection, names: Sequence[str]) -> list[str]:
    """Those of the words that are userids of players who have a seat at a board."""
    keys = [name.lower() for name in names]
    query = select(models.Player.userid).where(models.Player.userid_key.in_(keys))
    has_seat = select(models.Seat.player_id).where(models.Seat.player_id == models.Player.id)
    return list(connection.execute(query.where(has_seat.exists())).scalars())


def _asked(connection: Connection, names: Sequence[str], status: str) -> Select[int]:
    query = select(models.Board.id).order_by(models.Board.id.desc())
    if status in {"active", "next"}:
        query = query.where(models.Board.ended_at.is_(None))
    if status == "inactive":
        query = query.where(models.Board.ended_at.is_not(None))
    if status == "next":
        query = query.where(models.Board.state == PLAYING)
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


def _row(board: int, state: str, position: str, names: Sequence[str]) -> Row:
    seen = view(read_position(position), None)
    won = seen.winner is not None and seen.winner != NOBODY
    turn = names[seen.winner if won and seen.winner is not None else seen.turn]
    found: Row = {
        "board": board,
        "move": seen.move,
        "turn": "" if seen.pending else turn,
        "rules": seen.rules.name,
        "status": "active" if state == PLAYING else state,
        "waiting": [],
        "seats": [
            {"name": name, "dice": dice} for name, dice in zip(names, seen.counts, strict=True)
        ],
    }
    if seen.pending is not None and seen.pending.beacon is not None:
        found["beacon"] = seen.pending.beacon
    return found


def _not_begun(board: int, state: str, kept: str, seated: Sequence[tuple[str, bool]]) -> Row:
    """The row of an invitation; it has no player on turn and no dice rolled."""
    rules = read_rules(json.loads(kept)["rules"])
    return {
        "board": board,
        "move": 0,
        "turn": "",
        "rules": rules.name,
        "status": state,
        "waiting": [userid for userid, accepted in seated if not accepted],
        "seats": [{"name": userid, "dice": rules.dice} for userid, _ in seated],
    }


def waiting_for(connection: Connection, player: int) -> list[int]:
    """The running boards on which it is this player's turn, the longest wait first."""
    query = (
        select(models.Board.id)
        .join(models.Seat, models.Seat.board_id == models.Board.id)
        .where(models.Board.state == PLAYING, models.Board.turn == models.Seat.seat)
        .where(models.Seat.player_id == player)
        .order_by(models.Board.clock_at, models.Board.id)  # databases break ties differently
    )
    return list(connection.execute(query).scalars())
