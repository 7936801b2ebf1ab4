"""Usage errors at a shell: short, and in the language of the shell.

click words them in English.  In another language a player reads the refusal that an email with the
same mistake gets.  Operators' commands are in English, and so are their errors.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import click

from pbmserv.cli.shell_language import other_language
from pbmserv.commands.framework import (
    GAMES,
    HOW_A_MESSAGE_IS_GIVEN,
    JSON_OPTION,
    PlayerCommand,
    commands_of,
)
from pbmserv.commands.parser import CommandCall
from pbmserv.commands.usage_refusals import refusal_of
from pbmserv.errors import Fact, Refused

LONGEST_ERROR = 300  # characters

# What belongs behind a command of each program, and was typed before it.
_JSON_EXAMPLES = {"perudo": "perudo show --json 1", "pbmserv": "pbmserv status --json"}
HOME_OPTION = "--home"  # of each program
_NO_COMMAND = "Missing command."  # as click says it where an option is given


class UnknownCommand(click.UsageError):
    """A word that is not a command; `nearest` is the command that may be meant, or ""."""

    def __init__(self, word: str, nearest: str, context: click.Context) -> None:
        hint = f" Did you mean {nearest}?" if nearest else ""
        super().__init__(f"No such command {word!r}.{hint}", context)
        self.word = word
        self.nearest = nearest


class HowToRestore(click.UsageError):
    """An operator looks for a command that restores a backup; `restored` rolls dice again."""

    def __init__(self, context: click.Context) -> None:
        what = "No command restores a backup. Stop the server, move the home away, and copy the"
        how = "backup to its place: cp -a BACKUP HOME. Then start the server."
        super().__init__(f"{what} {how}", context)


class NoTerminal(click.UsageError):
    """There is no terminal to prompt for a password, as in cron; `variable` may hold it."""

    def __init__(self, variable: str, context: click.Context) -> None:
        what = f"There is no terminal to prompt for the password. Set {variable} instead."
        super().__init__(what, context)
        self.variable = variable


class _Translated(click.UsageError):
    """A usage error in another language, without the lines that click adds in English."""

    def show(self, file: IO[Any] | None = None) -> None:
        """Print it."""
        click.echo(self.message, file, err=True)


@contextmanager
def worded() -> Iterator[None]:
    """Cut the middle out of a usage error that repeats a very long word, and translate it.

    A group that was typed without a command shows its help, which is a usage error, too.  It stays
    as it is.
    """
    try:
        yield
    except _Translated:  # by the group below
        raise
    except click.UsageError as error:
        said = error.format_message()
        if error.ctx and said == error.ctx.get_help():
            raise
        misplaced = _misplaced(error)
        if (language := other_language()) and (refused := misplaced or _refused(error)):
            raise _translated(refused, language, error.ctx) from None
        if misplaced:
            raise click.UsageError(_in_english(misplaced), error.ctx) from None
        if len(said) <= LONGEST_ERROR:
            raise
        short = f"{said[:80]} … {said[-80:]}"
        raise click.UsageError(short, error.ctx) from None


def _misplaced(error: click.UsageError) -> Refused | None:
    """What is said of `--json` before a command, `--home` behind it, or a value of `--json`."""
    if not isinstance(error, click.NoSuchOption) or (context := error.ctx) is None:
        return None
    command, option = context.command, error.option_name
    program, _, rest = context.command_path.partition(" ")
    if isinstance(command, click.Group):
        example = _JSON_EXAMPLES.get(str(command.name), "") if option == JSON_OPTION else ""
    elif option == JSON_OPTION and isinstance(command, PlayerCommand) and command.as_json:
        return Refused("option_with_value", option=option)
    else:
        example = f"{program} {option} DIR {rest}" if option == HOME_OPTION else ""
    if not example:
        return None
    return Refused("option_misplaced", option=option, behind=option == JSON_OPTION, example=example)


def _in_english(misplaced: Refused) -> str:
    """The same for a shell in English, in the style of click."""
    option = misplaced.facts["option"]
    if misplaced.code == "option_with_value":
        return f"Option '{option}' does not take a value."
    where = "after" if misplaced.facts["behind"] else "before"
    return f"{option} belongs {where} the command, as in: {misplaced.facts['example']}"


def _translated(refused: Refused, language: str, context: click.Context | None) -> _Translated:
    from pbmserv.cli import shell_form

    return _Translated(shell_form.refused(refused.code, refused.facts, language), context)


def _refused(error: click.UsageError) -> Refused | None:
    """The refusal that says the same; None for a mistake in an operator's command."""
    context = error.ctx
    match error:
        case UnknownCommand():
            return Refused("unknown_command", word=error.word, nearest=error.nearest)
        case NoTerminal():
            return Refused("no_terminal", variable=error.variable)
        case _ if context and isinstance(context.command, PlayerCommand):
            return _of_players(error, context, context.command)
        case _ if error.message == _NO_COMMAND and context:
            return Refused("no_command", command=context.command_path)
        case click.BadOptionUsage() if context and isinstance(context.command, click.Group):
            if error.option_name != HOME_OPTION:
                return Refused("option_with_value", option=error.option_name)
            given = {"command": context.command_path, "option": error.option_name}
            return Refused("option_without_value", **given)
        case click.NoSuchOption() if context and isinstance(context.command, click.Group):
            names = [each for option in context.command.get_params(context) for each in option.opts]
            return Refused("unknown_parameter", parameter=error.option_name, known=names)
    return None


def _of_players(error: click.UsageError, context: click.Context, command: PlayerCommand) -> Refused:
    name = str(command.name)
    game = next((each for each in GAMES if commands_of(each).get(name) is command), "")
    refused = refusal_of(error, command, CommandCall(game, name, ()))
    facts: dict[str, Fact] = {**refused.facts}
    if "command" in facts:
        facts["command"] = context.command_path
    if command.as_json and isinstance(known := facts.get("known"), list):
        facts["known"] = [*known, JSON_OPTION]
    if HOW_A_MESSAGE_IS_GIVEN in error.message:
        facts["takes_text"] = True
    if error.message == HOW_A_MESSAGE_IS_GIVEN:
        return Refused("text_at_shell")
    return Refused(refused.code, **facts)
