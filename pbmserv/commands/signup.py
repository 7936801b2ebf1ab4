"""`signup`: an account of one's own."""

from __future__ import annotations

import click

from pbmserv.commands import Secret, player_command
from pbmserv.desk import Desk, Letter
from pbmserv.errors import Refused
from pbmserv.facts.accounts import CONFIRM, SIGNED_UP, Asking, SignedUp
from pbmserv.terms import DAY

MOST_DAILY = 5  # accounts that may be opened from one address in a day


@player_command(
    "signup",
    example="signup ann secret ann@example.org",
    letters=("signed_up", "confirm"),
    spellings=("add",),
)
@click.argument("userid")
@click.argument("password", cls=Secret, is_new=bool)
@click.argument("address", nargs=-1)
def command(desk: Desk, userid: str, password: str, address: tuple[str, ...]) -> list[Letter]:
    """Open an account; a letter goes to every address to be confirmed.

    Without an address the one you write from is meant.  The account works once an address is
    confirmed: reply to the letter sent there.  At a shell of the server it works at once.  In a
    day five accounts can be opened from one address, and three such letters go to any one.
    """
    from pbmserv import accounts, confirmations, limits, players, tokens

    accounts.check_userid(userid)
    accounts.check_password(password)
    asked = address or (desk.sender or f"{userid}@{desk.address.partition('@')[2]}",)
    if not desk.at_shell:
        if not limits.allowed(desk.connection, "signup", desk.sender, MOST_DAILY, DAY, desk.now):
            raise Refused("too_many_signups", most=MOST_DAILY)
        confirmations.check_letters(desk.connection, asked, desk.now)
    _, addresses = players.sign_up(
        desk.connection, userid, desk.hash(password), asked, confirmed=desk.at_shell, now=desk.now
    )
    told: SignedUp = {
        "userid": userid,
        "addresses": list(addresses.values()),
        "waiting": not desk.at_shell,
    }
    letters = [SIGNED_UP.to(None, told)]
    if desk.at_shell:
        return letters
    limits.note(desk.connection, "signup", desk.sender, DAY, desk.now)
    confirmations.note_letters(desk.connection, addresses.values(), desk.now)
    for number, written in addresses.items():
        token = tokens.confirmation()
        players.ask_confirmation(desk.connection, number, tokens.digest(token), desk.now)
        asked_for: Asking = {"userid": userid, "token": token, "address": written}
        letters.append(CONFIRM.to(written, asked_for, token=token))
    if desk.sender in asked:
        # The letter that asks for the confirmation tells the writer all; one letter is enough.
        return letters[1:]
    return letters
