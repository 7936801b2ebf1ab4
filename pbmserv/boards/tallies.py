"""Tallies: the statistics of every seat, stored once a board is over, so that they can be summed.

Reading how a player bid and called from a board's record costs milliseconds a board.  A finished
board does not change, so the tick counts it once, soon after its end.  Until then, and while a
board runs, its record is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, fields
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Row, and_, delete, insert, or_, select, update

from pbmserv.boards.board import DECLINED
from pbmserv.boards.record import record_text
from pbmserv.context import UnitOfWork
from pbmserv.database.models import Board, Seat, Tally
from pbmserv.games.perudo.record import read_record
from pbmserv.games.perudo.statistics import Counts, statistics
from pbmserv.letters.payloads.letter import Letter
from pbmserv.monitoring import operator_alerts

MOST_BOARDS = 100  # of one player, the latest, that statistics use
PIECE = 10  # boards that one tick counts
# Built once, because each tick runs it.
WAITING = (
    select(Board.id)
    .where(Board.ended_at > 0, Board.tallied_at.is_(None))  # so that the index is used
    .order_by(Board.ended_at)
)
_PIECE = WAITING.limit(PIECE)
_NAMES = {"true": "true_bids", "right": "right_calls"}  # these words are reserved in SQL
_COLUMNS = [getattr(Tally, _NAMES.get(each.name, each.name)) for each in fields(Counts)]


def of_player(connection: Connection, player: int) -> Counts:
    """The statistics of a player's latest boards, of the seats that the player had at the start."""
    latest = (
        select(Seat.board_id, Seat.seat, Seat.handed_over)
        .join(Board, Board.id == Seat.board_id)
        .where(Seat.first_id == player, Board.position != "")  # invitations have no record
        # Players who declined did not play there.
        .where(or_(Seat.taken_at.is_not(None), Seat.leaving.is_(False)), Board.state != DECLINED)
        .order_by(Seat.board_id.desc())
        .limit(MOST_BOARDS)
        .subquery()
    )
    mine = and_(Tally.board_id == latest.c.board_id, Tally.seat == latest.c.seat)
    query = select(latest, *_COLUMNS).outerjoin(Tally, mine)
    total = Counts()
    for row in connection.execute(query):
        counts = _kept(row)
        if counts is None:
            counts = counted(connection, row.board_id, {row.seat: row.handed_over})[row.seat]
        total += counts
    return total


def _kept(row: Row[Any]) -> Counts | None:
    counts = row[-len(_COLUMNS) :]
    return None if None in counts else Counts(*counts)


def counted(connection: Connection, number: int, seats: dict[int, int | None]) -> dict[int, Counts]:
    """Count seats of a board from its record, each up to the event at which it was handed over."""
    text = record_text(connection, number)
    return {seat: _counts_of(text, until)[seat] for seat, until in seats.items()}


@lru_cache(maxsize=64)  # the players of a running board share one record
def _counts_of(text: str, until: int | None) -> tuple[Counts, ...]:
    record = read_record(text)
    return statistics(record.rules, record.events[:until], len(record.players))


def due(connection: Connection, _now: int) -> Sequence[int]:
    """The boards that are over and were not counted yet, the first `PIECE` of them."""
    return connection.execute(_PIECE).scalars().all()


def keep(work: UnitOfWork, number: int) -> list[Letter]:
    """Count every seat of a finished board, and store the counts; nobody gets a letter."""
    has_record = select(Board.position != "").where(Board.id == number)
    # An invitation that was withdrawn has no record.
    if work.connection.execute(has_record).scalar_one():
        work.connection.execute(delete(Tally).where(Tally.board_id == number))
        work.connection.execute(insert(Tally), _rows(work.connection, number))
    _note_counted(work.connection, number, work.now)
    return []


def put_off(connection: Connection, number: int, why: str, now: int) -> None:
    """Store no counts of a board that failed because of a bug, and alert the operator.

    Statistics then read its record each time, and the boards behind it are counted.
    """
    _note_counted(connection, number, now)
    operator_alerts.note(connection, "broken", f"the statistics of board {number}", why, now)


def _note_counted(connection: Connection, number: int, now: int) -> None:
    connection.execute(update(Board).where(Board.id == number).values(tallied_at=now))


def _rows(connection: Connection, number: int) -> list[dict[str, object]]:
    query = select(Seat.seat, Seat.handed_over).where(Seat.board_id == number)
    seats = {row.seat: row.handed_over for row in connection.execute(query)}
    names = [_NAMES.get(each.name, each.name) for each in fields(Counts)]
    return [
        {"board_id": number, "seat": seat, **dict(zip(names, astuple(counts), strict=True))}
        for seat, counts in counted(connection, number, seats).items()
    ]
