"""Parse the words of a call with its command, and run the command."""

from __future__ import annotations

import click

from pbmserv.commands.framework import BOARD, FOLLOWED, HELP_NAMES, Secret, find
from pbmserv.commands.options import parted
from pbmserv.commands.parser import CommandCall
from pbmserv.commands.usage_refusals import refusal_of
from pbmserv.context import Context
from pbmserv.errors import Refused
from pbmserv.letters.payloads.letter import Letter
from pbmserv.security.credentials import (
    COMMAND,
    HOLDER,
    LONGEST_PASSWORD,
    SHORTEST_PASSWORD,
)


def prepared(call: CommandCall) -> click.Context:
    """Parse the words of a call with its command.

    Raises Refused `missing_words`, `extra_words`, `board_misplaced`, `unknown_parameter` or
    `shell_only`, or as `PlayerCommand.parse_args`.
    """
    if not {*HELP_NAMES}.isdisjoint(call.words):
        call = CommandCall(call.game, "help", (call.name,))
    command = find(call)
    if not command.by_mail:
        raise Refused("shell_only", command=call.name)
    try:
        made = command.make_context(call.name, list(call.words))
    except click.UsageError as problem:
        raise refusal_of(problem, command, call) from None
    made.meta[COMMAND] = (call.game, call.name, *call.words)
    made.meta[FOLLOWED] = call.is_followed
    return made


def credentials_in(call: CommandCall) -> tuple[str, str] | None:
    """The userid and the password of a refused call, each in its place; None if one is missing.

    A call without the number of its board has them one place earlier.  A new
    password proves nothing, and a move is not a password.
    """
    from pbmserv.commands.move_lines.bare_moves import reads_as_move

    command = find(call)
    secrets = [each.name for each in command.params if isinstance(each, Secret) and not each.is_new]
    names = [each.name for each in command.params if isinstance(each, click.Argument)]
    try:
        given = command.ordered(parted(call.words)[1])
    except Refused:  # about the number of a move, which comes last
        return None
    if names[:1] == [BOARD] and given and not given[0][:1].isdigit():
        names = names[1:]
    said = dict(zip(names, given, strict=False))
    userid, password = said.get("userid", HOLDER), said.get("password", "")
    if "password" not in secrets or not userid[:1].isalpha() or reads_as_move(password):
        return None
    return (userid, password) if SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD else None


def run_command(parsed: click.Context, context: Context) -> list[Letter]:
    """Execute the parsed command; returns its letters."""
    parsed.obj = context
    command = parsed.command
    assert command.callback is not None  # `player_command` always sets one
    with parsed:
        letters: list[Letter] = parsed.invoke(command.callback, **parsed.params)
    return letters
