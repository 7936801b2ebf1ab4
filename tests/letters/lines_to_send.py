"""What a reader of a page can type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pbmserv.letters.document import (
    Block,
    Commands,
    Definitions,
    Document,
    Paragraph,
    Steps,
    with_commands,
)
from pbmserv.letters.wrapping import WIDTH, columns_of, one_line


def lines_to_send(blocks: Iterable[Block]) -> Iterator[str]:
    """Lines of their own, words with a meaning that are typed, and commands in sentences."""
    for block in blocks:
        if isinstance(block, Commands):
            yield from block.lines
        elif isinstance(block, Definitions):
            for row in block.rows:
                yield from [row.term] * block.typed
                yield from lines_to_send(row.body)
        elif isinstance(block, Steps):
            yield from (line for body in block.items for line in lines_to_send(body))
        elif isinstance(block, Paragraph):
            yield from in_sentences(block.text)


def wide_lines(text: str, document: Document) -> list[str]:
    """The lines of a letter's text that have more than 72 columns, but are not a whole command."""
    whole = set(map(one_line, lines_to_send([*document.blocks, *document.foot])))
    wide = (line for line in text.split("\n") if columns_of(line.rstrip()) > WIDTH)
    return [line for line in wide if line.strip() not in whole]


def in_sentences(text: str) -> list[str]:
    """The marked commands of a text."""
    found: list[str] = []

    def noted(command: str) -> str:
        found.append(command)
        return command

    with_commands(text, noted)
    return found
