"""The record of a board: written line by line, and read as a whole.

`games/` has the rules, and `boards/play.py` makes the moves.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import UTC, datetime
from functools import lru_cache
from itertools import zip_longest
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, insert, select, update

from pbmserv.boards.board import PLAYING, Board, load_board
from pbmserv.boards.deadlines import due_at
from pbmserv.boards.record_compression import restored, stored
from pbmserv.context import UnitOfWork
from pbmserv.database import models
from pbmserv.database.prepared_statements import Prepared
from pbmserv.errors import Refused
from pbmserv.fast_dataclasses import dataclass, replace
from pbmserv.games.perudo.beacon import emitted_at
from pbmserv.games.perudo.commitments import chain_of
from pbmserv.games.perudo.notation import public, unsalted, write_event, write_position
from pbmserv.games.perudo.opened_rounds import Opened, opened_rounds
from pbmserv.games.perudo.player_salts import has_part
from pbmserv.games.perudo.record import (
    BEACON_VERSION,
    VERSION,
    Record,
    read_record,
    write_header,
    write_lines,
)
from pbmserv.games.perudo.rules import Rules
from pbmserv.games.perudo.table import (
    NOBODY,
    Bade,
    Beacon,
    Called,
    Cups,
    Dealt,
    Event,
    Resigned,
    Revealed,
    Table,
    after,
    after_all,
    new_table,
)
from pbmserv.letters.payloads.perudo import MOST_BIDS_TOLD

RECENT_ROUNDS = 4
"""The finished rounds that a board's row keeps for its letters.

A letter tells the story since its reader's last turn.  In 400 games of bots, by all rules, at most
3 rounds ended between two turns of a player.  In all but 3 of 59,000 cases at most 2 did.
"""
RECENT_BIDS = MOST_BIDS_TOLD + 1
"""The bids that are kept of each such round, the last ones.  From one more than letters tell they
know that there were more.

