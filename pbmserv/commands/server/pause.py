"""`pause`: get no more letters at the address from which one writes."""

from __future__ import annotations

from pbmserv.commands.framework import player_command
from pbmserv.context import Context
from pbmserv.errors import Refused
from pbmserv.letters.payloads.accounts import PAUSE_ASKED
from pbmserv.letters.payloads.letter import Letter


@player_command("pause", example="pause", letters=("paused", "pause_asked", "unreachable"))
def command(context: Context) -> list[Letter]:
    """Get no more letters at the address from which you write.

    By email you can also write stop or unsubscribe.  Your account and your seats stay.  Any email
    from that address ends the pause.  If nothing proves that you wrote the email, a letter asks you
    to reply.
    """
    from pbmserv.boards import authorship
    from pbmserv.deliverability import suppression
    from pbmserv.lobby import invited_addresses

    if context.at_shell:
        raise Refused("pause_by_email")
    if not context.owners:
        invited_addresses.refuse_for(context, context.sender)
        return []
    if authorship.answers(context):
        return suppression.asked(context, None, context.sender)
    return [PAUSE_ASKED.to(None, {"address": context.sender})]
