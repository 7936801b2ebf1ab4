"""Write rows whose text has more lines than one: definitions and steps, as text.

Their lines are indented, so a mail program may not wrap them again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
)
from pbmserv.letters.wrapping import WIDTH, columns_of, wrapped

INDENT = "  "
_BELOW = INDENT * 2  # of meanings that are not beside their words
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
        found += [hung + line for line in lines]
        if any(_has_lines_to_send(each.body) for each in block.rows):
            found.append("")
    return "\n".join(found).rstrip("\n")


def steps(block: Steps, width: int = WIDTH) -> str:
    """The steps with their numbers, and an empty line between them."""
    found = []
    for number, body in enumerate(block.items, 1):
        mark = f"{number}. "
        lines = _body(body, width - len(mark))
        found.append(mark + f"\n{' ' * len(mark)}".join(lines))
    return "\n\n".join(found)


def command(line: str, width: int = WIDTH) -> Sequence[str]:
    """A line to send; a long one goes on in a deeper column."""
    if columns_of(line) <= width - len(INDENT):
        return [INDENT + line]
    return (INDENT + wrapped(line, _BELOW, width - len(INDENT))).split("\n")


def _has_lines_to_send(body: Iterable[Block]) -> bool:
    return any(isinstance(each, Commands) for each in body)


def _body(body: Iterable[Block], width: int) -> Iterator[str]:
    """The lines of a row's blocks."""
    for block in body:
        yield from _FORMS[type(block)](block, width)


_FORMS: Mapping[type[Any], Callable[[Any, int], Iterable[str]]] = {
    Paragraph: lambda block, width: wrapped(unmarked(block.text), "", width).split("\n"),
    Commands: lambda block, width: [line for each in block.lines for line in command(each, width)],
    Definitions: lambda block, width: definitions(block, width).split("\n"),
    Steps: lambda block, width: steps(block, width).split("\n"),
}
