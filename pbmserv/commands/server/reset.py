"""`reset`: replace a forgotten password."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from pbmserv.commands.framework import Secret, player_command
from pbmserv.context import Context
from pbmserv.errors import Refused
from pbmserv.fast_dataclasses import replace
from pbmserv.letters.payloads.accounts import RESET, RESET_ASKED
from pbmserv.letters.payloads.letter import Letter
from pbmserv.timeunits import DAY

MOST_DAILY = 3  # letters a day for one account, and for a stranger who asks


def _is_password(words: Mapping[str, Any]) -> bool:
    return bool(words.get("new"))


@player_command(
    "reset",
    example="reset ann",
    letters=("reset_asked", "reset", "password_changed"),
)
@click.argument("userid")
@click.argument("token", cls=Secret, required=False)
@click.argument("new", cls=Secret, required=False, is_new=_is_password)
def command(context: Context, userid: str, token: str | None, new: str | None) -> list[Letter]:
    """Get a new password when you have forgotten yours.

    reset USERID sends a letter with a TOKEN to your confirmed addresses.  Then send reset USERID
    TOKEN NEW within a day, with your NEW password.  It works even if you ask for another letter.
    """
    from pbmserv.lobby import account_changes
    from pbmserv.players import accounts, confirmations
    from pbmserv.ratelimit import fixed_window

    if token is not None:
        if new is None:
            raise Refused("one_new_password")
        owner = accounts.find(context.connection, userid)
        found = confirmations.known(context.connection, token, context.now)
        if found is None or owner is None or found[:2] != (confirmations.RESET, owner.id):
            raise Refused("reset_unknown")
        told = account_changes.password(context, owner.id, new)
        # A shell shows players their own letters, but it does not know who gives the token.
        return [*told, replace(told[0], to=None)] if context.at_shell else told
    # The answer reveals neither whether the userid exists, nor its addresses.
    answer = RESET_ASKED.to(None, {"userid": userid[:20]})
    player = accounts.find(context.connection, userid)
    mine = accounts.addresses_of(context.connection, [player.id])[player.id] if player else []
    # Emails with a player's forged address must not use up the limit of that address.  So only the
    # account's limit applies.  A request refused to a stranger does not count for the account.
    asking = [
        userid.lower(),
        *([context.sender] if context.sender and context.sender not in mine else []),
    ]
    limit = MOST_DAILY, DAY, context.now
    if not all(fixed_window.allowed(context.connection, "reset", who, *limit) for who in asking):
        return [answer]
    for who in asking:
        fixed_window.note(context.connection, "reset", who, DAY, context.now)
    if player is None or not mine:
        return [answer]
    fresh = confirmations.ask(context, player.id, confirmations.RESET)
    return [RESET.to(player.id, {"userid": player.userid, "token": fresh}, token=fresh), answer]
