"""Emails that a button of a letter opens, with a token instead of the password.

Such a token is good for one command with its words.  It works once, until its last day.  The email
must be from an address of its player's, and its letter must have gone to one, too.  Everybody who
has a letter has its tokens: so they prove nothing else (`boards/authorship.py`).
"""

from __future__ import annotations

import click
from sqlalchemy import Connection

from pbmserv.context import Context
from pbmserv.errors import Refused
from pbmserv.players import account_suspension, accounts
from pbmserv.ratelimit import fixed_window
from pbmserv.security.credentials import (
    COMMAND,
    NO_BOARD,
    Identity,
    with_open_end,
    words_without,
)
from pbmserv.security.tokens import Tokens, digest
from pbmserv.timeunits import DAY

PRESSED = "button"  # what `fixed_window` counts, until no such token works any more
_MANY_TIMES = {"showas"}  # commands that change nothing, so their buttons work more than once


def presser(
    connection: Connection, tokens: Tokens, parsed: click.Context, sender: str, now: int
) -> Identity:
    """The player who presses a button by this command.

    Raises Refused `button_elsewhere` or `button_late`, or `account_suspended`.
    """
    userid, token = parsed.params["userid"], parsed.params["password"]
    only = words_without(parsed.meta.get(COMMAND, ()), token)
    mine = accounts.players_of_address(connection, sender)
    player = next((each.id for each in mine if each.userid.lower() == userid.lower()), None)
    if player is None:
        raise Refused("button_elsewhere")
    addresses = accounts.addresses_of(connection, [player])[player]
    until = tokens.pressed(token, (only, with_open_end(only)), addresses)
    if until is None:
        raise Refused("button_elsewhere")
    if now // DAY > until:
        raise Refused("button_late")
    account_suspension.check_player(connection, player, now)
    return Identity(player, NO_BOARD, 0, only=only, pressed=digest(token))


def require_new(context: Context, parsed: click.Context) -> None:
    """Check that a button was not pressed before, and that the email is not a forged one.

    Raises Refused `button_pressed` or `button_elsewhere`.
    """
    if (shown := _button_identity(context, parsed)) is None:
        return
    if shown.player not in context.owners:
        raise Refused("button_elsewhere")
    seconds = fixed_window.LONG[PRESSED]
    if _works_once(parsed) and not fixed_window.allowed(
        context.connection, PRESSED, shown.pressed, 1, seconds, context.now
    ):
        raise Refused("button_pressed")


def note(context: Context, parsed: click.Context) -> None:
    """Remember that a button was pressed, if its command was carried out."""
    if _works_once(parsed) and (shown := _button_identity(context, parsed)):
        seconds = fixed_window.LONG[PRESSED]
        fixed_window.note(context.connection, PRESSED, shown.pressed, seconds, context.now)


def _button_identity(context: Context, parsed: click.Context) -> Identity | None:
    """The identity of a line's button; None if it has none."""
    shown = context.credentials.shown_by(parsed.params)
    return shown if isinstance(shown, Identity) and shown.pressed else None


def _works_once(parsed: click.Context) -> bool:
    return parsed.command.name not in _MANY_TIMES
