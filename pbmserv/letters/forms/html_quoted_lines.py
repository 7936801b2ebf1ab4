"""The lines that only the HTML form of a letter shows, as a mail program quotes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pbmserv.letters import document as blocks
from pbmserv.letters.document import HTML, Block
from pbmserv.letters.forms.html_widths import FACES, compact_title
from pbmserv.letters.forms.text import dice_of


def of_block(block: Block) -> Iterable[str]:
    """The lines that only this form shows, as a mail program quotes them."""
    lines = _OWN_LINES.get(type(block))
    return lines(block) if lines else ()


def _lines_of_answers(block: blocks.Answers) -> Iterator[str]:
    yield from (f"{bid.quantity} {FACES[bid.face]}" for bid in block.bids if bid.face in FACES)
    yield from (f"{each.title} {each.words}" for each in (*block.bids, *block.others))
    yield from (each.words for each in block.others)  # they have a line of their own
    if block.compact:
        yield " ".join(compact_title(each) for each in (*block.bids, *block.others))
        yield from (compact_title(each) for each in (*block.bids, *block.others))


def _lines_of_dice(block: blocks.OwnDice) -> Iterator[str]:
    yield f"{block.label} {' '.join(str(die.face) for die in block.dice)}, {block.note}"


def _lines_of_seats(block: blocks.Seats) -> Iterator[str]:
    for seat in block.seats:
        yield f"{seat.name} {seat.remark} {dice_of(block, seat)} {seat.bid_words}"


def _lines_of_definitions(block: blocks.Definitions) -> Iterator[str]:
    for row in block.rows:
        yield row.term
        yield from _lines_of_bodies([row.body])


def _lines_of_bodies(bodies: Iterable[Iterable[Block]]) -> Iterator[str]:
    """The lines of rows, which text indents and divides at other words."""
    for block in (each for body in bodies for each in body):
        if isinstance(block, blocks.Paragraph):
            yield block.text
        elif isinstance(block, blocks.Commands):
            yield from block.lines
        else:
            yield from _OWN_LINES[type(block)](block)


_OWN_LINES: Mapping[type[Any], Callable[[Any], Iterable[str]]] = {
    blocks.Headline: lambda block: (block.above, block.title),
    blocks.Paragraph: lambda block: (block.text,) if block.only == HTML else (),
    blocks.BidToBeat: lambda block: (
        f"{block.label} {block.words}",
        f"{block.label} {block.words} {block.quantity}",
    ),
    blocks.Definitions: _lines_of_definitions,
    blocks.Steps: lambda block: _lines_of_bodies(block.items),
    blocks.OwnDice: _lines_of_dice,
    blocks.Answers: _lines_of_answers,
    blocks.Commands: lambda block: block.titles,
    blocks.Links: lambda block: (" ".join(each.title for each in block.links),),
    blocks.Cups: lambda block: (f"{block.note} {block.total}",),
    blocks.Seats: _lines_of_seats,
}
