"""A mistake in the words of a call as a refusal: too few, too many, in a wrong place, unknown."""

from __future__ import annotations

from collections.abc import Sequence

import click

from pbmserv.commands.framework import BOARD, PlayerCommand, Secret, usage_of
from pbmserv.commands.options import parted
from pbmserv.commands.parser import CommandCall
from pbmserv.errors import Fact, Refused
from pbmserv.security.credentials import BLANKED, HOLDER, SHORTEST_PASSWORD


def refusal_of(problem: click.UsageError, command: PlayerCommand, call: CommandCall) -> Refused:
    """A mistake in the words of a call as a refusal, whose codes `prepared` names."""
    match problem:
        case click.NoSuchOption():
            known = [each for p in command.params for each in p.opts if each.startswith("-")]
            return Refused("unknown_parameter", parameter=problem.option_name, known=known)
        case click.MissingParameter():
            word = problem.param.human_readable_name if problem.param else ""
            found: dict[str, Fact] = {"word": word, "missing": _missing(command, word)}
            found |= {"read": _words_read(command, call.words), "short": _as_reply(call)}
            return Refused("missing_words", **found, **_usage(command, call))
        case click.BadParameter():
            return Refused("board_misplaced", **_usage(command, call))
    return Refused("extra_words", **_usage(command, call))


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


def _as_reply(call: CommandCall) -> str:
    from pbmserv.commands.move_lines.bare_moves import as_reply

    return as_reply(call.name, call.words)


def _may_be_secret(argument: click.Argument, word: str) -> bool:
    from pbmserv.commands.move_lines.bare_moves import reads_as_move
    from pbmserv.players.preferences import is_listed

    is_open = reads_as_move(word) or is_listed(word) or (argument.name == BOARD and word.isdigit())
    return len(word) >= SHORTEST_PASSWORD and not is_open


def _usage(command: PlayerCommand, call: CommandCall) -> dict[str, Fact]:
    return {
        "command": f"{call.game} {call.name}".strip(),
        "usage": usage_of(command, call.game),
        "example": command.example,
    }
