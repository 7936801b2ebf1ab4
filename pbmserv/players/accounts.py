"""Players: who is this, and where do letters reach them.

Accounts, their addresses and the proof of a password are here.  How a password is hashed is in
`security/passwords.py`, what the tokens are made of in `security/tokens.py`, and the words for
every refusal in `letters/`.  Moments are seconds since 1970.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    delete,
    exists,
    insert,
    or_,
    select,
    update,
)

from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.errors import Refused
from pbmserv.monitoring import action_log
from pbmserv.players import account_suspension, login_throttle
from pbmserv.players.login_throttle import Gate, everybody
from pbmserv.players.userids import check_userid, skeleton, skeletons
from pbmserv.players.validation import address_keys
from pbmserv.security.passwords import Passwords
from pbmserv.timeunits import DAY

CONFIRMATION_SECONDS = 14 * DAY  # how long a confirmation, and an unconfirmed account, lives


@dataclass(frozen=True, slots=True)
class Player:
    """Somebody with a userid, spelled as at the signup.  `language` is that of the letters."""

    id: int
    userid: str
    language: str


_PLAYER = select(models.Player.id, models.Player.userid, models.Player.language)
_CONFIRMED = models.Address.confirmed_at.is_not(None)
_OF_ADDRESSES = ["address", "addresses"]  # what is asked of those who read one


def find(connection: Connection, userid: str) -> Player | None:
    """The player with this userid, in whatever case it is written; None if there is none."""
    row = connection.execute(_PLAYER.where(models.Player.userid_key == userid.lower())).first()
    return Player(*row) if row else None


def named(connection: Connection, ids: Sequence[int]) -> list[Player]:
    """The players with these numbers, in this order; a KeyError for a number of nobody's."""
    rows = connection.execute(_PLAYER.where(models.Player.id.in_(set(ids))))
    found = {row.id: Player(*row) for row in rows}
    return [found[number] for number in ids]


def addresses_of(
    connection: Connection, ids: Collection[int], *, confirmed: bool = True
) -> dict[int, list[str]]:
    """The addresses of each of these players, oldest first; those not confirmed only on demand."""
    query = select(models.Address.player_id, models.Address.address).order_by(models.Address.id)
    query = query.where(models.Address.player_id.in_(ids))
    found: dict[int, list[str]] = {number: [] for number in ids}
    for number, address in connection.execute(query.where(_CONFIRMED) if confirmed else query):
        found[number].append(address)
    return found


def player_of_address(connection: Connection, address: str) -> Player | None:
    """The player who confirmed this address; where several share it, the first who signed up."""
    return next(iter(players_of_address(connection, address)), None)


def players_of_address(connection: Connection, address: str) -> list[Player]:
    """The players who confirmed this address, in the order in which they signed up.

    Not those whose account the operator has closed.
    """
    query = _PLAYER.join(models.Address, models.Address.player_id == models.Player.id)
    mine = models.Address.address == address.lower(), models.Player.closed.is_(False)
    query = query.where(*mine, _CONFIRMED)
    return [Player(*row) for row in connection.execute(query.order_by(models.Player.id))]


def number_at(connection: Connection, address: str) -> int | None:
    """The number of the player whose address it is, who reads what is answered there."""
    player = player_of_address(connection, address)
    return player.id if player else None


def sign_up(
    connection: Connection,
    userid: str,
    password_hash: str,
    addresses: Iterable[str],
    *,
    confirmed: bool,
    now: int,
    ours: Sequence[str] = (),
) -> tuple[int, dict[int, str]]:
    """Open an account: the player's number, and the addresses by their numbers.

    `ours` are the server's own addresses.  Raises Refused `bad_userid`, `userid_taken`,
    `userid_alike`, or as `accounts.address_keys`.  A userid whose owner confirmed nothing for 14
    days is free again, but not that of a player who has left.
    """
    check_userid(userid)
    written = address_keys(addresses, ours)
    player = _open_account(connection, userid, password_hash, now)
    rows = [
        {"player_id": player, "address": each, "confirmed_at": now if confirmed else None}
        for each in written
    ]
    connection.execute(insert(models.Address), rows)
    numbers = select(models.Address.id, models.Address.address).order_by(models.Address.id)
    found = connection.execute(numbers.where(models.Address.player_id == player))
    return player, {row.id: row.address for row in found}


