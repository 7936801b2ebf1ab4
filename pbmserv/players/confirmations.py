"""Confirmations: a letter asks its reader to confirm something with a token.

The token is only in the letter.  The database keeps its digest, its purpose, and when it was made.
The caller carries out what is confirmed.  Moments are seconds since 1970.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, delete, insert, select

from pbmserv.context import UnitOfWork
from pbmserv.database import models
from pbmserv.errors import Refused
from pbmserv.mail.addresses import mailbox
from pbmserv.outbox import letter_budgets
from pbmserv.players.accounts import CONFIRMATION_SECONDS
from pbmserv.ratelimit import fixed_window, token_bucket
from pbmserv.security import tokens
from pbmserv.settings import Settings
from pbmserv.timeunits import DAY

ADDRESS, ADDRESSES, RESET, SIGNOFF, DOCTOR = "address", "addresses", "reset", "signoff", "doctor"
LIFETIMES = {
    ADDRESS: CONFIRMATION_SECONDS,
    ADDRESSES: 14 * DAY,
    RESET: DAY,
    SIGNOFF: DAY,
    DOCTOR: DAY,
}
ASK_FOR_A_YES = {ADDRESS, ADDRESSES, SIGNOFF}  # for the others any reply is enough
_KNOWN = (
    select(
        models.Confirmation.purpose,
        models.Confirmation.player_id,
        models.Confirmation.asked_at,
        models.Confirmation.proven,
        models.Address.player_id.label("owner"),
        models.Address.confirmed_at,
        models.Address.address,
    )
    .outerjoin(models.Address, models.Address.id == models.Confirmation.address_id)
    .where(models.Confirmation.digest == bindparam("digest"))
)
MOST_LETTERS = 3  # a day to one mailbox that ask to confirm an address, from all senders together


class Confirmation(NamedTuple):
    """What a token confirms, for which player, and when it was used; None if it was not yet.

    `proven`: the sender of the request has proven to read the address to be confirmed.  `address`
    is the one that was or is to be confirmed, if the token is for one.
    """

    purpose: str
    player: int
    done_at: int | None = None
    proven: bool = False
    address: str = ""

    @property
    def is_done(self) -> bool:
        """Whether it was used already."""
        return self.done_at is not None


def ask(work: UnitOfWork, player: int | None, purpose: str) -> str:
    """Make a new token for a purpose of a player; it replaces an earlier one for the same purpose.

    Tokens for a new password are not replaced.  Anybody may ask for one, and would cancel the one
    that the owner asked for.  For the operator's doctor `player` is None.
    """
    if purpose == RESET:
        row = models.Confirmation
        over = row.purpose == RESET, row.asked_at <= work.now - LIFETIMES[RESET]
        work.connection.execute(delete(row).where(*over))
    else:
        withdraw(work.connection, player, purpose)
    token = work.confirmation()
    values = {"digest": tokens.digest(token), "player_id": player, "purpose": purpose}
    work.connection.execute(insert(models.Confirmation).values(asked_at=work.now, **values))
    return token


def withdraw(connection: Connection, player: int | None, purpose: str) -> None:
    """Delete the tokens for a purpose of a player."""
    row = models.Confirmation
    connection.execute(delete(row).where(row.player_id == player, row.purpose == purpose))


def find(connection: Connection, token: str, now: int) -> Confirmation:
    """What a token confirms; raises Refused `confirmation_unknown` if it is unknown or expired."""
    if (found := known(connection, token, now)) is None:
        raise Refused("confirmation_unknown")
    return found


def known(connection: Connection, token: str, now: int) -> Confirmation | None:
    """What a token confirms; None if it is unknown or expired."""
    found = connection.execute(_KNOWN, {"digest": tokens.digest(token)}).first()
    if found is None or found.asked_at <= now - LIFETIMES[found.purpose]:
        return None
    player, address = found.player_id or found.owner, found.address or ""
    return Confirmation(found.purpose, player, found.confirmed_at, found.proven, address)


def is_pending(connection: Connection, player: int, purpose: str) -> bool:
    """Whether the player was asked to confirm this purpose and has not done so yet."""
    row = models.Confirmation
    query = select(row.digest).where(row.player_id == player, row.purpose == purpose)
    return connection.execute(query).first() is not None


def check_letters(
    connection: Connection, settings: Settings, addresses: Sequence[str], now: int
) -> None:
    """Check that a letter that asks for confirmation may be sent to all these addresses.

    Anybody can name any address.  So one mailbox gets few such letters a day.  Addresses of its
    domain, and strangers together, share further limits.  Raises Refused `asked_too_often` or
    `strangers_wait`.
    """
    asked: Counter[str] = Counter()
    for address in addresses:
        asked[name := mailbox(address)] += 1
        room = MOST_LETTERS - asked[name] + 1
        if room < 1 or not fixed_window.allowed(connection, "confirmation", name, room, DAY, now):
            raise Refused("asked_too_often", address=address, most=MOST_LETTERS)
    shares = letter_budgets.of_confirmations(settings, addresses)
    if addresses and token_bucket.waiting(connection, shares, now) > DAY:
        raise Refused("strangers_wait")


def note_letters(connection: Connection, addresses: Iterable[str], now: int) -> None:
    """Count a letter to each of these addresses that asks to confirm it."""
    for address in addresses:
        fixed_window.note(connection, "confirmation", mailbox(address), DAY, now)


def had_last_letter(connection: Connection, address: str, now: int) -> bool:
    """Whether the letter that was counted last is the last such letter to a mailbox for now."""
    name = mailbox(address)
    return not fixed_window.allowed(connection, "confirmation", name, MOST_LETTERS, DAY, now)
