"""Parse the words of a call with its command, refuse wrong ones, and run the command."""

from __future__ import annotations

from collections.abc import Sequence

import click

from pbmserv.commands.framework import BOARD, HELP_NAMES, PlayerCommand, Secret, find, usage_of
from pbmserv.commands.options import parted
from pbmserv.commands.parser import CommandCall
from pbmserv.context import Context
from pbmserv.errors import Fact, Refused
from pbmserv.letters.payloads.letter import Letter
from pbmserv.security.credentials import (
    BLANKED,
    COMMAND,
    HOLDER,
    LONGEST_PASSWORD,
    SHORTEST_PASSWORD,
)


def prepared(order: CommandCall) -> click.Context:
    """Parse the words of a call with its command.

    Raises Refused `missing_words`, `extra_words`, `board_misplaced`, `unknown_parameter` or
    `shell_only`, or as `PlayerCommand.parse_args`.
    """
    if not {*HELP_NAMES}.isdisjoint(order.words):
        order = CommandCall(order.game, "help", (order.name,))
    command = find(order)
    if not command.by_mail:
        raise Refused("shell_only", command=order.name)
    try:
        made = command.make_context(order.name, list(order.words))
    except click.UsageError as problem:
        raise refusal_of(problem, command, order) from None
    made.meta[COMMAND] = (order.game, order.name, *order.words)
    return made


def refusal_of(problem: click.UsageError, command: PlayerCommand, order: CommandCall) -> Refused:
    """A mistake in the words of a call as a refusal, whose codes `prepared` names."""
    match problem:
        case click.NoSuchOption():
            known = [each for p in command.params for each in p.opts if each.startswith("-")]
            return Refused("unknown_parameter", parameter=problem.option_name, known=known)
        case click.MissingParameter():
            word = problem.param.human_readable_name if problem.param else ""
            found: dict[str, Fact] = {"word": word, "missing": _missing(command, word)}
            found |= {"read": _words_read(command, order.words), "short": _as_reply(order)}
            return Refused("missing_words", **found, **_usage(command, order))
        case click.BadParameter():
            return Refused("board_misplaced", **_usage(command, order))
    return Refused("extra_words", **_usage(command, order))


def _missing(command: PlayerCommand, word: str) -> list[Fact]:
    """The required arguments that are missing: the named one, and those behind it."""
    named = [
        each.human_readable_name
        for each in command.params
        if isinstance(each, click.Argument) and each.required
    ]
    return list(named[named.index(word) :]) if word in named else []


def _words_read(command: PlayerCommand, words: Sequence[str]) -> list[Fact]:
    """The arguments as which words were read, such as `BOARD 12`, without possible passwords.

    In a reply to a letter nobody wrote the userid and the letter's token, so they are left out.
    """
    arguments = [each for each in command.params if isinstance(each, click.Argument)]
    try:
        given = command.ordered(parted(words)[1])
    except Refused:  # about the number of a move, which comes last
        return []
    is_reply = HOLDER in given
    pairs = [
        (each, word)
        for each, word in zip(arguments, given, strict=False)
        if not (is_reply and (word == HOLDER or isinstance(each, Secret)))
    ]
    hides = _may_be_secret if command.takes_secret else lambda *_: False
    return [f"{a.human_readable_name} {BLANKED if hides(a, word) else word}" for a, word in pairs]


def credentials_in(order: CommandCall) -> tuple[str, str] | None:
    """The userid and the password of a refused call, each in its place; None if one is missing.

    A call without the number of its board has them one place earlier.  A password that is to be
    stored proves nothing, and a move is none.
    """
    from pbmserv.commands.bare_moves import reads_as_move

    command = find(order)
    secrets = [each.name for each in command.params if isinstance(each, Secret) and not each.is_new]
    names = [each.name for each in command.params if isinstance(each, click.Argument)]
    try:
        given = command.ordered(parted(order.words)[1])
    except Refused:  # about the number of a move, which comes last
        return None
    if names[:1] == [BOARD] and given and not given[0][:1].isdigit():
        names = names[1:]
    said = dict(zip(names, given, strict=False))
    userid, password = said.get("userid", HOLDER), said.get("password", "")
    if "password" not in secrets or not userid[:1].isalpha() or reads_as_move(password):
        return None
    return (userid, password) if SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD else None


def _as_reply(order: CommandCall) -> str:
    from pbmserv.commands.bare_moves import as_reply

    return as_reply(order.name, order.words)


def _may_be_secret(argument: click.Argument, word: str) -> bool:
    from pbmserv.commands.bare_moves import reads_as_move
    from pbmserv.players.preferences import is_listed

    is_open = reads_as_move(word) or is_listed(word) or (argument.name == BOARD and word.isdigit())
    return len(word) >= SHORTEST_PASSWORD and not is_open


def _usage(command: PlayerCommand, order: CommandCall) -> dict[str, Fact]:
    return {
        "command": f"{order.game} {order.name}".strip(),
        "usage": usage_of(command, order.game),
        "example": command.example,
    }


def run_command(parsed: click.Context, context: Context) -> list[Letter]:
    """Execute the parsed command; returns its letters."""
    parsed.obj = context
    command = parsed.command
    assert command.callback is not None  # `player_command` always sets one
    with parsed:
        letters: list[Letter] = parsed.invoke(command.callback, **parsed.params)
    return letters
