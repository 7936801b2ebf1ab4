"""Bans: addresses whose emails the server ignores, until a day or until the ban is lifted.

A ban names an address, a domain (with its subdomains), or a pattern with `*` in it.  Bans are
checked before any password, in one statement; patterns take linear time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
)

from pbmserv.database import value_lists
from pbmserv.database.models import Ban
from pbmserv.database.prepared_statements import Prepared
from pbmserv.errors import Refused
from pbmserv.mail.addresses import mailbox, with_normal_domain, without_extension

MOST_PATTERNS = 100  # all of them are compared with the sender of every email
MOST_STARS = 4
FEWEST_LETTERS = 4  # letters and digits of a ban; fewer would cover nearly every address
_LONGEST, _DEEPEST = 320, 10  # characters of a ban; labels of a domain that are looked up
STAR = "*"
NAMES = "name"  # of the parameters of `is_covering`
_FORGET = Prepared(delete(Ban).where(Ban.until <= bindparam("now")))
_IN_FORCE = or_(Ban.until.is_(None), Ban.until > bindparam("now"))


def is_covering(names: int) -> ColumnElement[bool]:
    """Whether a ban is in force, and may cover one of so many names of `names_of`."""
    mine = Ban.pattern.in_(value_lists.parameters(NAMES, names))
    return and_(or_(mine, Ban.is_pattern.is_(True)), _IN_FORCE)


@cache
def _covering(names: int) -> Select[str]:
    return select(Ban.pattern).where(is_covering(names))


def covering(connection: Connection, addresses: Iterable[str | None], now: int) -> str:
    """The ban that covers one of these addresses, "" for none; `now` in seconds since 1970."""
    addresses = list(addresses)
    names = names_of([addresses])
    asked = {**value_lists.named(NAMES, names), "now": now}
    query = _covering(value_lists.size_for(names))
    return first_of(connection.execute(query, asked).scalars().all(), addresses)


def names_of(senders: Iterable[Iterable[str | None]]) -> list[str]:
    """The addresses of these senders in all spellings, and their domains: what bans may name."""
    return list({name for each in senders for one in _written(each) for name in _names(one)})


def first_of(found: Iterable[str], addresses: Iterable[str | None]) -> str:
    """The first of the bans that were found that covers one of these addresses; "" for none."""
    written = _written(addresses)
    return next((ban for ban in found if any(is_covered(ban, each) for each in written)), "")


def _written(addresses: Iterable[str | None]) -> set[str]:
    return {with_normal_domain(each) for each in addresses if each and "@" in each}


def check(connection: Connection, addresses: Sequence[str], now: int) -> None:
    """Raise Refused `address_banned` if a ban covers one of these addresses."""
    for address in addresses:
        if covering(connection, [address], now):
            raise Refused("address_banned", address=address)


def is_covered(ban: str, address: str) -> bool:
    """Whether a ban covers an address, in any spelling of its domain."""
    address = with_normal_domain(address)
    if STAR in ban:
        return any(matches(ban, each) for each in _spellings(address))
    return ban in _names(address)


def _names(address: str) -> list[str]:
    """The address in all its spellings, and its domain with all parent domains."""
    labels = address.rpartition("@")[2].split(".")[-_DEEPEST:]
    domains = [".".join(labels[place:]) for place in range(len(labels))]
    return [*_spellings(address), *domains]


def _spellings(address: str) -> set[str]:
    """The address, the address without its plus extension, and its mailbox: all have one owner."""
    if "@" not in address:
        return {address}
    return {address, without_extension(address), mailbox(address)}


def matches(pattern: str, address: str) -> bool:
    """Whether a whole address matches a pattern, in which `*` stands for any characters."""
    first, *middle, last = pattern.split(STAR)
    if len(address) < len(first) + len(last):
        return False
    if not (address.startswith(first) and address.endswith(last)):
        return False
    place, end = len(first), len(address) - len(last)
    for piece in middle:
        found = address.find(piece, place, end)
        if found < 0:
            return False
        place = found + len(piece)
    return True


def add(connection: Connection, text: str, until: int | None, ours: Iterable[str]) -> str:
    """Ban an address, a domain or a pattern; returns the stored form, and replaces an older ban.

    Raises Refused `bad_ban`, or `banned_already` for the same ban with the same end.
    `too_many_bans` is for more than `MOST_PATTERNS` patterns, `our_address` for a ban of one of
    `ours`.
    """
    ban = _read(text)
    for address in ours:
        if is_covered(ban, address):
            raise Refused("our_address", address=address)
    known = connection.execute(select(Ban.until).where(Ban.pattern == ban)).first()
    if known and known[0] == until:
        raise Refused("banned_already", ban=ban)
    connection.execute(delete(Ban).where(Ban.pattern == ban))
    if STAR in ban:
        patterns = select(func.count()).select_from(Ban).where(Ban.is_pattern.is_(True))
        if connection.execute(patterns).scalar_one() >= MOST_PATTERNS:
            raise Refused("too_many_bans", most=MOST_PATTERNS)
    values = {"pattern": ban, "is_pattern": STAR in ban, "until": until}
    connection.execute(insert(Ban).values(values))
    return ban


def lift(connection: Connection, text: str) -> str:
    """Lift a ban, and return its stored form; raises Refused `no_such_ban`."""
    ban = written(text)
    if connection.execute(delete(Ban).where(Ban.pattern == ban)).rowcount == 0:
        raise Refused("no_such_ban", ban=ban[:_LONGEST])
    return ban


def forget(connection: Connection, now: int) -> None:
    """Delete the bans that are over."""
    _FORGET.run(connection, {"now": now})


def listed(connection: Connection, now: int) -> list[tuple[str, int | None]]:
    """Every ban in force, with its end (None: until it is lifted)."""
    query = select(Ban.pattern, Ban.until).where(or_(Ban.until.is_(None), Ban.until > now))
    return [(pattern, until) for pattern, until in connection.execute(query.order_by(Ban.pattern))]


def left_of(connection: Connection, lifted: str, now: int) -> list[str]:
    """The bans in force that cover a part of what a lifted ban covered."""
    found = [ban for ban, _ in listed(connection, now)]
    return [ban for ban in found if is_covered(lifted, ban) or is_covered(ban, lifted)]


def written(text: str) -> str:
    """The address, domain or pattern in the one form in which bans are stored.

    A Gmail address is stored as its mailbox, because its owner can write it in many ways.  A domain
    is stored in its normal spelling.
    """
    ban = with_normal_domain(text.strip().removeprefix("@"))
    whole = "" if STAR in ban or "@" not in ban else mailbox(ban)
    return whole if whole.endswith("@gmail.com") else ban


def _read(text: str) -> str:
    ban = written(text)
    letters = [each for each in ban if each.isalnum()]
    plain = ban.isascii() and ban.isprintable() and not set(ban) & set(' <>,;:"()[]\\?')
    is_whole = STAR in ban or "." in ban or "@" in ban
    if not (plain and is_whole and len(letters) >= FEWEST_LETTERS and len(ban) <= _LONGEST):
        raise Refused("bad_ban", ban=ban[:80])
    if ban.count(STAR) > MOST_STARS or ban.count("@") > 1:
        raise Refused("bad_ban", ban=ban[:80])
    return ban
