"""Outages: after the server did not run, every open deadline is moved by the gap.

That is nJudge's rule: no player loses by an outage.  Moments are seconds since 1970.  If the system
clock was set back, the gap is negative.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import count
from typing import Any

from sqlalchemy import and_, bindparam, delete, insert, literal, not_, or_, select, update

from pbmserv.boards.board import INVITED, PLAYING
from pbmserv.boards.deadlines import moved
from pbmserv.context import UnitOfWork
from pbmserv.database import models
from pbmserv.database.models.states import DUE, FAILED
from pbmserv.fast_dataclasses import dataclass
from pbmserv.letters.payloads import boards as payloads
from pbmserv.letters.payloads.letter import Letter
from pbmserv.lobby import invitations, invited_addresses, matchmaking
from pbmserv.monitoring import operator_alerts
from pbmserv.players import mailbox_owners
from pbmserv.ratelimit import fixed_window, token_bucket
from pbmserv.timeunits import HOUR

# Built once, because each tick runs them.
_TICKED = select(models.Tick.ticked_at)
_TICK = update(models.Tick).values(ticked_at=bindparam("now"))
OUTAGE = 2 * HOUR  # without a tick: players' emails may not have been received either


@dataclass(frozen=True, slots=True)
class Away:
    """A vacation of a player, as an outage has moved it."""

    player: int
    userid: str
    begins: int
    ends: int

    def payload(self, reader: int) -> payloads.MovedAway:
        """The vacation as a payload of a letter to `reader`."""
        return {
            "userid": self.userid,
            "begins": self.begins,
            "ends": self.ends,
            "mine": self.player == reader,
        }


def catch_up(work: UnitOfWork) -> list[Letter]:
    """After an outage, or a jump of the system clock, move every open deadline by the gap.

    Every player of a running board is told.  Up to `OUTAGE` each deadline stays as it was told.
    """
    ticked_at = work.connection.execute(_TICKED).scalar_one()
    gap = work.now - ticked_at
    work.connection.execute(_TICK, {"now": work.now})
    if 0 <= gap <= OUTAGE:
        return []
    since, until = (
        f"{datetime.fromtimestamp(each, UTC):%Y-%m-%d %H:%M}" for each in (ticked_at, work.now)
    )
    if gap < 0:
        _put_back(work, -gap)
    operator_alerts.note(work.connection, "clock", f"{since} to {until} UTC", "", work.now)
    if abs(gap) <= OUTAGE:
        return []
    away = _move_vacations(work, ticked_at, gap)
    _move_clocks(work, gap)
    return list(_vacation_letters(work, ticked_at, gap, away))


def _put_back(work: UnitOfWork, seconds: int) -> None:
    """Move moments in the future back after the system clock was set back by `seconds`.

    Letters leave, limits end, and old emails are deleted as if the clock had never been ahead.
    """
    token_bucket.put_back(work.connection, seconds)
    fixed_window.put_back(work.connection, seconds, work.now)
    mailbox_owners.put_back(work.connection, seconds, work.now)
    invited_addresses.put_back(work.connection, seconds, work.now)
    email, message = models.InboxMail, models.Talk
    for row, moment in ((email, email.received_at), (message, message.at)):
        came = update(row).where(moment > work.now)
        work.connection.execute(came.values({moment: moment - seconds}))
    player, letter = models.Player, models.OutboxLetter
    ahead = update(player).where(player.digested_at > work.now)
    work.connection.execute(ahead.values(digested_at=work.now))
    waiting = update(letter).where(letter.due_at > work.now)
    work.connection.execute(waiting.values(due_at=letter.due_at - seconds))
    # A letter that was tried, and may be tried again, keeps its Message-ID, and so this moment: the
    # relay may have taken it.
    is_fixed = and_(letter.tries > 0, letter.state.in_([DUE, FAILED]))
    written = update(letter).where(letter.written_at > work.now, not_(is_fixed))
    work.connection.execute(written.values(written_at=letter.written_at - seconds))


def _move_clocks(work: UnitOfWork, gap: int) -> None:
    """Move the deadlines of boards, invitations and seeks by the gap.

    A move can come after the system clock was set back and before this tick.  It started the clock
    of its board at the right time.  The gap would move that start into the past.  The same is true
    of an invitation or a seek.
    """
    row, seek = models.Board, models.Seek
    is_put_back = literal(gap < 0)
    sought = and_(seek.asked_at <= work.now, seek.lapses_at <= matchmaking.lapses_at(work))
    moved = update(seek).where(not_(and_(is_put_back, sought)))
    work.connection.execute(moved.values(lapses_at=seek.lapses_at + gap))
    invited = and_(row.state == INVITED, row.due_at <= work.now + invitations.LIFETIME)
    is_right = and_(
        is_put_back, row.moved_at <= work.now, or_(row.clock_at == row.moved_at, invited)
    )
    is_new = and_(is_right, row.started_at == row.moved_at)
    work.connection.execute(
        update(row)
        .where(row.state == PLAYING, row.total_seconds > 0, not_(is_new))
        .values(total_seconds=row.total_seconds + gap)
    )
    work.connection.execute(
        update(row)
        .where(row.state.in_([PLAYING, INVITED]), not_(is_right))
        .values(clock_at=row.clock_at + gap, due_at=row.due_at + gap)
    )


def _move_vacations(work: UnitOfWork, ticked_at: int, gap: int) -> list[Away]:
    """Move the vacations that stop the clocks of boards; returns those that are not over.

    They are vacations of players on turn: only these players' deadlines were announced.
    """
    board, seat, row, player = models.Board, models.Seat, models.Vacation, models.Player
    query = (
        select(row.player_id, row.begins_at, row.ends_at, row.granted, player.userid)
        .join(player, player.id == row.player_id)
        .join(seat, seat.player_id == row.player_id)
        .join(board, and_(board.id == seat.board_id, board.turn == seat.seat))
        .where(board.state == PLAYING, row.ends_at > board.clock_at)
        .order_by(row.player_id, row.begins_at)
        .distinct()
    )
    found: dict[int, list[Any]] = {}
    for each in work.connection.execute(query):
        found.setdefault(each.player_id, []).append(each)
    return [
        away
        for rows in found.values()
        for away in _moved(work, rows, moved([each[1:3] for each in rows], ticked_at, gap))
        if away.ends > work.now
    ]


def _moved(
    work: UnitOfWork, rows: Sequence[Any], times: Sequence[tuple[int, int]]
) -> Iterator[Away]:
    """Store new times for the vacations of one player; yields those that have changed."""
    row, player = models.Vacation, rows[0].player_id
    changed = [
        (each, time)
        for each, time in zip(rows, times, strict=True)
        if time != (each.begins_at, each.ends_at)
    ]
    old = [each.begins_at for each, _ in changed]
    work.connection.execute(delete(row).where(row.player_id == player, row.begins_at.in_(old)))
    known = select(row.begins_at).where(row.player_id == player)
    kept = set(work.connection.execute(known).scalars())
    for each, (first, ends) in changed:
        # The player and this moment are the key of a vacation.
        begins = next(moment for moment in count(first) if moment not in kept)
        kept.add(begins)
        values = {"player_id": player, "begins_at": begins, "ends_at": ends}
        work.connection.execute(insert(row).values(**values, granted=each.granted))
        yield Away(player, each.userid, begins, ends)


def _vacation_letters(
    work: UnitOfWork, since: int, gap: int, away: Sequence[Away]
) -> Iterator[Letter]:
    """Tell every player of a running board that the server was away, or that its clock was ahead.

    The letter also names the vacations of players at the same boards.
    """
    query = (
        select(models.Seat.player_id, models.Seat.board_id)
        .join(models.Board, models.Board.id == models.Seat.board_id)
        .where(models.Board.state == PLAYING, models.Seat.leaving.is_(False))
        .order_by(models.Seat.player_id, models.Seat.board_id)
    )
    playing: dict[int, list[int]] = {}
    for player, number in work.connection.execute(query):
        playing.setdefault(player, []).append(number)
    for player, numbers in playing.items():
        known = [
            each.payload(player)
            for each in away
            if not set(numbers).isdisjoint(playing.get(each.player, ()))
        ]
        told: payloads.Outage = {
            "boards": numbers,
            "away": known,
            "since": since,
            "until": work.now,
            "hours": round(gap / HOUR),
        }
        yield payloads.OUTAGE.to(player, told)
