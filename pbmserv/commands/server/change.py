"""`change`: change the password or the addresses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from pbmserv.commands.framework import Secret, player_command
from pbmserv.context import Context
from pbmserv.errors import Refused
from pbmserv.letters.payloads.letter import Letter

PASSWORD, ADDRESS = "password", "address"


def _is_password(words: Mapping[str, Any]) -> bool:
    return str(words.get("what")).lower() == PASSWORD


@player_command(
    "change",
    example="change password ann secret better-one",
    letters=("password_changed", "addresses_changed", "address_told", "confirm_address"),
)
@click.argument("what")
@click.argument("userid")
@click.argument("password", cls=Secret)
@click.argument("new", cls=Secret, nargs=-1, is_new=_is_password)
def command(
    context: Context, what: str, userid: str, password: str, new: tuple[str, ...]
) -> list[Letter]:
    """Change your password or your addresses: WHAT is password or address.

    change password USERID PASSWORD NEW takes effect at once.  change address USERID PASSWORD
    ADDRESS... names all your new addresses.  Without ADDRESS it is the address you write from.
    Your old addresses get a letter: send back what it says.  Then the new ones get a letter.  They
    replace the old ones as soon as you confirm one of them.
    """
    from pbmserv.lobby import account_changes

    player = context.account(userid, password)
    if what.lower() == PASSWORD:
        if len(new) != 1:
            raise Refused("one_new_password")
        return account_changes.other_password(context, player, new[0])
    if what.lower() == ADDRESS:
        return account_changes.addresses(context, player, new)
    raise Refused("unknown_word", word=what[:20], known=[PASSWORD, ADDRESS])
