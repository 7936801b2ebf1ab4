"""`broadcast`: send a message to all players."""

from __future__ import annotations

import click

from pbmserv.commands.framework import Secret, message_option, player_command
from pbmserv.context import Context
from pbmserv.letters.payloads.letter import Letter


@player_command(
    "broadcast",
    example="broadcast ann secret",
    letters=("message", "message_sent"),
)
@click.argument("userid")
@click.argument("password", cls=Secret)
@message_option
def command(context: Context, userid: str, password: str) -> list[Letter]:
    """Write to all players.

    Only players chosen by the operator may do this.  The text below the command goes to all players
    who want such letters.  To get none, send: set USERID PASSWORD broadcasts=off.
    """
    from pbmserv.lobby import messages

    return messages.to_all(context, context.account(userid, password))
