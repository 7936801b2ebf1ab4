"""Write rows whose text has more lines than one: definitions and steps, as text.

Their lines are indented, so a mail program may not wrap them again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from pbmserv.letters.document import (
    Block,
    Commands,
    Definitions,
    Paragraph,
    Steps,
    capitals,
    unmarked,
    with_commands,
)
from pbmserv.letters.wrapping import WIDTH, columns_of, one_line, wrapped

INDENT = "  "
_BELOW = INDENT * 2  # of meanings that are not beside their words
_BLANK = "\x06"  # within a command; no text has this character
_WIDEST, _WIDEST_HEADING = 22, 14  # columns of the words beside which meanings stand


@lru_cache(maxsize=256)  # a page of the manual is the same for all readers
def definitions(block: Definitions, width: int = WIDTH) -> str:
    """The words in a column, in capitals if they are headings, and their meanings beside it.

    A word that is too long for the column has its meaning below it.
    """
    indent = INDENT if block.typed and not block.stacked else ""
    terms = [row.term if block.typed else capitals(row.term) for row in block.rows]
    widest = 0 if block.stacked else _WIDEST if block.typed else _WIDEST_HEADING
    column = max((each for each in map(columns_of, terms) if each <= widest), default=0)
    hung = " " * (len(indent) + column + 2) if column else _BELOW
    found = []
    for term, row in zip(terms, block.rows, strict=True):
        lines = list(_body(row.body, width - len(hung)))
        first = indent + term
        if columns_of(term) <= column:
            beside = lines.pop(0) if lines else ""
            found.append((first + " " * (len(hung) - columns_of(first)) + beside).rstrip())
        else:
            found.append(indent + wrapped(term, _BELOW * 2, width - len(indent)))
        found += [indented(hung, line, width) for line in lines]
        if any(_has_lines_to_send(each.body) for each in block.rows):
            found.append("")
    return "\n".join(found).rstrip("\n")


def steps(block: Steps, width: int = WIDTH) -> str:
    """The steps with their numbers, and an empty line between them."""
    found = []
    for number, body in enumerate(block.items, 1):
        mark = f"{number}. "
        first, *more = _body(body, width - len(mark))
        found.append(
            "\n".join([mark + first, *(indented(" " * len(mark), x, width) for x in more)])
        )
    return "\n\n".join(found)


def command(line: str, width: int = WIDTH) -> str:
    """A line to send; it is whole, so that it can be copied, however long it is."""
    return indented(INDENT, one_line(line), width)


def indented(by: str, line: str, width: int = WIDTH) -> str:
    """The line with an indent, a smaller one if the line is too long for it."""
    if columns_of(by) + columns_of(line) <= width:
        return by + line
    bare = line.lstrip(" ")
    room = width - columns_of(bare)
    return " " * (len(INDENT) if room < 0 else min(len(by), room)) + bare


@lru_cache(maxsize=1024)  # many paragraphs are the same in many letters
def prose(text: str, indent: str = "", width: int = WIDTH) -> str:
    """The text of a block in lines as by `wrapped`, and no line ends within a command."""
    bound = with_commands(
        text, lambda typed: typed.replace(" ", _BLANK) if columns_of(typed) <= width else typed
    )
    return wrapped(unmarked(bound), indent, width).replace(_BLANK, " ")


def _has_lines_to_send(body: Iterable[Block]) -> bool:
    return any(isinstance(each, Commands) for each in body)


def _body(body: Iterable[Block], width: int) -> Iterator[str]:
    """The lines of a row's blocks."""
    for block in body:
        yield from _FORMS[type(block)](block, width)


_FORMS: Mapping[type[Any], Callable[[Any, int], Iterable[str]]] = {
    Paragraph: lambda block, width: prose(block.text, "", width).split("\n"),
    Commands: lambda block, width: [command(each, width) for each in block.lines],
    Definitions: lambda block, width: definitions(block, width).split("\n"),
    Steps: lambda block, width: steps(block, width).split("\n"),
}
