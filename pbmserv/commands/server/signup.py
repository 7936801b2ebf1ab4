"""`signup`: create an account.

`confirm.py` accepts the answer; both use `players/accounts.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from pbmserv.commands.framework import Secret, player_command
from pbmserv.context import Context
from pbmserv.errors import Refused
from pbmserv.fast_dataclasses import replace
from pbmserv.letters.payloads.accounts import CONFIRM, SIGNED_UP, AskingNew, SignedUp
from pbmserv.letters.payloads.letter import Letter
from pbmserv.timeunits import DAY

MOST_DAILY = 5  # accounts created from one address a day


@player_command(
    "signup",
    example="signup ann secret ann@example.org",
    letters=("signed_up", "confirm"),
)
@click.argument("userid")
@click.argument("password", cls=Secret, is_new=bool)
@click.argument("address", nargs=-1)
def command(context: Context, userid: str, password: str, address: tuple[str, ...]) -> list[Letter]:
    """Open an account; each address gets a letter to confirm it.

    Without an address it is the one you write from.  The account works once you confirm an address:
    reply yes to the letter sent there.  Unconfirmed addresses and accounts are deleted after 14
    days.  At a shell of the server the account works at once.  Without an address it gets the
    userid at the domain of the server.  From one address you can open five accounts a day.  One
    address gets at most three such letters a day.
    """
    from pbmserv.boards import opening_seeds
    from pbmserv.players import accounts, first_preferences, userids, validation

    userids.check_userid(userid)
    _check_own(context, userid)
    validation.check_password(password)
    asked = address or (context.sender or f"{userid}@{context.address.partition('@')[2]}",)
    if not context.at_shell:
        _check_asker(context, asked)
        if again := _asked_again(context, userid, asked):
            return again
    player, addresses = accounts.sign_up(
        context.connection,
        userid,
        context.credentials.hash(password),
        asked,
        confirmed=context.at_shell,
        now=context.now,
        ours=validation.ours(context.settings),
        preferences=first_preferences.for_writer(context.writer, context.now),
    )
    told: SignedUp = {
        "userid": userid,
        "addresses": list(addresses.values()),
        "waiting": not context.at_shell,
    }
    if not context.at_shell:
        return _by_email(context, told, addresses, asked)
    opening_seeds.draw(context, player)
    stays = context.settings.delivery == "maildir"
    told["folder"] = str(context.settings.home / "mail") if stays else ""
    return [SIGNED_UP.to(None, told)]


def _by_email(
    context: Context, told: SignedUp, addresses: Mapping[int, str], asked: Sequence[str]
) -> list[Letter]:
    """The letters about an account that was opened by email; addresses stand by their ids."""
    from pbmserv.mail.addresses import mailbox
    from pbmserv.players import confirmations
    from pbmserv.ratelimit import fixed_window

    fixed_window.note(context.connection, "signup", mailbox(context.sender), DAY, context.now)
    confirmations.note_letters(context.connection, addresses.values(), context.now)
    asking = [_asking(context, told["userid"], *each) for each in addresses.items()]
    # The letter that asks for confirmation says everything, so one letter is enough.
    return asking if context.sender in asked else [SIGNED_UP.to(None, told), *asking]


def _check_asker(context: Context, asked: Sequence[str]) -> None:
    """Raise Refused if the sender may not sign up by email now, or not with these addresses."""
    from pbmserv.mail.addresses import mailbox
    from pbmserv.monitoring import action_log
    from pbmserv.players import bans, confirmations
    from pbmserv.ratelimit import fixed_window

    if action_log.is_emergency(context.connection):
        raise Refused("signups_closed")
    opener = mailbox(context.sender)
    if not fixed_window.allowed(context.connection, "signup", opener, MOST_DAILY, DAY, context.now):
        raise Refused("too_many_signups", most=MOST_DAILY)
    bans.check(context.connection, asked, context.now)
    confirmations.check_letters(context.connection, context.settings, asked, context.now)


def _check_own(context: Context, userid: str) -> None:
    """Raise Refused `signed_up_already` if the sender's address has this account, or one like it.

    Only the reader of the address gets the answer.  A shell has no address.
    """
    from pbmserv.players import accounts
    from pbmserv.players.userids import skeleton, skeletons

    alike = skeletons(userid)
    for own in accounts.players_of_address(context.connection, context.sender):
        if skeleton(own.userid) in alike:
            raise Refused("signed_up_already", userid=own.userid)


def _asked_again(context: Context, userid: str, asked: Sequence[str]) -> list[Letter]:
    """The letter that asks for a confirmation once more, if the account waits for the sender's.

    The password stays the first one: who forges the sender must not choose it.
    """
    from pbmserv.players import accounts, confirmations

    if context.sender not in asked:
        return []
    waiting = accounts.awaiting(context.connection, context.sender, context.now)
    for each in waiting:
        if each.userid.lower() == userid.lower():
            confirmations.note_letters(context.connection, [context.sender], context.now)
            letter = _asking(context, each.userid, each.address, context.sender)
            return [replace(letter, payload={**letter.payload, "again": True})]
    return []


def _asking(context: Context, userid: str, number: int, address: str) -> Letter:
    """The letter that asks the reader of a new address to confirm it."""
    from pbmserv.players import accounts, confirmations
    from pbmserv.security import tokens

    token = context.confirmation()
    proven = context.credentials.proven and address == context.sender.lower()
    digest = tokens.digest(token)
    accounts.ask_confirmation(context.connection, number, digest, context.now, proven=proven)
    told: AskingNew = {"userid": userid, "token": token, "address": address, "proven": proven}
    others = accounts.players_of_address(context.connection, address)
    told["others"] = [each.userid for each in others]
    told["last"] = confirmations.had_last_letter(context.connection, address, context.now)
    return CONFIRM.to(address, told, token=token)
