"""`help`: a page of the manual."""

from __future__ import annotations

import click

from pbmserv.commands import player_command
from pbmserv.completion import subjects
from pbmserv.desk import Desk, Letter
from pbmserv.facts.mails import HELP


@player_command(
    "help",
    example="help challenge",
    letters=("help",),
    reads=True,
)
@click.argument("subject", nargs=-1, shell_complete=subjects)
def command(desk: Desk, subject: tuple[str, ...]) -> list[Letter]:
    """Send a page of the manual.

    SUBJECT is a command, or a page such as tutorial or rules bga.  Without a subject all commands
    are listed; help help lists all pages.
    """
    from pbmserv import manual

    return [HELP.to(None, manual.facts_of("", subject or ("commands",)))]
