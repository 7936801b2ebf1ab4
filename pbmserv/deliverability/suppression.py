"""Pausing: addresses to which no letters go for a while, and how they wake.

A letter that came back for good, or several over a week, pauses an address, and so does whoever
asks for no more letters; a mail from there wakes it.  A pause never moves anything on a board:
the player's clocks even stand still, once in a year (`vacations.granted`), but not for whoever
asked at one address and reads at another.  Which letter came back is proven in
`deliverability/bounces.py`. Moments are seconds since 1970.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, func, or_, select, update

from pbmserv.boards import digest, vacations
from pbmserv.context import UnitOfWork
from pbmserv.database import models
from pbmserv.database.models import Address, OutboxLetter, states
from pbmserv.letters.payloads.accounts import AWAKE, PAUSED, Awake, Paused
from pbmserv.letters.payloads.letter import Letter
from pbmserv.monitoring import operator_alerts
from pbmserv.outbox import hold
from pbmserv.outbox.recipients import ASKED, BOUNCED, GAMES, MESSAGE
from pbmserv.players import accounts
from pbmserv.timeunits import DAY

WEEK = 7 * DAY  # of failures that may pass, before they are taken for one that lasts
FORGOTTEN = 30 * DAY  # a failure so long ago has nothing to do with the next one
IN_A_QUEUE = 5 * DAY  # how long a mail server may try before a letter comes back
LATELY = 7 * DAY  # the age of a letter that a bounce without its stamp may be about
STEADY = 3 * DAY  # between bounces without a stamp, that they may count together
MOST_LOOKED_AT = 20_000  # the latest letters, when one to an address is looked for

_WELL = {
    "paused_at": None,
    "paused_by": "",
    "paused_reason": "",
    "told": False,
    "failing_since": None,
    "failed_at": None,
}
_OF_ADDRESS = select(Address.__table__).where(Address.address == bindparam("address"))
_RESTING = select(Address.__table__).where(
    Address.player_id == bindparam("player"), Address.paused_by == ASKED
)
_Rows = Sequence[Any]  # of addresses


@dataclass(frozen=True, slots=True)
class Failure:
    """A letter to an address failed: `lasting` if the next one will fail, too.

    `written_at` is the letter's.  `proven` is whether nobody can have made it up.
    """

    address: str
    written_at: int
    lasting: bool
    reason: str
    proven: bool = True


@dataclass(frozen=True, slots=True)
class Woken:
    """An address to which letters go again; `alone`: the player had no other one that works."""

    player: int
    address: str
    alone: bool


def failed(work: UnitOfWork, failure: Failure) -> list[Letter]:
    """What comes of a failure: nothing yet, or the address is paused and its players are told.

    What is not proven never pauses by itself: anybody could write it.  Only where a letter went
    there lately it counts, once a day; if it goes on for a week without a mail from the address,
    that is paused, with a last letter to it: where somebody has made it up, one reply ends it.
    """
    awake = or_(Address.woken_at.is_(None), Address.woken_at <= failure.written_at)
    rows = _rows(work, Address.address == failure.address.lower(), awake)
    if not rows:
        return []
    if failure.lasting and failure.proven:
        return _paused(work, rows, BOUNCED, failure.reason)
    since = _failing_since(work, rows[0], failure)
    if since is None:
        return []
    if work.now - since >= WEEK:
        # A mailbox that was full may have room again, too.
        return _paused(work, rows, BOUNCED, failure.reason, last_letter=True)
    _change(work, rows, {"failing_since": since, "failed_at": work.now})
    return []


def _failing_since(work: UnitOfWork, row: Any, failure: Failure) -> int | None:  # a row of _rows
    """Since when letters fail, this failure included; None where it does not count."""
    since, latest = row.failing_since, row.failed_at
    begun = min(work.now, max(failure.written_at, work.now - IN_A_QUEUE))
    if failure.proven:
        if since is None or latest < work.now - FORGOTTEN:
            return begun
        # A letter that has not come back in so long a time has arrived.
        arrived = _was_written_to(work, row.address, since, work.now - IN_A_QUEUE)
        return begun if arrived else int(since)
    if latest is not None and latest > work.now - DAY:
        return None
    if not _was_written_to(work, row.address, work.now - LATELY, work.now):
        return None
    return work.now if since is None or latest < work.now - STEADY else int(since)


def asked(work: UnitOfWork, player: int | None, address: str) -> list[Letter]:
    """No more letters to an address, as somebody there asked; one says so, and how to go on.

    `player` is whose letter it was, None where it was an answer: then it is about all players of
    that address.  Where it was never confirmed not even that one letter goes there.
    """
    rows = _rows(work, *_whose(player, address))
    return _paused(work, rows, ASKED, "", last_letter=True)


def complained(work: UnitOfWork, player: int | None, address: str) -> None:
    """Nothing but letters of their own games for who complained of one; `set` changes it back."""
    row = models.Player
    theirs = select(Address.player_id).where(
        *_whose(player, address), Address.confirmed_at.is_not(None)
    )
    change = update(row).where(row.id.in_(theirs)).values(letters=GAMES)
    if not work.connection.execute(change).rowcount:
        asked(work, player, address)


def of_address(work: UnitOfWork, address: str) -> _Rows:
    """The rows of an address, one for each player who has named it as theirs."""
    return work.connection.execute(_OF_ADDRESS, {"address": address.lower()}).all()


def heard_from(work: UnitOfWork, written_from: _Rows, account: int | None) -> list[Woken]:
    """A person wrote from an address, or the owner of an account showed the password: they wake.

    `written_from` are the rows of that address.  A password wakes what was paused on request;
    whether a dead address works again it cannot say.
    """
    rows = [
        each
        for each in written_from
        if each.paused_at is not None or each.failing_since is not None
    ]
    if account is not None:
        theirs = work.connection.execute(_RESTING, {"player": account}).all()
        rows = [*rows, *(each for each in theirs if each not in rows)]
    woken = [
        Woken(each.player_id, each.address, not _others(work, each))
        for each in rows
        if each.paused_at is not None and each.confirmed_at is not None
    ]
    if rows:
        _change(work, rows, {**_WELL, "woken_at": work.now})
    return woken


def welcomed(work: UnitOfWork, woken: Sequence[Woken]) -> list[Letter]:
    """What players get whose address is awake: how their boards stand, once for each player."""
    letters = []
    for each in {each.player: each for each in woken}.values():
        _release(work, each)
        boards = digest.of_player(work, each.player, each.address) if each.alone else []
        told: Awake = {"userid": _name(work, each.player), "address": each.address}
        letters += boards or [AWAKE.to(each.player, told, address=each.address)]
    return letters


def _release(work: UnitOfWork, woken: Woken) -> None:
    """What others wrote to a player who got no letters leaves now."""
    row = OutboxLetter
    kept = and_(row.player_id == woken.player, hold.IS_HELD, row.kind == MESSAGE)
    change = {"state": states.DUE, "due_at": work.now, "address": woken.address}
    work.connection.execute(update(row).where(kept).values(change))


def news(work: UnitOfWork, player: int) -> list[Letter]:
    """What a player has not been told yet, for whoever asked: letters came back."""
    unknown = and_(Address.paused_by == BOUNCED, Address.told.is_(False))
    query = select(Address.__table__).where(
        Address.player_id == player, Address.confirmed_at.is_not(None), unknown
    )
    rows = work.connection.execute(query).all()
    if not rows:
        return []
    _change(work, rows, {"told": True})
    until = vacations.granted_until(work, player) or 0
    return [
        PAUSED.to(None, _facts(work, each, BOUNCED, each.paused_reason, until)) for each in rows
    ]


def _whose(player: int | None, address: str) -> list[ColumnElement[bool]]:
    """Which addresses a letter's belongs to: the player's, or those of all who have it."""
    mine = [] if player is None else [Address.player_id == player]
    return [Address.address == address.lower(), *mine]


def _rows(work: UnitOfWork, *conditions: Any) -> _Rows:  # SQLAlchemy's own
    """The addresses that fit and are not paused; several players may have the same one."""
    query = select(Address.__table__).where(Address.paused_at.is_(None), *conditions)
    return work.connection.execute(query.order_by(Address.id)).all()


def _paused(
    work: UnitOfWork, rows: _Rows, by: str, reason: str, *, last_letter: bool = False
) -> list[Letter]:
    """Pause an address of one or several players; what they and their fellow players are told."""
    letters: list[Letter] = []
    _change(work, rows, {**_WELL, "paused_at": work.now, "paused_by": by, "paused_reason": reason})
    for row in rows:
        _withdraw(work, row)
        if by == BOUNCED:
            operator_alerts.note(work.connection, "paused", row.address, reason, work.now)
        until, elsewhere = 0, _others(work, row)
        if by == ASKED and elsewhere:
            until = vacations.granted_until(work, row.player_id) or 0
        elif row.confirmed_at is not None:
            until, told = vacations.granted(work, row.player_id, _name(work, row.player_id))
            letters += told
        facts = _facts(work, row, by, reason, until, elsewhere=elsewhere)
        if last_letter and row.confirmed_at is not None:
            letters.append(PAUSED.to(row.player_id, facts, address=row.address))
        if by == BOUNCED and elsewhere:
            _change(work, [row], {"told": True})
            letters.append(PAUSED.to(row.player_id, facts))
    return letters


def _withdraw(work: UnitOfWork, row: Any) -> None:  # a row of _rows
    """Letters that have not left yet stay; what others wrote waits with what comes."""
    letter = OutboxLetter
    waiting = and_(
        letter.address == row.address, letter.player_id == row.player_id, letter.state == states.DUE
    )
    change = update(letter).where(waiting)
    if not _others(work, row):
        kept = letter.kind.in_({*hold.OF_BOARDS, MESSAGE})
        work.connection.execute(change.where(kept).values(state=states.HELD))
    work.connection.execute(change.values(state=states.DROPPED, facts="", token=""))


def _others(work: UnitOfWork, row: Any) -> bool:  # a row of _rows
    """Whether the player has another address that letters go to."""
    query = select(Address.id).where(
        Address.player_id == row.player_id,
        Address.id != row.id,
        Address.confirmed_at.is_not(None),
        Address.paused_at.is_(None),
    )
    return work.connection.execute(query.limit(1)).first() is not None


def _was_written_to(work: UnitOfWork, address: str, since: int, until: int) -> bool:
    """Whether a letter left for an address in that time and is not known to have come back."""
    row = OutboxLetter
    latest = select(func.max(row.id)).scalar_subquery()
    query = select(row.id).where(
        row.id > latest - MOST_LOOKED_AT,
        row.address == address,
        row.state == states.SENT,
        row.written_at.between(since, until),
    )
    return work.connection.execute(query.limit(1)).first() is not None


def _change(work: UnitOfWork, rows: _Rows, values: dict[str, object]) -> None:
    change = update(Address).where(Address.id.in_([row.id for row in rows]))
    work.connection.execute(change.values(values))


def _name(work: UnitOfWork, player: int) -> str:
    return accounts.named(work.connection, [player])[0].userid


def _facts(
    work: UnitOfWork, row: Any, by: str, reason: str, until: int, *, elsewhere: bool = False
) -> Paused:
    return {
        "userid": _name(work, row.player_id),
        "address": row.address,
        "by": by,
        "reason": reason,
        "until": until,
        "server": work.address,
        "elsewhere": elsewhere,
    }
