"""`signoff`: end an account."""

from __future__ import annotations

import click

from pbmserv.commands.framework import Secret, player_command
from pbmserv.context import Context
from pbmserv.letters.payloads.accounts import SIGNED_OFF, SIGNOFF
from pbmserv.letters.payloads.letter import Letter


@player_command(
    "signoff",
    example="signoff ann secret",
    letters=("signoff", "signed_off", "perudo/ended", "perudo/moved"),
    spellings=("delete",),
)
@click.argument("userid")
@click.argument("password", cls=Secret)
def command(context: Context, userid: str, password: str) -> list[Letter]:
    """Leave this server for good.

    Your addresses and your password are deleted, and your games are resigned.  By email you are
    asked first: send back what the letter says, within a day.  Your userid stays in the records of
    your games, and nobody else can have it.
    """
    from pbmserv.lobby import sign_off
    from pbmserv.players import accounts, confirmations

    player = context.account(userid, password)
    name = accounts.named(context.connection, [player])[0].userid
    if context.at_shell:
        gone = sign_off.sign_off(context, player)
        return [*gone, SIGNED_OFF.to(None, {"userid": name})]
    token = confirmations.ask(context, player, confirmations.SIGNOFF)
    # No token in the letter's Reply-To: "No, who asked for this?" must not count as a yes.
    return [SIGNOFF.to(player, {"userid": name, "token": token})]
