"""Boards: between the rules of a game and the rows of the database.

A board is opened, loaded and played on here, and its public lines are kept.  What may happen is
decided in `games/`; who hears of it, and with which facts, stands in `telling.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from sqlalchemy import Connection, bindparam, insert, select, update

from pbmserv import models
from pbmserv.desk import Desk
from pbmserv.errors import Refused
from pbmserv.games.perudo.dice import SealedDice, chain_of, commitment
from pbmserv.games.perudo.notation import public, read_position, write_event, write_position
from pbmserv.games.perudo.record import Record, read_record, write_header, write_lines
from pbmserv.games.perudo.rules import Rules
from pbmserv.games.perudo.table import (
    Action,
    Bade,
    Dealt,
    Event,
    Resign,
    Revealed,
    Table,
    after,
    after_all,
    new_table,
    play,
    start,
)

RECENT_ROUNDS = 2  # finished rounds that every letter repeats
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


@dataclass(frozen=True, slots=True)
class Played:
    """What a move did: the board after it, and its events, as everybody may know them."""

    board: Board
    events: tuple[Event, ...]
    message: str = ""


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
_SAVE = update(models.Board).where(models.Board.id == bindparam("board"))
_LEAVE = update(models.Seat).where(
    models.Seat.board_id == bindparam("board"), models.Seat.seat == bindparam("place")
)
_ADD = insert(models.Happening)
_LINES = (
    select(models.Happening.line, models.Board.chain)
    .join(models.Board, models.Board.id == models.Happening.board_id)
    .where(models.Happening.board_id == bindparam("board"))
    .order_by(models.Happening.number)
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


def open_board(desk: Desk, rules: Rules, players: Sequence[tuple[int, str]]) -> Played:
    """Open a board for these players in this order, and throw the first round.

    The secrets of the first two rounds are drawn now and both are committed: the first in the
    record's header, the second with the deal (DESIGN: a commitment a round ahead).
    """
    table = new_table(rules, len(players))
    first, second = desk.seed(), desk.seed()
    row = {
        "game": "perudo",
        "position": "",
        "move": 0,
        "turn": 0,
        "lines": 0,
        "chain": bytes(32),
        "seed": None,
        "next_seed": first,
        "started_at": desk.now,
        "moved_at": desk.now,
    }
    number = desk.connection.execute(
        insert(models.Board).returning(models.Board.id), row
    ).scalar_one()
    desk.connection.execute(
        insert(models.Seat),
        [
            {"board_id": number, "seat": seat, "player_id": player, "leaving": False}
            for seat, (player, _) in enumerate(players)
        ],
    )
    day = datetime.fromtimestamp(desk.now, UTC).date().isoformat()
    names = [userid for _, userid in players]
    header = write_header(number, rules, names, commitment(first), day)
    digest = chain_of(header)
    desk.connection.execute(_ADD, {"board_id": number, "number": 0, "line": "\n".join(header)})
    board = Board(
        number,
        table,
        tuple(Seated(player, userid, leaving=False) for player, userid in players),
        1,
        digest,
        None,
        first,
        (),
        desk.now,
    )
    dice = SealedDice(None, first, second, digest)
    return _recorded(desk, board, start(table, dice), second)


def move(desk: Desk, board: Board, seat: int, action: Action) -> Played:
    """Play an action for a seat, then the resignations that waited for the turn it gave.

    Raises Refused as `games.perudo.table.play` does.
    """
    played = _play(desk, board, seat, action)
    if isinstance(action, Resign):
        _leave(desk, board, seat, leaving=True)
    events = played.events
    while (table := played.board.table).winner is None and played.board.seats[table.turn].leaving:
        played = _play(desk, played.board, table.turn, Resign())
        events += played.events
    return replace(played, events=events, message=desk.message)


def resign_later(desk: Desk, board: Board, seat: int) -> bool:
    """Note, or cancel, a resignation that waits for the seat's turn; True if it is noted now."""
    if not board.table.cups[seat]:
        raise Refused("eliminated", board=board.id)
    leaving = not board.seats[seat].leaving
    _leave(desk, board, seat, leaving=leaving)
    return leaving


