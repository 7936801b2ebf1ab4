"""Players: who is this, and where do letters reach them.

Accounts, their addresses and the proof of a password are here.  How a password is hashed is in
`passwords.py`, what the tokens are made of in `tokens.py`, and the words for every refusal in
`letters/`.  Moments are seconds since 1970.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, Engine, delete, exists, insert, select, update

from pbmserv import failures, models
from pbmserv.accounts import address_key, check_userid
from pbmserv.accounts import check_password as check_password  # noqa: PLC0414 - offered here too
from pbmserv.database import reading, writing
from pbmserv.errors import Refused
from pbmserv.passwords import Passwords
from pbmserv.terms import DAY

CONFIRMATION_SECONDS = 14 * DAY  # how long a confirmation, and an unconfirmed account, lives
MOST_ADDRESSES = 5


@dataclass(frozen=True, slots=True)
class Player:
    """Somebody with a userid, spelled as at the signup.  `language` is that of the letters."""

    id: int
    userid: str
    language: str


_PLAYER = select(models.Player.id, models.Player.userid, models.Player.language)
_CONFIRMED = models.Address.confirmed_at.is_not(None)


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
    """The players who confirmed this address, in the order in which they signed up."""
    query = _PLAYER.join(models.Address, models.Address.player_id == models.Player.id)
    query = query.where(models.Address.address == address.lower(), _CONFIRMED)
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
) -> tuple[int, dict[int, str]]:
    """Open an account: the player's number, and the addresses by their numbers.

    Raises Refused `bad_userid`, `userid_taken`, `bad_address`, `no_address` or
    `too_many_addresses`.  A userid whose owner confirmed nothing for 14 days is free again, but
    not that of a player who has left.
    """
    check_userid(userid)
    written = list(dict.fromkeys(address_key(address) for address in addresses))
    if not written:
        raise Refused("no_address")
    if len(written) > MOST_ADDRESSES:
        raise Refused("too_many_addresses", most=MOST_ADDRESSES, given=len(written))
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
    values = {
        "userid": userid,
        "userid_key": userid.lower(),
        "password_hash": password_hash,
        "language": "en",
        "created_at": now,
    }
    row = models.Player
    query = select(row.id, row.created_at, row.left_at, _is_confirmed())
    found = connection.execute(query.where(row.userid_key == userid.lower())).first()
    if found is None:
        number = connection.execute(insert(models.Player).returning(models.Player.id), values)
        return number.scalar_one()
    player, created_at, left_at, is_confirmed = found
    # Who signed off has no address any more, yet the name stays theirs: records and seats hold it.
    if is_confirmed or left_at is not None or created_at > now - CONFIRMATION_SECONDS:
        raise Refused("userid_taken", userid=userid)
    # Letters may point at the old row, so it is written over instead of being taken away.
    mine = select(models.Address.id).where(models.Address.player_id == player)
    connection.execute(delete(models.Confirmation).where(models.Confirmation.address_id.in_(mine)))
    connection.execute(delete(models.Address).where(models.Address.player_id == player))
    connection.execute(update(models.Player).where(models.Player.id == player).values(values))
    return int(player)


def ask_confirmation(connection: Connection, address_id: int, digest: str, now: int) -> None:
    """Remember that this address is to be confirmed by the token of this digest."""
    over = models.Confirmation.asked_at <= now - CONFIRMATION_SECONDS
    connection.execute(delete(models.Confirmation).where(over))
    values = {"digest": digest, "address_id": address_id, "asked_at": now}
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
    engine: Engine, passwords: Passwords, userid: str, password: str, origin: str, now: int
) -> Player:
    """Who this is, if the password is right.

    `origin` says where the attempt comes from, as in `failures`.  To be called outside of any
    transaction: hashing takes long, and nobody is to wait for it.  Raises Refused
    `too_many_attempts`, `not_confirmed`, or `wrong_password`: the same, and in the same time, for
    a userid that does not exist.
    """
    key = userid.lower()
    with reading(engine) as connection:
        failures.check(connection, key, origin, now)
        query = select(models.Player.password_hash, _is_confirmed(), *_PLAYER.selected_columns)
        row = connection.execute(query.where(models.Player.userid_key == key)).first()
    stored = row.password_hash if row else None
    if not passwords.prove(key, stored, password, now) or row is None:
        with writing(engine, durable=False) as connection:
            failures.note(connection, key, origin, now)
        raise Refused("wrong_password")
    if not row.is_confirmed:
        raise Refused("not_confirmed", userid=row.userid)
    return Player(row.id, row.userid, row.language)


def _is_confirmed() -> ColumnElement[bool]:
    """Whether the player of the row has an address that letters may go to."""
    mine = models.Address.player_id == models.Player.id
    return exists().where(mine, _CONFIRMED).correlate(models.Player).label("is_confirmed")
