"""The command `perudo help`: explain the rules and moves of Perudo."""

from __future__ import annotations

import click

from pbmserv.commands.completion import subjects
from pbmserv.commands.framework import player_command
from pbmserv.context import Context
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.mails import HELP


@player_command(
    "help",
    example="perudo help rules bga",
    letters=("help",),
    reads=True,
)
@click.argument("subject", nargs=-1, shell_complete=subjects)
def command(context: Context, subject: tuple[str, ...]) -> list[Letter]:
    """Explain Perudo: its rules, its moves, or one of its commands.

    SUBJECT is a command, or a page such as dice or rules bga; perudo help help lists all pages.
    """
    from pbmserv.commands import manual

    return [HELP.to(None, manual.payload_of("perudo", subject or ("perudo",)))]
