"""The suppression list: addresses that get no letters for a while, and how that ends.

The database and the letters call a suppressed address "paused".

A permanent bounce, or temporary bounces for a week, pauses an address; so does a reader who
unsubscribes.  An email from the address ends the pause.  A pause never changes a board.  Once in a
year it stops the player's clocks, for 14 days or until it ends (`vacations.grant`).  The clocks
go on if the reader unsubscribed one address and has another.  `deliverability/bounces.py` proves
which letter bounced.  Moments are seconds since 1970.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, func, or_, select, update

from pbmserv.boards import daily_digest, vacations
from pbmserv.context import UnitOfWork
from pbmserv.database import models
from pbmserv.database.models import Address, OutboxLetter, Player, states
from pbmserv.fast_dataclasses import dataclass
from pbmserv.letters.payloads.accounts import AWAKE, PAUSED, Awake, Paused
from pbmserv.letters.payloads.letter import Letter
from pbmserv.monitoring import operator_alerts
from pbmserv.outbox import held_letters
from pbmserv.outbox.recipients import ASKED, BOUNCED, GAMES, MESSAGE
from pbmserv.players import accounts
from pbmserv.timeunits import DAY

WEEK = 7 * DAY  # of temporary failures, after which they count as permanent
FORGOTTEN = 30 * DAY  # a failure so long ago is not related to the next one
IN_A_QUEUE = 5 * DAY  # how long a mail server may try before a letter bounces
LATELY = 7 * DAY  # the greatest age of a letter that a bounce without its stamp may be about
STEADY = 3 * DAY  # the longest time between bounces without a stamp that count together
MOST_LOOKED_AT = 20_000  # the latest letters, among which one to an address is looked for

_WELL = {
    "paused_at": None,
    "paused_by": "",
    "paused_reason": "",
    "told": False,
    "failing_since": None,
    "failed_at": None,
}
ROWS = select(Address.__table__, Player.userid, Player.language, Player.closed).join(
    Player, Player.id == Address.player_id
)
"""The rows of addresses, each with the account of the player who has named it."""
_OF_ADDRESS = ROWS.where(Address.address == bindparam("address")).order_by(Address.id)
_RESTING = select(Address.__table__).where(
    Address.player_id == bindparam("player"), Address.paused_by == ASKED
)
_UNTOLD = select(Address.__table__).where(
    Address.player_id == bindparam("player"),
    Address.confirmed_at.is_not(None),
    Address.paused_by == BOUNCED,
    Address.told.is_(False),
)
_Rows = Sequence[Any]  # rows of `Address`


@dataclass(frozen=True, slots=True)
class Failure:
    """A letter to an address failed; `lasting`: the next one will fail, too.

    `written_at` is when the letter was written.  `proven`: the report cannot be forged.
    """

    address: str
    written_at: int
    lasting: bool
    reason: str
    proven: bool = True


@dataclass(frozen=True, slots=True)
class Woken:
    """An address that gets letters again; `alone`: the player had no other one that works."""

    player: int
    address: str
    alone: bool


def failed(work: UnitOfWork, failure: Failure) -> list[Letter]:
    """Handle a failure: wait, or pause the address and return the letters about it.

    An unproven failure never pauses an address by itself, because it can be forged.  It counts only
    once a day, and only if a letter was sent there lately.  Failures for a week without an email
    from the address pause the address after a last letter.  If the failures were forged, one reply
    to that letter ends the pause.
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
        # A mailbox that was full may have space again.
        return _paused(work, rows, BOUNCED, failure.reason, last_letter=True)
    _change(work, rows, {"failing_since": since, "failed_at": work.now})
    return []


def _failing_since(work: UnitOfWork, row: Any, failure: Failure) -> int | None:  # a row of _rows
    """Since when letters fail, with this failure; None if the failure does not count."""
    since, latest = row.failing_since, row.failed_at
    begun = min(work.now, max(failure.written_at, work.now - IN_A_QUEUE))
    if failure.proven:
        if since is None or latest < work.now - FORGOTTEN:
            return begun
        # A letter that has not bounced after so long has arrived.
        arrived = _was_written_to(work, row.address, since, work.now - IN_A_QUEUE)
        return begun if arrived else int(since)
    if latest is not None and latest > work.now - DAY:
        return None
    if not _was_written_to(work, row.address, work.now - LATELY, work.now):
        return None
    return work.now if since is None or latest < work.now - STEADY else int(since)


def asked(work: UnitOfWork, player: int | None, address: str) -> list[Letter]:
    """Pause an address whose reader unsubscribed; one letter confirms it and says how to resume.

    `player` is the reader of the unsubscribed letter.  It is None if that letter was an answer;
    then all players with that address are meant.  An address that was never confirmed does not get
    the letter.
    """
    rows = _rows(work, *_whose(player, address))
    return _paused(work, rows, ASKED, "", last_letter=True)


def note_complaint(work: UnitOfWork, player: int | None, address: str) -> None:
    """After a complaint, send the player only letters of own games; `set` changes it back."""
    row = models.Player
    theirs = select(Address.player_id).where(
        *_whose(player, address), Address.confirmed_at.is_not(None)
    )
    change = update(row).where(row.id.in_(theirs)).values(letters=GAMES)
    if not work.connection.execute(change).rowcount:
        asked(work, player, address)


