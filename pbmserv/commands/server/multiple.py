"""`multiple`: read the commands from the body."""

from __future__ import annotations

from pbmserv.commands.framework import player_command
from pbmserv.context import Context
from pbmserv.errors import Refused
from pbmserv.letters.payloads.letter import Letter


@player_command(
    "multiple",
    example="multiple",
    letters=("lines",),
)
def command(context: Context) -> list[Letter]:
    """Carry out the commands in the text below, one a line, at most 20.

    Reading stops at a blank line followed by other text, at a signature, or at the word end.  Each
    line works separately, and one letter answers all of them.  At a shell the lines are read from
    standard input.
    """
    raise Refused("multiple_within")
