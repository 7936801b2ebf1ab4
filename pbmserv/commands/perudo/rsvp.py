"""`rsvp`: answer an invitation that came by email to somebody who may be no player."""

from __future__ import annotations

import click

from pbmserv.commands.framework import Secret, message_option, player_command
from pbmserv.context import Context
from pbmserv.letters.payloads.letter import Letter

_ANSWERS = ("yes", "no", "never")  # as `lobby.address_invitations.ANSWERS`, which costs an import


def _answers(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    return [word for word in _ANSWERS if word.startswith(begun)]


@player_command(
    "rsvp",
    example="perudo rsvp 7XQ2M4KDPLR5NVTA3SWZ6YBHCE yes mia",
    letters=("guest_answer", "invitation_answer", "perudo/started", "perudo/chat", "challenged"),
)
@click.argument("token", cls=Secret)
@click.argument("answer", nargs=-1, shell_complete=_answers)
@message_option
def command(context: Context, token: str, answer: tuple[str, ...]) -> list[Letter]:
    """Answer an invitation that somebody sent to your address.

    The TOKEN is in that letter.  The answer is yes with the name that the others will see, or no,
    or never.  After never, no invitation goes to that address again.  You can also reply to the
    letter, with your answer on the first line.

    With yes you have an account and a seat.  If you are a player already, yes is enough.  An
    account that begins in this way has no password: replies to game letters need none.  The command
    reset brings one.
    """
    from pbmserv.lobby import address_invitations

    return address_invitations.answer(context, token, answer)