def _leave(desk: Desk, board: Board, seat: int, *, leaving: bool) -> None:
    row = {"board": board.id, "place": seat, "leaving": leaving}
    desk.connection.execute(_LEAVE, row)


def _play(desk: Desk, board: Board, seat: int, action: Action) -> Played:
    fresh = desk.seed()
    dice = SealedDice(board.seed, board.next_seed or fresh, fresh, board.chain)
    try:
        events = play(board.table, seat, action, dice)
    except Refused as refusal:
        raise _with_names(refusal, board) from None
    return _recorded(desk, board, events, fresh)


def _with_names(refusal: Refused, board: Board) -> Refused:
    """The game's refusal in the board's terms: players' names where it has seats."""
    facts = {**refusal.facts, "board": board.id}
    for key in ("turn", "winner"):
        if isinstance(seat := facts.get(key), int):
            facts[key] = board.names[seat]
    return Refused(refusal.code, **facts)


def _recorded(desk: Desk, board: Board, events: tuple[Event, ...], fresh: bytes) -> Played:
    """Write down what happened: the public lines, and the board as it stands after them."""
    shown = tuple(public(event) for event in events)
    lines = [write_event(event) for event in shown]
    digest = chain_of(lines, board.chain)
    seed, next_seed = board.seed, board.next_seed
    if any(isinstance(event, Dealt) for event in events):
        seed, next_seed = next_seed, fresh
    table = after_all(board.table, events)
    if table.winner is not None:
        seed = next_seed = None
    after = replace(
        board,
        table=table,
        lines=board.lines + len(lines),
        chain=digest,
        seed=seed,
        next_seed=next_seed,
        recent=_recent(board, events, lines),
        moved_at=desk.now,
    )
    desk.connection.execute(
        _ADD,
        [
            {"board_id": board.id, "number": board.lines + place, "line": line}
            for place, line in enumerate(lines)
        ],
    )
    _save(desk, after)
    return Played(after, shown)


def _recent(
    board: Board, events: Sequence[Event], lines: Sequence[str]
) -> tuple[tuple[str, ...], ...]:
    """The last finished rounds, each from its last bid to who lost, without the seeds."""
    if not any(isinstance(event, Revealed) for event in events):
        return board.recent
    story = [write_event(Bade(*board.table.bids[-1]))] if board.table.bids else []
    for event, line in zip(events, lines, strict=True):
        if isinstance(event, Revealed):
            story.append(write_event(replace(event, seed=None)))
        elif not isinstance(event, Dealt):
            story.append(line)
    return (*board.recent, tuple(story))[-RECENT_ROUNDS:]


def _save(desk: Desk, board: Board) -> None:
    desk.connection.execute(
        _SAVE,
        {
            "board": board.id,
            "position": write_position(board.table),
            "move": board.table.move,
            "turn": board.table.turn,
            "lines": board.lines,
            "chain": board.chain,
            "seed": board.seed,
            "next_seed": board.next_seed,
            "recent": json.dumps(board.recent),
            "moved_at": board.moved_at,
            "ended_at": None if board.table.winner is None else board.moved_at,
        },
    )


def record(connection: Connection, number: int) -> str:
    """The whole public record of a board, sealed by the digest that was kept move by move.

    Raises Refused `no_such_board`.
    """
    rows = connection.execute(_LINES, {"board": number}).all()
    if not rows:
        raise Refused("no_such_board", board=number)
    seal = rows[0].chain.hex()
    return write_lines((line for row in rows for line in row.line.split("\n")), seal)


def refolded(record: Record) -> Iterator[Table]:
    """The table after each event of a record, from the empty one on."""
    table = new_table(record.rules, len(record.players))
    yield table
    for event in record.events:
        table = after(table, event)
        yield table


def as_it_stood(connection: Connection, board: Board, move: int) -> Board:
    """The board as it stood before a move (from 1); raises Refused `no_such_move`."""
    tables = refolded(read_record(record(connection, board.id)))
    stood = [table for table in tables if table.round and table.move == move]
    if not stood:
        raise Refused("no_such_move", board=board.id, given=move, last=board.table.move)
    return replace(board, table=stood[-1], recent=())
