"""Accounts, their addresses, and the check of a player's password.

`security/passwords.py` hashes passwords, and `security/tokens.py` makes tokens.  `letters/` has the
words for every refusal.  Moments are seconds since 1970.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Engine,
    Select,
    bindparam,
    delete,
    exists,
    insert,
    or_,
    select,
    update,
)

from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.database.prepared_statements import Prepared
from pbmserv.errors import Refused
from pbmserv.fast_dataclasses import dataclass
from pbmserv.monitoring import action_log
from pbmserv.players import account_suspension, login_throttle
from pbmserv.players.login_throttle import Gate, everybody
from pbmserv.players.userids import check_userid, skeleton, skeletons
from pbmserv.players.validation import address_keys
from pbmserv.security.passwords import Passwords
from pbmserv.timeunits import DAY

CONFIRMATION_SECONDS = 14 * DAY  # how long a confirmation, or an unconfirmed account, is kept


@dataclass(frozen=True, slots=True)
class Player:
    """A player; `userid` is spelled as at the signup, `language` is that of the letters."""

    id: int
    userid: str
    language: str


class Awaiting(NamedTuple):
    """A new account that works once an address is confirmed, with the ids of both."""

    player: int
    userid: str
    address: int


# Statements that many emails run are built once.
_PLAYER = select(models.Player.id, models.Player.userid, models.Player.language)
_CONFIRMED = models.Address.confirmed_at.is_not(None)
_BY_USERID = _PLAYER.where(models.Player.userid_key == bindparam("userid"))
_BY_IDS = _PLAYER.where(models.Player.id.in_(bindparam("ids", expanding=True)))
_OF_ADDRESS = (
    _PLAYER.join(models.Address, models.Address.player_id == models.Player.id)
    .where(models.Address.address == bindparam("address"), models.Player.closed.is_(False))
    .where(_CONFIRMED)
    .order_by(models.Player.id)
)
_OF_ADDRESSES = ["address", "addresses"]  # the purposes of confirmations of an address


def find(connection: Connection, userid: str) -> Player | None:
    """The player with this userid, in upper or lower case; None if there is none."""
    row = connection.execute(_BY_USERID, {"userid": userid.lower()}).first()
    return Player(*row) if row else None


def named(connection: Connection, ids: Sequence[int]) -> list[Player]:
    """The players with these ids, in this order; raises KeyError for an unknown id."""
    found = {row.id: Player(*row) for row in connection.execute(_BY_IDS, {"ids": list(set(ids))})}
    return [found[number] for number in ids]


def created_at(connection: Connection, player: int) -> int:
    """When a player's account was opened."""
    row = models.Player
    query = select(row.created_at).where(row.id == player)
    return int(connection.execute(query).scalar_one())


def addresses_of(
    connection: Connection, ids: Collection[int], *, confirmed: bool = True
) -> dict[int, list[str]]:
    """The addresses of each of these players, oldest first; all, or only `confirmed` ones."""
    query = select(models.Address.player_id, models.Address.address).order_by(models.Address.id)
    query = query.where(models.Address.player_id.in_(ids))
    found: dict[int, list[str]] = {number: [] for number in ids}
    for number, address in connection.execute(query.where(_CONFIRMED) if confirmed else query):
        found[number].append(address)
    return found


def player_of_address(connection: Connection, address: str) -> Player | None:
    """The player who confirmed this address; of several, the one who signed up first."""
    return next(iter(players_of_address(connection, address)), None)


def players_of_address(connection: Connection, address: str) -> list[Player]:
    """The players who confirmed this address, in the order in which they signed up.

    Players whose account the operator has closed are left out.
    """
    return [Player(*row) for row in connection.execute(_OF_ADDRESS, {"address": address.lower()})]


def awaiting(connection: Connection, address: str, now: int) -> list[Awaiting]:
    """The new accounts that work once this address is confirmed, oldest first."""
    given = {"address": address.lower(), "since": now - CONFIRMATION_SECONDS}
    return [Awaiting(*each) for each in _awaiting().rows(connection, given)]


@cache
def _awaiting() -> Prepared:
    player, row = models.Player, models.Address
    address = row.id.label("address_id")
    query = select(player.id, player.userid, address).join(row, row.player_id == player.id)
    query = query.where(row.address == bindparam("address"), player.left_at.is_(None))
    query = query.where(player.created_at > bindparam("since"), ~_is_confirmed())
    return Prepared(query.order_by(player.id))