def _open_account(connection: Connection, userid: str, password_hash: str, now: int) -> int:
    check_free(connection, userid, now)
    values = {
        "userid": userid,
        "userid_key": userid.lower(),
        "skeleton": skeleton(userid),
        "password_hash": password_hash,
        "language": "en",
        "created_at": now,
    }
    number = connection.execute(insert(models.Player).returning(models.Player.id), values)
    return number.scalar_one()


def check_free(connection: Connection, userid: str, now: int, own: int | None = None) -> None:
    """Raise Refused `userid_taken` or `userid_alike` where somebody else has it, or its like.

    `own` is the player who is to have it.  Raises `bad_userid`, too.

    Who signed off has no address any more, yet the name stays theirs: records and seats hold it.
    Accounts that nobody confirmed in time are forgotten on the way.
    """
    check_userid(userid)
    row, key = models.Player, userid.lower()
    similar = or_(row.userid_key == key, row.skeleton.in_(skeletons(userid)))
    late = connection.execute(select(row.id).where(similar, *_is_late(now))).scalars()
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
    """Forget accounts and addresses that nobody confirmed within 14 days, `most` of each.

    As long as a change of addresses waits for the old ones, its new ones wait, too.  Returns
    whether there were any.
    """
    row, asked = models.Address, models.Confirmation
    late = select(models.Player.id).join(row, row.player_id == models.Player.id)
    late = late.where(row.confirmed_at.is_(None), *_is_late(now)).distinct().limit(most)
    accounts = connection.execute(late).scalars().all()
    _forget(connection, accounts)
    is_open = exists().where(
        or_(asked.address_id == row.id, asked.player_id == row.player_id),
        asked.purpose.in_(_OF_ADDRESSES),
        asked.asked_at > now - CONFIRMATION_SECONDS,
    )
    spare = select(row.id).join(models.Player, models.Player.id == row.player_id)
    spare = spare.where(row.confirmed_at.is_(None), ~is_open, _is_confirmed()).limit(most)
    ids = connection.execute(spare).scalars().all()
    if ids:
        connection.execute(delete(asked).where(asked.address_id.in_(ids)))
        connection.execute(delete(row).where(row.id.in_(ids)))
    return bool(accounts or ids)


def _is_late(now: int) -> tuple[ColumnElement[bool], ...]:
    """What holds for the rows of accounts that nobody confirmed within 14 days."""
    row = models.Player
    before = row.created_at <= now - CONFIRMATION_SECONDS
    return before, row.level == "", row.left_at.is_(None), ~_is_confirmed()


def _forget(connection: Connection, ids: Sequence[int]) -> None:
    """Forget accounts that were never confirmed, with all that refers to them."""
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
    """Remember that this address is to be confirmed by the token of this digest.

    `proven`: whoever asks has proven to read the address.
    """
    over = models.Confirmation.asked_at <= now - CONFIRMATION_SECONDS
    connection.execute(delete(models.Confirmation).where(over))
    values = {"digest": digest, "address_id": address_id, "proven": proven, "asked_at": now}
    connection.execute(insert(models.Confirmation).values(values))


def confirm(connection: Connection, digest: str, now: int) -> tuple[Player, str]:
    """Confirm the address that a letter with this token's digest went to.

    Doing it again within the 14 days changes nothing and is no error.  Raises Refused
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
    """Who this is, if the password is right.

    `origin` says where the attempt comes from, and `proven` whether that is proven, as in
    `login_throttle`.  `gate` is called before a hash would be made, and told who asks; it may
    raise.  It comes before the failures: what it says must not tell whose address the origin is.
    To be called outside of any transaction: hashing takes long, and nobody is to wait for it.
    Raises Refused `too_many_attempts`, `not_confirmed`, or `wrong_password`: the same, and in the
    same time, for a userid that does not exist.
    """
    key = userid.lower()
    with reading(engine) as connection:
        known = models.Player
        query = select(known.password_hash, known.suspended_until, known.closed, _is_confirmed())
        query = query.add_columns(*_PLAYER.selected_columns)
        row = connection.execute(query.where(models.Player.userid_key == key)).first()
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


def _is_confirmed() -> ColumnElement[bool]:
    """Whether the player of the row has an address that letters may go to."""
    mine = models.Address.player_id == models.Player.id
    return exists().where(mine, _CONFIRMED).correlate(models.Player).label("is_confirmed")
