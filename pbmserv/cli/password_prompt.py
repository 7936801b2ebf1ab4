"""Ask for the passwords of a player's command at a shell, without showing what is typed.

A running server asks through its caller: `cli/caller_files.py` sends the prompt, and
`cli/client.py` reads the answer.
"""

from __future__ import annotations

import os
from getpass import GetPassWarning
from typing import TYPE_CHECKING
from warnings import catch_warnings, simplefilter

import click

from pbmserv.cli.shell_language import shell_language
from pbmserv.cli.usage_errors import NoTerminal
from pbmserv.commands.framework import ASKED, Secret
from pbmserv.security.credentials import IS_ELSEWHERE

if TYPE_CHECKING:  # `--help` need not pay for it
    from pbmserv.letters.prompts import Prompts

PASSWORD = "PBMSERV_PASSWORD"  # noqa: S105 - the name of a variable
NEW = "PBMSERV_NEW_PASSWORD"


def ask_for_secrets(context: click.Context) -> None:
    """Replace each `-` for a secret by the environment's value, or by what is typed, unseen.

    `meta` says then that no word of the command is to be the password.
    The variables are PBMSERV_PASSWORD, and PBMSERV_NEW_PASSWORD for a new password.  Raises
    NoTerminal if neither is there.
    """
    for parameter in context.command.params:
        name = parameter.name or ""
        given = context.params.get(name)
        if not isinstance(parameter, Secret):
            continue
        if isinstance(given, tuple):
            found = [_secret(context, NEW) if each == ASKED else each for each in given]
            context.params[name] = tuple(found)
        elif given == ASKED:
            context.params[name] = _secret(context, PASSWORD)
            context.meta[IS_ELSEWHERE] = True


def _secret(context: click.Context, variable: str) -> str:
    found = os.environ.get(variable)
    return _typed_unseen(context, variable) if found is None else found


def _typed_unseen(context: click.Context, variable: str) -> str:
    """A password typed at a terminal; raises a usage error without one, as in cron."""
    with catch_warnings():
        simplefilter("error", GetPassWarning)
        try:
            asked = shell_prompts().new_password if variable == NEW else shell_prompts().password
            return str(click.prompt(asked, prompt_suffix=" ", hide_input=True, err=True))
        except GetPassWarning:
            raise NoTerminal(variable, context) from None


def shell_prompts() -> Prompts:
    """What a shell prints when it waits, in the language of the shell."""
    from pbmserv.letters import prompts, render

    return render.whole(prompts.prompts, shell_language())
