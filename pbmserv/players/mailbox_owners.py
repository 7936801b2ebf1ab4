"""The mailboxes that players have confirmed, and those that they gave up lately.

Players who share a mailbox may be the same person, so the ratings ask here.  For a mailbox that a
player gave up, only a keyed digest is kept, for 30 days.  The address cannot be read from it.
Without the key of the home nobody can test whether it belongs to an address.
"""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import (
    BindParameter,
    Connection,
    Select,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)

from pbmserv.context import UnitOfWork
from pbmserv.database.models import Address, Confirmation, FormerMailbox
from pbmserv.database.prepared_statements import Prepared
from pbmserv.mail.addresses import mailbox
from pbmserv.timeunits import DAY

REMEMBERED = 30 * DAY  # seconds after a player gave a mailbox up
_PLAYERS: BindParameter[int] = bindparam("players", expanding=True)
_CONFIRMED = select(Address.player_id, Address.address).where(
    Address.player_id.in_(_PLAYERS), Address.confirmed_at.is_not(None)
)
_GIVEN_UP = select(FormerMailbox.player_id, FormerMailbox.digest).where(
    FormerMailbox.player_id.in_(_PLAYERS), FormerMailbox.given_up_at > bindparam("since")
)
_FORGET = Prepared(delete(FormerMailbox).where(FormerMailbox.given_up_at <= bindparam("before")))


def of_players(work: UnitOfWork, players: Collection[int]) -> dict[int, set[str]]:
    """The digests of the mailboxes that each of these players has, or had in the last 30 days."""
    found: dict[int, set[str]] = {player: set() for player in players}
    asked = {"players": [*players]}
    for player, address in work.connection.execute(_CONFIRMED, asked):
        found[player].add(work.keyed(mailbox(address)))
    given_up = work.connection.execute(_GIVEN_UP, {**asked, "since": work.now - REMEMBERED})
    for player, digest in given_up:
        found[player].add(digest)
    return found


def confirmed_at(connection: Connection, address: str) -> list[str]:
    """The confirmed addresses of the same mailbox as this one; the same spelling is the first.

    Addresses of closed accounts are among them.
    """
    wanted, row = mailbox(address), Address
    local = wanted.rpartition("@")[0].replace(".", "")  # at Gmail dots are ignored
    alike = func.replace(row.address, ".", "").startswith(local, autoescape=True)
    query = select(row.address).where(alike, row.confirmed_at.is_not(None)).order_by(row.id)
    found = [each for each in connection.execute(query).scalars() if mailbox(each) == wanted]
    return sorted(dict.fromkeys(found), key=lambda each: each != address.lower())


def give_up(work: UnitOfWork, numbers: Select[int]) -> None:
    """Store the mailboxes of addresses before they are erased; `numbers` is a query of their ids.

    Addresses that were never confirmed are left out.
    """
    query = select(Address.player_id, Address.address).where(
        Address.id.in_(numbers), Address.confirmed_at.is_not(None)
    )
    found = {
        (player, work.keyed(mailbox(address))) for player, address in work.connection.execute(query)
    }
    row = FormerMailbox
    for player, digest in sorted(found):
        known = row.player_id == player, row.digest == digest
        work.connection.execute(delete(row).where(*known))
        values = {"player_id": player, "digest": digest, "given_up_at": work.now}
        work.connection.execute(insert(row).values(values))


def forget_player(connection: Connection, player: int) -> None:
    """Delete the mailboxes that a player gave up."""
    connection.execute(delete(FormerMailbox).where(FormerMailbox.player_id == player))


def expire(connection: Connection, now: int) -> None:
    """Delete the mailboxes that were given up at least 30 days ago."""
    _FORGET.run(connection, {"before": now - REMEMBERED})


def put_back(connection: Connection, seconds: int, now: int) -> None:
    """Move moments in the future back by `seconds`, after the system clock was set back so far."""
    row = FormerMailbox
    ahead = update(row).where(row.given_up_at > now)
    connection.execute(ahead.values(given_up_at=row.given_up_at - seconds))


def erase(work: UnitOfWork, numbers: Select[int]) -> None:
    """Erase the addresses with these ids, and their confirmations."""
    give_up(work, numbers)
    asked, row = Confirmation, Address
    work.connection.execute(delete(asked).where(asked.address_id.in_(numbers)))
    work.connection.execute(delete(row).where(row.id.in_(numbers)))
