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
    commands; help help lists all pages.
    """
    from pbmserv.commands import manual

    return [HELP.to(None, manual.payload_of("", subject or ("commands",)))]
