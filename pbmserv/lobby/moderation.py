"""What the operator does to accounts: each action is told to the players and logged.

Each can be undone by its opposite; what `account_erasure.py` does cannot.  The present state is in
the columns `suspended_until`, `closed` and `left_at` of `models.Player`, and in `models.Ban`.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, func, select, update

from pbmserv.context import UnitOfWork
from pbmserv.database import models
from pbmserv.errors import Refused
from pbmserv.letters.payloads.accounts import MEASURE, Measure
from pbmserv.letters.payloads.letter import Letter
from pbmserv.lobby import sign_off
from pbmserv.monitoring import action_log
from pbmserv.outbox import readdressing
from pbmserv.players import accounts, bans, validation
from pbmserv.players.account_suspension import FOREVER
from pbmserv.players.accounts import Player
from pbmserv.players.userids import skeleton

SUSPEND, RESUME, CLOSE, REOPEN = "suspend", "resume", "close", "reopen"
RENAME, BAN, UNBAN = action_log.RENAME, "ban", "unban"
_BOARDS = {
    "playing": "running",
    "won": "finished",
    "drawn": "ended without a winner",
    "declined": "ended by declining",
    "invited": "waiting for players to accept",
    "withdrawn": "never begun",
}
_LEFT = models.Player.left_at.is_not(None)


def suspend(work: UnitOfWork, userid: str, until: int | None, why: str) -> list[Letter]:
    """Suspend a player until a moment, or until `resume`; the clocks continue.

    Queued moves are dropped, because they would be played meanwhile.  Raises Refused
    `suspended_already` if the suspension already lasts until that moment.
    """
    player = _here(work, userid)
    ends = FOREVER if until is None else until
    if _suspended_until(work, player) == ends:
        raise Refused("suspended_already", userid=player.userid)
    seat = models.Seat
    work.connection.execute(update(seat).where(seat.player_id == player.id).values(queued=""))
    _set(work, player, suspended_until=ends)
    action_log.note(work.connection, SUSPEND, work.now, about=player.userid, why=why)
    return [_measure_letter(player, SUSPEND, player.id, why=why, until=until or 0)]


def resume(work: UnitOfWork, userid: str, why: str) -> list[Letter]:
    """End a suspension; raises Refused `not_suspended`."""
    player = _here(work, userid)
    if _suspended_until(work, player) <= work.now:
        raise Refused("not_suspended", userid=player.userid)
    _set(work, player, suspended_until=None)
    action_log.note(work.connection, RESUME, work.now, about=player.userid, why=why)
    return [_measure_letter(player, RESUME, player.id, why=why)]


def _suspended_until(work: UnitOfWork, player: Player) -> int:
    """Until when a player is or was suspended; 0 for never."""
    row = models.Player
    query = select(row.suspended_until).where(row.id == player.id)
    return work.connection.execute(query).scalar() or 0


def close(work: UnitOfWork, userid: str, why: str) -> list[Letter]:
    """Close an account: resign its seats and send it no letters; keep addresses and password."""
    player = _here(work, userid)
    goodbye = accounts.addresses_of(work.connection, [player.id])[player.id]
    letters = sign_off.leave_boards(work, player.id)
    readdressing.forget(work, player.id)
    _set(work, player, left_at=work.now, closed=True)
    action_log.note(work.connection, CLOSE, work.now, about=player.userid, why=why)
    return [*letters, *(_measure_letter(player, CLOSE, each, why=why) for each in goodbye)]


def reopen(work: UnitOfWork, userid: str, why: str) -> list[Letter]:
    """Reopen a closed account; raises Refused `not_closed`."""
    player = _known(work, userid)
    row = models.Player
    shut = row.id == player.id, row.closed.is_(True)
    if not work.connection.execute(select(row.id).where(*shut)).first():
        raise Refused("not_closed", userid=player.userid)
    _set(work, player, left_at=None, closed=False)
    action_log.note(work.connection, REOPEN, work.now, about=player.userid, why=why)
    return [_measure_letter(player, REOPEN, player.id, why=why)]


def rename(work: UnitOfWork, userid: str, new: str, why: str) -> list[Letter]:
    """Give a player another userid; records keep the userid with which they were begun.

    The old userid stays reserved for this player.  Raises Refused `same_userid`, `bad_userid`,
    `userid_taken` or `userid_alike`.
    """
    player = _here(work, userid)
    if new == player.userid:
        raise Refused("same_userid", userid=new)
    accounts.check_free(work.connection, new, work.now, own=player.id)
    _set(work, player, userid=new, userid_key=new.lower(), skeleton=skeleton(new))
    action_log.note(
        work.connection, RENAME, work.now, about=player.userid, why=f"now {new} {why}".strip()
    )
    return [_measure_letter(player, RENAME, player.id, why=why, about=new)]


def ban(work: UnitOfWork, text: str, until: int | None, why: str) -> tuple[str, list[Letter]]:
    """Ban an address, a domain or a pattern; players with such an address are told."""
    found = bans.add(work.connection, text, until, validation.ours(work.settings))
    action_log.note(work.connection, BAN, work.now, about=found, why=why)
    return found, _to_covered(work, found, BAN, until or 0, why)


def unban(work: UnitOfWork, text: str, why: str) -> tuple[str, list[Letter]]:
    """Lift a ban; players are told if they have such an address and no other ban covers it.

    Raises Refused `no_such_ban`.
    """
    found = bans.lift(work.connection, text)
    action_log.note(work.connection, UNBAN, work.now, about=found, why=why)
    told = _to_covered(work, found, UNBAN, 0, why)
    free = [each for each in told if not bans.covering(work.connection, [str(each.to)], work.now)]
    return found, free


def _to_covered(work: UnitOfWork, found: str, what: str, until: int, why: str) -> list[Letter]:
    row, known = models.Address, models.Player
    query = select(known.id, known.userid, known.language, row.address)
    query = query.join(row, row.player_id == known.id).where(row.confirmed_at.is_not(None), ~_LEFT)
    return [
        _measure_letter(
            Player(number, userid, language), what, address, why=why, until=until, about=found
        )
        for number, userid, language, address in work.connection.execute(query)
        if bans.is_covered(found, address)
    ]


def _measure_letter(
    player: Player, what: str, to: int | str, *, why: str = "", until: int = 0, about: str = ""
) -> Letter:
    told: Measure = {
        "userid": player.userid,
        "what": what,
        "until": until,
        "about": about,
        "why": why,
    }
    return MEASURE.to(to, told)


def _set(work: UnitOfWork, player: Player, **values: object) -> None:
    row = models.Player
    work.connection.execute(update(row).where(row.id == player.id).values(**values))


def _known(work: UnitOfWork, userid: str) -> Player:
    return person(work.connection, userid)


def person(connection: Connection, userid: str) -> Player:
    """The person with this userid; raises Refused `no_such_player`, also for bots."""
    player = accounts.find(connection, userid)
    if player is None or userid.lower().startswith("house"):
        raise Refused("no_such_player", names=[userid[:20]])
    return player


def _here(work: UnitOfWork, userid: str) -> Player:
    """The person with this userid; raises Refused `no_such_player`.

    Raises `account_is_closed`, or `signed_off` for a player who has left.
    """
    player = _known(work, userid)
    row = models.Player
    left = work.connection.execute(select(row.closed).where(row.id == player.id, _LEFT)).scalar()
    if left:
        raise Refused("account_is_closed", userid=player.userid)
    if left is not None:
        raise Refused("signed_off", names=[player.userid])
    return player


def shown(connection: Connection, userid: str, now: int) -> list[str]:
    """An account as lines for the operator; raises Refused `no_such_player`."""
    player = person(connection, userid)
    row = models.Player
    found = connection.execute(select(row.__table__).where(row.id == player.id)).one()
    lines = [f"{player.userid} (number {player.id})", f"  signed up {_day(found.created_at)}"]
    lines.append(f"  {_state(found, now)}")
    address = models.Address
    query = select(address.address, address.confirmed_at, address.paused_at, address.paused_by)
    query = query.where(address.player_id == player.id).order_by(address.id)
    for text, confirmed_at, paused_at, paused_by in connection.execute(query).all():
        state = f"confirmed {_day(confirmed_at)}" if confirmed_at else "not confirmed"
        paused = f", paused {_day(paused_at)} ({paused_by})" if paused_at else ""
        ban = bans.covering(connection, [text], now)
        lines.append(f"  {text}  {state}{paused}{f', banned: {ban}' if ban else ''}")
    seat, board = models.Seat, models.Board
    states = select(board.state, func.count()).join(seat, seat.board_id == board.id)
    states = states.where(seat.player_id == player.id).group_by(board.state).order_by(board.state)
    boards = ", ".join(f"{count} {_BOARDS[state]}" for state, count in connection.execute(states))
    return [*lines, f"  boards: {boards or 'none'}"]


def _state(found: Any, now: int) -> str:  # a row of `models.Player`
    if found.closed:
        return f"closed {_day(found.left_at)}"
    if found.left_at is not None:
        return f"signed off {_day(found.left_at)}"
    if found.suspended_until is None or found.suspended_until <= now:
        return "in force"
    if found.suspended_until >= FOREVER:
        return "suspended until it is resumed"
    return f"suspended until {_day(found.suspended_until)}"


def _day(moment: int) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d}"