def of_address(work: UnitOfWork, address: str) -> _Rows:
    """The rows of an address, one for each player who has named it, with the player's account."""
    return work.connection.execute(_OF_ADDRESS, {"address": address.lower()}).all()


def confirmed_by(rows: _Rows) -> list[accounts.Player]:
    """The players who confirmed an address, from its rows; as `accounts.players_of_address`."""
    mine = [each for each in rows if each.confirmed_at is not None and not each.closed]
    found = [accounts.Player(each.player_id, each.userid, each.language) for each in mine]
    return sorted(found, key=lambda each: each.id)


def heard_from(work: UnitOfWork, written_from: _Rows, account: int | None) -> list[Woken]:
    """End pauses after a person wrote from an address, or an account's owner gave the password.

    `written_from` are the rows of that address.  A password of `account` ends only pauses that a
    reader asked for.  It does not show that a dead address works again.
    """
    rows = [
        each
        for each in written_from
        if each.paused_at is not None or each.failing_since is not None
    ]
    if account is not None:
        theirs = work.connection.execute(_RESTING, {"player": account}).all()
        known = {each.id for each in rows}
        rows = [*rows, *(each for each in theirs if each.id not in known)]
    woken = [
        Woken(each.player_id, each.address, not _others(work, each))
        for each in rows
        if each.paused_at is not None and each.confirmed_at is not None
    ]
    if rows:
        _change(work, rows, {**_WELL, "woken_at": work.now})
    return woken


def welcomed(work: UnitOfWork, woken: Sequence[Woken]) -> list[Letter]:
    """The letters to players whose address works again: their boards, once for each player."""
    letters = []
    for each in {each.player: each for each in woken}.values():
        _release(work, each)
        userid = _name(work, each.player)
        letters += vacations.end_granted(work, each.player, userid)
        boards = daily_digest.of_player(work, each.player, each.address) if each.alone else []
        told: Awake = {"userid": userid, "address": each.address}
        letters += boards or [AWAKE.to(each.player, told, address=each.address)]
    return letters


def _release(work: UnitOfWork, woken: Woken) -> None:
    """Send the messages of others that were kept while the player got no letters."""
    row = OutboxLetter
    kept = and_(row.player_id == woken.player, held_letters.IS_HELD, row.kind == MESSAGE)
    change = {"state": states.DUE, "due_at": work.now, "address": woken.address}
    work.connection.execute(update(row).where(kept).values(change))


def news(work: UnitOfWork, player: int) -> list[Letter]:
    """The letters about pauses that a player was not told of yet, for the sender of a command."""
    rows = work.connection.execute(_UNTOLD, {"player": player}).all()
    if not rows:
        return []
    _change(work, rows, {"told": True})
    until = vacations.granted_until(work, player) or 0
    return [
        PAUSED.to(None, _payload(work, each, BOUNCED, each.paused_reason, until)) for each in rows
    ]


def _whose(player: int | None, address: str) -> list[ColumnElement[bool]]:
    """The condition for an address of one player, or of all players who have it."""
    mine = [] if player is None else [Address.player_id == player]
    return [Address.address == address.lower(), *mine]


def _rows(work: UnitOfWork, *conditions: Any) -> _Rows:  # SQLAlchemy's own
    """The rows that match and are not paused; several players may have the same address."""
    query = select(Address.__table__).where(Address.paused_at.is_(None), *conditions)
    return work.connection.execute(query.order_by(Address.id)).all()


def _paused(
    work: UnitOfWork, rows: _Rows, by: str, reason: str, *, last_letter: bool = False
) -> list[Letter]:
    """Pause an address of one or more players; returns the letters to them and their opponents."""
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
            until, told = vacations.grant(work, row.player_id, _name(work, row.player_id))
            letters += told
        payload = _payload(work, row, by, reason, until, elsewhere=elsewhere)
        if last_letter and row.confirmed_at is not None:
            letters.append(PAUSED.to(row.player_id, payload, address=row.address))
        if by == BOUNCED and elsewhere:
            _change(work, [row], {"told": True})
            letters.append(PAUSED.to(row.player_id, payload))
    return letters


def _withdraw(work: UnitOfWork, row: Any) -> None:  # a row of _rows
    """Drop the letters that wait for a paused address; those of boards and messages are held.

    They are held only if the player has no other address that works.
    """
    letter = OutboxLetter
    waiting = and_(
        letter.address == row.address, letter.player_id == row.player_id, letter.state == states.DUE
    )
    change = update(letter).where(waiting)
    if not _others(work, row):
        kept = letter.kind.in_({*held_letters.OF_BOARDS, MESSAGE})
        work.connection.execute(change.where(kept).values(state=states.HELD))
    work.connection.execute(change.values(state=states.DROPPED, payload="", token=""))


def _others(work: UnitOfWork, row: Any) -> bool:  # a row of _rows
    """Whether the player has another address that gets letters."""
    query = select(Address.id).where(
        Address.player_id == row.player_id,
        Address.id != row.id,
        Address.confirmed_at.is_not(None),
        Address.paused_at.is_(None),
    )
    return work.connection.execute(query.limit(1)).first() is not None


def _was_written_to(work: UnitOfWork, address: str, since: int, until: int) -> bool:
    """Whether a letter was sent to an address in that time and did not bounce."""
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


def _payload(
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
