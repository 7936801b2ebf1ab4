"""What a reader's terminal shows: colours where they help, progress, and lines that fit it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping

import click

from pbmserv.commands.framework import HELP_NAMES
from pbmserv.letters.wrapping import columns_of

WIDTH = 80  # columns
_WORD = re.compile(r"(?<! ) *[^ ]+")
HELP = {"help_option_names": HELP_NAMES}  # settings of a click command that is not a player's


def colours(environ: Mapping[str, str]) -> bool | None:
    """Whether colours may be written: False for never, None if standard output decides it.

    click leaves them out where the output is not a terminal.  NO_COLOR (https://no-color.org) and a
    terminal that says that it knows no escapes have none at all.
    """
    return False if environ.get("NO_COLOR") or environ.get("TERM") == "dumb" else None


def folded(line: str, hang: int | None = None) -> str:
    """The line in lines of at most 80 columns; those after the first begin with `hang` blanks.

    Without `hang` these are four more than the line has.  Blanks between words are kept where the
    line is not broken.  A word longer than a line is cut.
    """
    if columns_of(line) <= WIDTH:
        return line
    hang = len(line) - len(line.lstrip(" ")) + 4 if hang is None else hang
    lines, now = [], ""
    for piece in _pieces(line, WIDTH - hang):
        if now.strip() and columns_of(now + piece) > WIDTH:
            lines.append(now)
            now = " " * hang + piece.lstrip(" ")
        else:
            now += piece
    return "\n".join([*lines, now])


def _pieces(line: str, most: int) -> Iterator[str]:
    """The words, each with the blanks in front of it; of long words parts of `most` columns."""
    for word in _WORD.findall(line):
        part = ""
        for character in word:
            if columns_of(part.lstrip(" ") + character) > most:
                yield part
                part = ""
            part += character
        yield part


def progress(text: str) -> None:
    """Show on the terminal's last line what is being done now; "" removes it.

    It writes no escapes, and nothing if standard error is not a terminal.
    """
    if sys.stderr.isatty():
        last = WIDTH - 1  # a terminal may go to the next line behind the last column
        click.echo(f"\r{text[:last]:<{last}}\r", nl=False, err=True)
