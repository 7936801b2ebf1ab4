"""Leave out a move below a command that makes the same move: it is not a message to the others.

Out of turn it would tell them what the player means to do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from pbmserv.commands.move_lines.bare_moves import reads_as_move
from pbmserv.errors import Refused
from pbmserv.games.perudo.events import Action, Raise
from pbmserv.games.perudo.notation import bare_move, read_action
from pbmserv.text.normalize import plain_line


def without_repeated_move(message: str, asked: Sequence[click.Context | Refused]) -> str:
    """A message without its first line, if that makes a move of the commands again."""
    first, _, rest = message.partition("\n")
    line = plain_line(first).strip(" *.!")
    if not line or not reads_as_move(line):
        return message
    said = {_meant(each) for command in asked for each in _moves_of(command)}
    again = _meant(line)
    # "I doubt it!" below a call is what people say to each other.
    is_plain = isinstance(again, Raise) or len(line.split()) == 1
    return rest.strip() if is_plain and again in said else message


def _moves_of(command: click.Context | Refused) -> Iterator[str]:
    """The moves of a command that moves, or plans to move."""
    if isinstance(command, Refused):
        return
    words = command.params.get("move")
    if command.command.name == "resign":
        yield "resign"
    elif command.command.name in {"move", "queue"} and words:
        yield from (" ".join(words), *words)


def _meant(text: str) -> Action | str:
    """The move that a text makes; an answer to a draw is its word."""
    try:
        return read_action(text)
    except Refused:
        return bare_move(text)