So a move costs as much after 1,000 moves as after 10.
"""
_SAVE = Prepared(update(models.Board).where(models.Board.id == bindparam("board")))
_SEAT = update(models.Seat).where(
    models.Seat.board_id == bindparam("board"), models.Seat.seat == bindparam("place")
)
_ADD = Prepared(insert(models.BoardEvent))


_LINES = (
    select(models.BoardEvent.line, models.BoardEvent.digits, models.Board.chain)
    .join(models.Board, models.Board.id == models.BoardEvent.board_id)
    .where(models.BoardEvent.board_id == bindparam("board"))
    .order_by(models.BoardEvent.number)
)


def record_text(connection: Connection, number: int) -> str:
    """The whole public record of a board, sealed with the stored digest.

    Raises Refused `no_such_board`, or `not_begun` for an invitation.
    """
    rows = connection.execute(_LINES, {"board": number}).all()
    if not rows:
        load_board(connection, number)  # raises Refused `no_such_board` or `not_begun`
    seal = rows[0].chain.hex()
    lines = [line for row in rows for line in restored(row.line, row.digits).split("\n")]
    return write_lines(lines, seal)


def opened_on(connection: Connection, number: int) -> tuple[Opened, ...]:
    """The finished rounds of a board that has begun; raises Refused as `record_text`."""
    record = read_record(record_text(connection, number))
    return tuple(opened_rounds(record.rules, record.events, len(record.players)).values())


def refolded(record: Record) -> Iterator[Table]:
    """The table after each event of a record, beginning with the empty table."""
    table = new_table(record.rules, len(record.players))
    yield table
    for event in record.events:
        table = after(table, event)
        yield table


@lru_cache(maxsize=4)  # one email may ask for a hundred moves of the same board
def replayed(text: str) -> tuple[Record, tuple[Table, ...]]:
    """Read a record; returns it with the table after each of its events."""
    found = read_record(text)
    return found, tuple(refolded(found))


class Stood(NamedTuple):
    """A board before a move; `cups` are those of its round, if they are public."""

    board: Board
    cups: Cups | None


def as_it_stood(connection: Connection, board: Board, move: int) -> Stood:
    """The board before a move (from 1); raises Refused `no_such_move`.

    The result has no secrets and no earlier rounds.  Its digest covers the lines up to that move.
    """
    public, tables = replayed(record_text(connection, board.id))
    places = [place for place, table in enumerate(tables) if table.round and table.move == move]
    if not places:
        raise Refused("no_such_move", board=board.id, given=move, last=board.table.move)
    place = places[-1]
    reveals = (event.cups for event in public.events[place:] if isinstance(event, Revealed))
    digest = chain_of(public.lines[: len(public.header) + place])
    then = replace(board, table=tables[place], chain=digest, recent=(), seed=None, next_seed=None)
    return Stood(then, next(reveals, None))


def move_of_digest(text: str, digest: str) -> int | None:
    """After how many moves a record had a digest, or one that begins so; None if it never had."""
    public, tables = replayed(text)
    chain = chain_of(public.header)
    for table, line in zip_longest(tables, public.lines[len(public.header) :]):
        if chain.hex().startswith(digest.lower()):
            return int(table.move) - 1 if table.move else 0
        chain = chain_of([line or ""], chain)
    return None


class SaltedMove(NamedTuple):
    """A move with a salt: its number (0: before the first one), its seat, and its text."""

    move: int
    seat: int
    what: str


def moves_with_salt(record: Record, part: str) -> list[SaltedMove]:
    """The moves that have this part of a salt, in order."""
    found = [SaltedMove(0, seat, "") for seat, salt in record.salts if has_part(salt, part)]
    moves = [each for each in record.events if isinstance(each, Bade | Called | Resigned)]
    for number, each in enumerate(moves, 1):
        if has_part(each.salt, part):
            what = write_event(unsalted(each)).partition(" ")[2]
            found.append(SaltedMove(number, each.seat, what))
    return found


@dataclass(frozen=True, slots=True)
class Tried:
    """The result of a player's queued moves: the one that was played ("" for none), and the others.

    If their round was `over` before the turn came, none was tried.
    """

    played: str
    dropped: tuple[str, ...]
    over: bool = False


class RatingChange(NamedTuple):
    """The rating of a player for all rule sets, as shown, before and after a game."""

    player: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Played:
    """The result of a move: the board after it, and its public events.

    `rounds` are the rounds that it finished, each from its first bid to the loss, without the
    seeds.  Of a long round only the last `RECENT_BIDS` bids are there.  `tried` has the result of
    queued moves by seat.  `unagreed` are the seats of other players whose agreement to a draw the
    move has ended.  `changes` are those of the ratings, if the game is over.
    """

    board: Board
    events: tuple[Event, ...]
    message: str = ""
    rounds: tuple[tuple[str, ...], ...] = ()
    tried: Mapping[int, Tried] = field(default_factory=dict)
    changes: tuple[RatingChange, ...] = ()
    unagreed: frozenset[int] = frozenset()


def begin_record(
    work: UnitOfWork,
    number: int,
    rules: Rules,
    names: list[str],
    committed: str,
    salts: Sequence[tuple[int, str]],
) -> bytes:
    """Write the header of a board's record; returns its digest."""
    day = datetime.fromtimestamp(work.now, UTC).date().isoformat()
    version = BEACON_VERSION if work.settings.beacon else VERSION
    header = write_header(number, rules, names, committed, day, salts=salts, version=version)
    _add(work, number, 0, header)
    return chain_of(header)


def record_events(
    work: UnitOfWork, board: Board, events: tuple[Event, ...], fresh: bytes
) -> Played:
    """Write the public lines of these events, and the board after them.

    `fresh` is the secret of the round after the next, used if a new round was dealt.  The clock
    starts for the player who is on turn now.
    """
    shown = tuple(public(event) for event in events)
    lines = [write_event(event) for event in shown]
    seed, next_seed = board.seed, board.next_seed
    if any(isinstance(event, Dealt) for event in events):
        seed, next_seed = next_seed, fresh
    rounds = _finished(board, events)
    table = after_all(board.table, events)
    if table.winner is not None:
        seed = next_seed = None
    after = replace(
        board,
        table=table,
        lines=board.lines + len(lines),
        chain=chain_of(lines, board.chain),
        seed=seed,
        next_seed=next_seed,
        recent=(*board.recent, *rounds)[-RECENT_ROUNDS:],
        moved_at=work.now,
        clock=replace(board.clock, since=work.now, reminded=0),
    )
    _add(work, board.id, board.lines, lines)
    _save(work, after, is_bid=all(isinstance(event, Bade) for event in events))
    return Played(after, shown, rounds=rounds)