def sign_up(
    connection: Connection,
    userid: str,
    password_hash: str,
    addresses: Iterable[str],
    *,
    confirmed: bool,
    now: int,
    ours: Sequence[str] = (),
    preferences: Mapping[str, str] = MappingProxyType({}),
) -> tuple[int, dict[int, str]]:
    """Create an account; returns the player's id, and the addresses by their ids.

    `ours` are the server's own addresses, and `preferences` those that are not the usual ones.
    Raises Refused `bad_userid`, `userid_taken`, `userid_alike`, or as `validation.address_keys`.  A
    userid is free again if its owner confirmed no address within 14 days.  The userid of a player
    who has left is never free.
    """
    check_userid(userid)
    written = address_keys(addresses, ours)
    player = _open_account(connection, userid, password_hash, preferences, now)
    rows = [
        {"player_id": player, "address": each, "confirmed_at": now if confirmed else None}
        for each in written
    ]
    connection.execute(insert(models.Address), rows)
    numbers = select(models.Address.id, models.Address.address).order_by(models.Address.id)
    found = connection.execute(numbers.where(models.Address.player_id == player))
    return player, {row.id: row.address for row in found}


def _open_account(
    connection: Connection,
    userid: str,
    password_hash: str,
    preferences: Mapping[str, str],
    now: int,
) -> int:
    check_free(connection, userid, now)
    values = {
        "userid": userid,
        "userid_key": userid.lower(),
        "skeleton": skeleton(userid),
        "password_hash": password_hash,
        "created_at": now,
        **preferences,
    }
    number = connection.execute(insert(models.Player).returning(models.Player.id), values)
    return number.scalar_one()


def check_free(connection: Connection, userid: str, now: int, own: int | None = None) -> None:
    """Raise Refused `userid_taken` or `userid_alike` if another player has it or a similar one.

    Also raises `bad_userid`.  `own` is the id of the player who is to get the userid, if there is
    one.  Players who signed off keep their userid, because records and seats name it.  Accounts
    with a similar userid that were not confirmed in time are deleted first.
    """
    check_userid(userid)
    row, key = models.Player, userid.lower()
    similar = or_(row.userid_key == key, row.skeleton.in_(skeletons(userid)))
    late = connection.execute(
        select(row.id).where(similar, *_is_late(now - CONFIRMATION_SECONDS))
    ).scalars()
    _forget(connection, late.all())
    others = row.id != (own or 0)
    found = connection.execute(select(row.userid, row.userid_key).where(similar, others)).all()
    was_renamed = (
        own is None and action_log.latest(connection, action_log.RENAME, about=key) is not None
    )
    if was_renamed or any(each.userid_key == key for each in found):
        raise Refused("userid_taken", userid=userid)
    if found:
        raise Refused("userid_alike", userid=userid, like=found[0].userid)


def forget_unconfirmed(connection: Connection, now: int, most: int) -> bool:
    """Delete accounts and addresses not confirmed within 14 days, at most `most` of each.

    New addresses are kept while the change of addresses still waits for an answer from the old
    ones.  Returns whether there were any to delete.
    """
    row, asked = models.Address, models.Confirmation
    given = {"before": now - CONFIRMATION_SECONDS, "most": most}
    accounts = [row.id for row in _late_accounts().rows(connection, given)]
    _forget(connection, accounts)
    ids = connection.execute(_spare_addresses(), given).scalars().all()
    if ids:
        connection.execute(delete(asked).where(asked.address_id.in_(ids)))
        connection.execute(delete(row).where(row.id.in_(ids)))
    return bool(accounts or ids)


@cache
def _late_accounts() -> Prepared:
    row = models.Address
    late = select(models.Player.id).join(row, row.player_id == models.Player.id)
    late = late.where(row.confirmed_at.is_(None), *_is_late(bindparam("before")))
    return Prepared(late.distinct().limit(bindparam("most")))


@cache
def _spare_addresses() -> Select[int]:
    """The new addresses of confirmed accounts for which no confirmation is awaited."""
    row, asked = models.Address, models.Confirmation
    is_open = exists().where(
        or_(asked.address_id == row.id, asked.player_id == row.player_id),
        asked.purpose.in_(_OF_ADDRESSES),
        asked.asked_at > bindparam("before"),
    )
    spare = select(row.id).join(models.Player, models.Player.id == row.player_id)
    spare = spare.where(row.confirmed_at.is_(None), ~is_open, _is_confirmed())
    return spare.limit(bindparam("most"))


def _is_late(before: int | BindParameter[int]) -> tuple[ColumnElement[bool], ...]:
    """The conditions for rows of accounts from before a moment that were not confirmed."""
    row = models.Player
    return row.created_at <= before, row.level == "", row.left_at.is_(None), ~_is_confirmed()


