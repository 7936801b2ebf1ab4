"""`message`: send a message to other players."""

from __future__ import annotations

import click

from pbmserv.commands.framework import Secret, message_option, player_command
from pbmserv.commands.name_lists import named
from pbmserv.context import Context
from pbmserv.letters.payloads.letter import Letter


@player_command(
    "message",
    example="message ann secret bob cleo",
    letters=("message", "message_sent"),
    ordered=lambda words: [*words[:2], *named(words[2:])],
)
@click.argument("userid")
@click.argument("password", cls=Secret, by_button=True)
@click.argument("to", nargs=-1, required=True)
@message_option
def command(context: Context, userid: str, password: str, to: tuple[str, ...]) -> list[Letter]:
    """Write to other players.

    The text below the command goes to each of them.  TO is one to ten userids.  They do not see
    your address.  To answer, they reply to the letter.  At a shell the text is read from standard
    input, or given with --message=TEXT.

    Until you have finished a game with another person, you can send three messages a day.  A
    message to two players counts twice.
    """
    from pbmserv.lobby import messages

    return messages.to_players(context, context.account(userid, password), to)