def _add(work: UnitOfWork, board: int, number: int, lines: Iterable[str]) -> None:
    """Add lines to a record that has `number` lines, the header counted as one."""
    text, digits = stored("\n".join(lines))
    row = {"board_id": board, "number": number, "line": text, "digits": digits}
    _ADD.run(work.connection, row)


def _finished(board: Board, events: Sequence[Event]) -> tuple[tuple[str, ...], ...]:
    """The round that a move finished, as its public lines without the deal; empty if it did not.

    Where the cups waited for the beacon, the call replaces the beacon's line.
    """
    if not any(isinstance(event, Revealed) for event in events):
        return ()
    story = [write_event(Bade(*made)) for made in board.table.bids[-RECENT_BIDS:]]
    for event in events:
        if isinstance(event, Revealed):
            story.append(write_event(replace(event, seed=None)))
        elif isinstance(event, Beacon) and board.table.pending:
            story.append(write_event(unsalted(board.table.pending)))
        elif not isinstance(event, Dealt):
            story.append(write_event(unsalted(event)))
    return (tuple(story),)


def _save(work: UnitOfWork, board: Board, *, is_bid: bool) -> None:
    """Store the board's state; a bid changes fewer columns than other moves.

    At the end of the game, the counts of moves go to the rows of the seats.
    """
    over = board.table.winner is not None
    values: dict[str, object] = {
        "position": write_position(board.table),
        "move": board.table.move,
        "turn": turn_of(board),
        "lines": board.lines,
        "chain": board.chain,
        "moved_at": board.moved_at,
        "clock_at": board.clock.since,
        "reminded": board.clock.reminded,
        "due_at": _next_due_at(board),
        "counts": "" if over else _counts_of(board),
    }
    if not is_bid:
        values["seed"], values["next_seed"] = board.seed, board.next_seed
        values["recent"] = json.dumps(board.recent)
        values["state"] = state_of(board)
        values["ended_at"] = board.moved_at if over else None
        values["opens_at"] = opens_at(board)
    change_board(work, board, **values)
    if over:
        rows = [
            {"board": board.id, "place": seat, "moves": each.moves, "late": each.late}
            for seat, each in enumerate(board.seats)
        ]
        work.connection.execute(_SEAT, rows)


def keep_counts(work: UnitOfWork, board: Board) -> None:
    """Store the counts of moves at a running board, without a move."""
    change_board(work, board, counts=_counts_of(board))


def _counts_of(board: Board) -> str:
    """The moves of each seat's player and how many of them were late, for the board's row."""
    counts = [(each.moves, each.late) for each in board.seats]
    return json.dumps(counts) if any(moves for moves, _ in counts) else ""


def _next_due_at(board: Board) -> int | None:
    """When something falls due for the player on turn; None if nobody is on turn.

    That is after the end of the game, and while the cups wait for the beacon.
    """
    if board.table.winner is not None or board.table.pending:
        return None
    return due_at(board.clock, board.on_turn.away)


def opens_at(board: Board) -> int | None:
    """When the beacon opens the cups of a board, in seconds since 1970; None if no call waits."""
    pending = board.table.pending
    return None if pending is None or pending.beacon is None else emitted_at(pending.beacon)


def turn_of(board: Board) -> int:
    """The seat on turn, for the board's row; NOBODY while the cups wait for the beacon."""
    return NOBODY if board.table.pending else board.table.turn


def state_of(board: Board) -> str:
    """The state of a board that has begun, for its row: playing, won or drawn."""
    if board.table.winner is None:
        return PLAYING
    return "drawn" if board.table.winner == NOBODY else "won"


def change_board(work: UnitOfWork, board: Board, **values: Any) -> None:
    """Change columns of a board's row."""
    _SAVE.run(work.connection, {"board": board.id, **values})


def change_seat(work: UnitOfWork, board: Board, seat: int, **values: Any) -> None:
    """Change columns of a seat's row."""
    work.connection.execute(_SEAT, {"board": board.id, "place": seat, **values})
