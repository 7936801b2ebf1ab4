"""Playing: a board is opened, moved on, and written down.

What may happen is decided in `games/`; the board as it stands is in `boards.py`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from sqlalchemy import bindparam, insert, update

from pbmserv import models
from pbmserv.boards import Board, Seated
from pbmserv.desk import Desk
from pbmserv.errors import Refused
from pbmserv.games.perudo.dice import SealedDice, chain_of, commitment
from pbmserv.games.perudo.notation import public, write_event, write_position
from pbmserv.games.perudo.record import write_header
from pbmserv.games.perudo.rules import Rules
from pbmserv.games.perudo.table import (
    Action,
    Bade,
    Dealt,
    Event,
    Resign,
    Revealed,
    after_all,
    new_table,
    play,
    start,
)
from pbmserv.terms import STANDARD, Terms

RECENT_ROUNDS = 2  # finished rounds that every letter repeats

_SAVE = update(models.Board).where(models.Board.id == bindparam("board"))
_LEAVE = update(models.Seat).where(
    models.Seat.board_id == bindparam("board"), models.Seat.seat == bindparam("place")
)
_ADD = insert(models.Happening)


@dataclass(frozen=True, slots=True)
class Played:
    """What a move did: the board after it, and its events, as everybody may know them."""

    board: Board
    events: tuple[Event, ...]
    message: str = ""


def open_board(
    desk: Desk, rules: Rules, players: Sequence[tuple[int, str]], terms: Terms = STANDARD
) -> Played:
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
        "clock_at": desk.now,
        "due_at": desk.now + terms.nag,
        "nag_seconds": terms.nag,
        "forfeit_seconds": terms.forfeit,
        "total_seconds": terms.total,
        "standin": terms.standin,
        "rated": terms.rated,
    }
    number = desk.connection.execute(
        insert(models.Board).returning(models.Board.id), row
    ).scalar_one()
    desk.connection.execute(
        insert(models.Seat),
        [
            {"board_id": number, "seat": seat, "player_id": player, "first_id": player}
            for seat, (player, _) in enumerate(players)
        ],
    )
    digest = _begun(desk, number, rules, [userid for _, userid in players], commitment(first))
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


def _begun(desk: Desk, number: int, rules: Rules, names: list[str], committed: str) -> bytes:
    """Write down the header of a board's record; returns the digest over it."""
    day = datetime.fromtimestamp(desk.now, UTC).date().isoformat()
    header = write_header(number, rules, names, committed, day)
    row = {"board_id": number, "number": 0, "line": "\n".join(header)}
    desk.connection.execute(_ADD, row)
    return chain_of(header)


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
            "state": "playing" if board.table.winner is None else "won",
        },
    )
