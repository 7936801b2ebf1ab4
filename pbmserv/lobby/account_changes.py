"""Changes of an account: its password, its addresses, and its end."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import insert, select, update

from pbmserv.context import Context, UnitOfWork
from pbmserv.database import models
from pbmserv.errors import Refused
from pbmserv.letters.payloads.accounts import (
    ADDRESS_TOLD,
    ADDRESSES_CHANGED,
    CONFIRM_ADDRESS,
    PASSWORD_CHANGED,
    AddressTold,
    Asking,
)
from pbmserv.letters.payloads.letter import Letter
from pbmserv.outbox import readdressing
from pbmserv.outbox.recipients import recipients_of
from pbmserv.players import accounts, bans, confirmations, mailbox_owners, validation
from pbmserv.ratelimit import fixed_window
from pbmserv.security import tokens
from pbmserv.timeunits import DAY

MOST_DAILY = 3  # changes of a player's addresses, or of the password, a day: each one sends letters


def other_password(context: Context, player: int, new: str) -> list[Letter]:
    """Set a new password for a player who gave the old one; by email a few times a day.

    Raises Refused `bad_password` or `too_many_changes`.
    """
    validation.check_password(new)
    if not context.at_shell:
        _count_change(context, player, "password")
    return password(context, player, new)


def password(context: Context, player: int, new: str) -> list[Letter]:
    """Set a new password, and tell every address of the player in case somebody else changed it.

    Raises Refused `bad_password`.
    """
    validation.check_password(new)
    row = models.Player
    change = update(row).where(row.id == player).values(password_hash=context.credentials.hash(new))
    context.connection.execute(change)
    for purpose in (confirmations.RESET, confirmations.ADDRESSES):
        confirmations.withdraw(context.connection, player, purpose)
    name = accounts.named(context.connection, [player])[0].userid
    return [PASSWORD_CHANGED.to(player, {"userid": name})]


def addresses(context: Context, player: int, asked: Sequence[str]) -> list[Letter]:
    """Ask at the old addresses whether the new ones may replace them.

    A password may be stolen.  So by email it alone changes no address (at a shell of the server it
    does).  Raises Refused `no_address`, `bad_address`, `too_many_addresses`, `our_address` or
    `too_many_changes`.
    """
    written = validation.address_keys(
        asked or ([context.sender] if context.sender else []), validation.ours(context.settings)
    )
    if not context.at_shell:
        bans.check(context.connection, written, context.now)
        _count_change(context, player, "addresses")
    name = accounts.named(context.connection, [player])[0].userid
    known = accounts.addresses_of(context.connection, [player], confirmed=False)[player]
    row = models.Address
    mine = row.player_id == player
    context.connection.execute(update(row).where(mine).values(replaces=row.address.in_(written)))
    if fresh := [each for each in written if each not in known]:
        values = {"player_id": player, "replaces": True}
        context.connection.execute(insert(row), [{**values, "address": each} for each in fresh])
    old = accounts.addresses_of(context.connection, [player])[player]
    told: AddressTold = {"userid": name, "addresses": written, "token": ""}
    if context.at_shell:
        new = mine, row.replaces.is_(True), row.confirmed_at.is_(None)
        context.connection.execute(update(row).where(*new).values(confirmed_at=context.now))
        _forget_replaced(context, player)
        answer = ADDRESSES_CHANGED.to(None, {"userid": name, "addresses": written, "waiting": ""})
        return [*(ADDRESS_TOLD.to(each, told) for each in old if each not in written), answer]
    reader = recipients_of(context.connection, {player}).get(player)
    if reader and reader.is_lost():
        return agreed(context, player)  # no old address works: the password is enough
    told["token"] = confirmations.ask(context, player, confirmations.ADDRESSES)
    # No token in the letter's Reply-To: "I never asked for this!" must not count as a yes.
    answer = ADDRESSES_CHANGED.to(None, {"userid": name, "addresses": written, "waiting": "old"})
    return [*(ADDRESS_TOLD.to(each, told) for each in old), answer]


def _count_change(work: UnitOfWork, player: int, what: str) -> None:
    if not fixed_window.allowed(work.connection, what, str(player), MOST_DAILY, DAY, work.now):
        raise Refused("too_many_changes", what=what, most=MOST_DAILY)
    fixed_window.note(work.connection, what, str(player), DAY, work.now)


def agreed(work: UnitOfWork, player: int) -> list[Letter]:
    """The reader of an old address has agreed: ask at the new addresses for confirmation.

    Raises Refused `asked_too_often` or `strangers_wait`; the same token can be sent again later.
    """
    name = accounts.named(work.connection, [player])[0].userid
    row = models.Address
    new = row.player_id == player, row.replaces.is_(True)
    query = select(row.id, row.address, row.confirmed_at).where(*new).order_by(row.id)
    found = work.connection.execute(query).all()
    asked = [each for each in found if each.confirmed_at is None]
    new_ones = [each.address for each in asked]
    confirmations.check_letters(work.connection, work.settings, new_ones, work.now)
    confirmations.note_letters(work.connection, new_ones, work.now)
    confirmations.withdraw(work.connection, player, confirmations.ADDRESSES)
    letters = [_asking(work, each.id, name, each.address) for each in asked]
    if not letters:
        _forget_replaced(work, player)
    waiting = "new" if letters else ""
    written = [each.address for each in found]
    answer = ADDRESSES_CHANGED.to(None, {"userid": name, "addresses": written, "waiting": waiting})
    return [*letters, answer]


def _asking(work: UnitOfWork, number: int, name: str, address: str) -> Letter:
    token = work.confirmation()
    accounts.ask_confirmation(work.connection, number, tokens.digest(token), work.now)
    asked: Asking = {"userid": name, "token": token, "address": address}
    return CONFIRM_ADDRESS.to(address, asked, token=token)


def forget_replaced(work: UnitOfWork, player: int, confirmed: str) -> None:
    """Delete the addresses that a newly `confirmed` address replaces.

    Does nothing until an old address has agreed, or if the address is not part of a change.
    """
    row = models.Address
    mine = row.player_id == player, row.address == confirmed, row.replaces.is_(True)
    pending = confirmations.is_pending(work.connection, player, confirmations.ADDRESSES)
    if not pending and work.connection.execute(select(row.id).where(*mine)).first():
        _forget_replaced(work, player)


def _forget_replaced(work: UnitOfWork, player: int) -> None:
    row = models.Address
    mine = row.player_id == player
    mailbox_owners.erase(work, select(row.id).where(mine, row.replaces.is_(False)))
    work.connection.execute(update(row).where(mine).values(replaces=False))
    readdressing.forward(work, player)
