"""`help`: send a page of the manual."""

from __future__ import annotations

import click

from pbmserv.commands.completion import subjects
from pbmserv.commands.framework import player_command
from pbmserv.context import Context
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.mails import HELP


@player_command(
    "help",
    example="help challenge",
    letters=("help",),
    reads=True,
)
@click.argument("subject", nargs=-1, shell_complete=subjects)
def command(context: Context, subject: tuple[str, ...]) -> list[Letter]:
    """Send a page of the manual.

    SUBJECT is a command, or a page such as tutorial or rules bga.  Without a subject you get all
    commands, or a short page in reply to a letter.  help help lists all pages.
    """
    from pbmserv.commands import manual

    asked = manual.without_manners(subject)
    credentials = getattr(context, "credentials", None)  # none at a shell, which opens no home
    if not asked and credentials is not None and credentials.answers:
        return [HELP.to(None, manual.payload_of("", (manual.IN_SHORT,)))]
    return [HELP.to(None, manual.payload_of("", asked or ("commands",)))]
