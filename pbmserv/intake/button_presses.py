"""Emails that a button of a letter opens, with a token instead of the password.

Such a token is good for one command with its words.  It works once, until its last day.  The email
must be from an address of its player's, and its letter must have gone to one, too.  Everybody who
has a letter has its tokens: so they prove nothing else (`boards/authorship.py`).

A plain reply to a message has the token of its button.  So that one works five times, with another
text each.
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
_WITH_WORDS = {"message"}  # commands whose buttons work once with each text
MOST_MESSAGES = 5  # different texts with one token
_ALWAYS = {"showas"}  # commands that change nothing


def presser(
    connection: Connection, tokens: Tokens, parsed: click.Context, sender: str, now: int
) -> Identity:
    """The player who presses a button by this command.

    Raises Refused `button_elsewhere`, `button_late` or `answered_late`, or `account_suspended`.
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
        is_answer = parsed.command.name in _WITH_WORDS
        raise Refused("answered_late" if is_answer else "button_late")
    account_suspension.check_player(connection, player, now)
    return Identity(player, NO_BOARD, 0, only=only, pressed=digest(token))


def require_new(context: Context, parsed: click.Context) -> None:
    """Check that a button was not pressed before, and that the email is not a forged one.

    Raises Refused `button_pressed`, `answered_before` or `button_elsewhere`.
    """
    if (shown := _button_identity(context, parsed)) is None:
        return
    if shown.player not in context.owners:
        raise Refused("button_elsewhere")
    for what, most in _uses(context, parsed, shown):
        seconds = fixed_window.LONG[PRESSED]
        if fixed_window.allowed(context.connection, PRESSED, what, most, seconds, context.now):
            continue
        if parsed.command.name not in _WITH_WORDS:
            raise Refused("button_pressed")
        raise Refused("answered_before", most=most)


def note(context: Context, parsed: click.Context) -> None:
    """Remember that a button was pressed, if its command was carried out."""
    if (shown := _button_identity(context, parsed)) is None:
        return
    for what, _ in _uses(context, parsed, shown):
        seconds = fixed_window.LONG[PRESSED]
        fixed_window.note(context.connection, PRESSED, what, seconds, context.now)


def _uses(context: Context, parsed: click.Context, shown: Identity) -> list[tuple[str, int]]:
    """What is counted of a press, with how often it may happen."""
    if parsed.command.name in _ALWAYS:
        return []
    if parsed.command.name not in _WITH_WORDS:
        return [(shown.pressed, 1)]
    return [(digest(f"{shown.pressed} {context.message}"), 1), (shown.pressed, MOST_MESSAGES)]


def _button_identity(context: Context, parsed: click.Context) -> Identity | None:
    """The identity of a line's button; None if it has none."""
    shown = context.credentials.shown_by(parsed.params)
    return shown if isinstance(shown, Identity) and shown.pressed else None