def _forget(connection: Connection, ids: Sequence[int]) -> None:
    """Delete accounts that were never confirmed, with all rows that refer to them."""
    if not ids:
        return
    mine = select(models.Address.id).where(models.Address.player_id.in_(ids))
    asked, letter = models.Confirmation, models.OutboxLetter
    connection.execute(
        delete(asked).where(or_(asked.address_id.in_(mine), asked.player_id.in_(ids)))
    )
    connection.execute(delete(models.Address).where(models.Address.player_id.in_(ids)))
    connection.execute(update(letter).where(letter.player_id.in_(ids)).values(player_id=None))
    connection.execute(delete(models.Player).where(models.Player.id.in_(ids)))


def ask_confirmation(
    connection: Connection, address_id: int, digest: str, now: int, *, proven: bool = False
) -> None:
    """Store the digest of the token that confirms this address, and delete expired confirmations.

    `proven`: the sender of the request has proven to read the address.
    """
    over = models.Confirmation.asked_at <= now - CONFIRMATION_SECONDS
    connection.execute(delete(models.Confirmation).where(over))
    values = {"digest": digest, "address_id": address_id, "proven": proven, "asked_at": now}
    connection.execute(insert(models.Confirmation).values(values))


def confirm(connection: Connection, digest: str, now: int) -> tuple[Player, str]:
    """Confirm the address to which a letter with this token's digest was sent.

    Repeating it within the 14 days changes nothing and raises nothing.  Raises Refused
    `confirmation_unknown`.
    """
    query = (
        select(models.Address.id, models.Address.address, models.Address.player_id)
        .join(models.Confirmation, models.Confirmation.address_id == models.Address.id)
        .where(models.Confirmation.digest == digest)
        .where(models.Confirmation.asked_at > now - CONFIRMATION_SECONDS)
    )
    row = connection.execute(query).first()
    if row is None:
        raise Refused("confirmation_unknown")
    waiting = models.Address.confirmed_at.is_(None)
    connection.execute(
        update(models.Address).where(models.Address.id == row.id, waiting).values(confirmed_at=now)
    )
    return named(connection, [row.player_id])[0], row.address


def authenticate(
    engine: Engine,
    passwords: Passwords,
    userid: str,
    password: str,
    origin: str,
    now: int,
    gate: Gate = everybody,
    *,
    proven: bool = False,
) -> Player:
    """The player with this userid, if the password is right.

    `origin` says where the attempt comes from, and `proven` whether that is proven, as in
    `login_throttle`.  `gate` is called with the asker before a hash is made; it may raise.  It runs
    before the throttle is applied, so that its answer does not reveal whose address the origin is.

    Call this outside of any transaction, because hashing takes long.  Raises Refused
    `too_many_attempts`, `not_confirmed`, `account_closed`, `account_suspended` or `wrong_password`.
    An unknown userid gives `wrong_password` after the same time.
    """
    key = userid.lower()
    with reading(engine) as connection:
        row = connection.execute(_to_authenticate(), {"userid": key}).first()
        stored = row.password_hash if row else None
        is_free = passwords.remembers(key, stored, password, now)
        asker = login_throttle.asker(connection, key, origin, proven=proven)
        is_locked = login_throttle.are_too_many(connection, key, origin, now, proven=proven)
    if not is_free:
        gate(asker)
    if is_locked:
        raise Refused("too_many_attempts", minutes=login_throttle.SECONDS // 60)
    if not passwords.prove(key, stored, password, now) or row is None:
        with writing(engine, durable=False) as connection:
            login_throttle.note(connection, key, origin, now, proven=proven)
        raise Refused("wrong_password")
    if not row.is_confirmed:
        raise Refused("not_confirmed", userid=row.userid)
    if row.closed:
        raise Refused("account_closed", userid=row.userid)
    account_suspension.check(row.userid, row.suspended_until, now)
    return Player(row.id, row.userid, row.language)


@cache
def _to_authenticate() -> Select[str, int | None, bool, bool]:
    """What `authenticate` has to know of the player with a userid."""
    known = models.Player
    query = select(known.password_hash, known.suspended_until, known.closed, _is_confirmed())
    query = query.add_columns(*_PLAYER.selected_columns)
    return query.where(known.userid_key == bindparam("userid"))


def _is_confirmed() -> ColumnElement[bool]:
    """Whether the player of the row has a confirmed address."""
    mine = models.Address.player_id == models.Player.id
    return exists().where(mine, _CONFIRMED).correlate(models.Player).label("is_confirmed")
