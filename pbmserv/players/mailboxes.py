"""Mailboxes: which ones players have confirmed, and which ones they gave up lately.

Players who share one may be the same person, so the ratings ask here.  Of a mailbox that a player
gave up only a keyed digest is kept, for 30 days.  Nobody can read the address from it.  Without
the home's key nobody can find out whether it belongs to an address.
"""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, Select, delete, insert, select, update

from pbmserv.context import UnitOfWork
from pbmserv.database.models import Address, Confirmation, FormerMailbox
from pbmserv.mail.addresses import mailbox
from pbmserv.timeunits import DAY

REMEMBERED = 30 * DAY  # seconds from the moment at which a player gave a mailbox up


def of_players(work: UnitOfWork, players: Collection[int]) -> dict[int, set[str]]:
    """The digests of the mailboxes that each of these players has, or had in the last 30 days."""
    now, former = Address, FormerMailbox
    found: dict[int, set[str]] = {player: set() for player in players}
    confirmed = select(now.player_id, now.address).where(
        now.player_id.in_(players), now.confirmed_at.is_not(None)
    )
    for player, address in work.connection.execute(confirmed):
        found[player].add(work.keyed(mailbox(address)))
    given_up = select(former.player_id, former.digest).where(
        former.player_id.in_(players), former.given_up_at > work.now - REMEMBERED
    )
    for player, digest in work.connection.execute(given_up):
        found[player].add(digest)
    return found


def give_up(work: UnitOfWork, numbers: Select[int]) -> None:
    """Remember the mailboxes of these addresses, a query for their numbers, before they are erased.

    An address that was never confirmed is nobody's mailbox.
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
    """Forget the mailboxes that a player gave up."""
    connection.execute(delete(FormerMailbox).where(FormerMailbox.player_id == player))


def expire(connection: Connection, now: int) -> None:
    """Forget the mailboxes that were given up 30 days ago or earlier."""
    old = FormerMailbox.given_up_at <= now - REMEMBERED
    connection.execute(delete(FormerMailbox).where(old))


def put_back(connection: Connection, seconds: int, now: int) -> None:
    """The clock was put back by so many seconds: what was given up later was given up before."""
    row = FormerMailbox
    ahead = update(row).where(row.given_up_at > now)
    connection.execute(ahead.values(given_up_at=row.given_up_at - seconds))


def erase(work: UnitOfWork, numbers: Select[int]) -> None:
    """Erase the addresses with these numbers, and what they were asked to confirm."""
    give_up(work, numbers)
    asked, row = Confirmation, Address
    work.connection.execute(delete(asked).where(asked.address_id.in_(numbers)))
    work.connection.execute(delete(row).where(row.id.in_(numbers)))
