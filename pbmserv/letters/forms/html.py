"""Write a letter's document as an HTML page; `letter.html` has the looks of each block.

All text is escaped by the template.  Blocks and dice that several letters share are written once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Protocol

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup, escape

from pbmserv.letters import document as blocks
from pbmserv.letters.document import HTML, Block, Document, marked, unmarked
from pbmserv.letters.forms.text import dice_of
from pbmserv.letters.wrapping import printable

FACES = dict(enumerate("⚀⚁⚂⚃⚄⚅", 1))
_FILLER = "\u200c\u00a0" * 40  # keeps the text below out of the list of emails
_PICTURED = 6  # faces of a die that has a picture
_LONG_WORD = re.compile(r"\S{40}(?=\S)")
_FOLDABLE = re.compile(r"(.{30}\S{0,99}) ")
_LONG_LINE = re.compile(".{80}(?=.)")
_DIVIDED = "\x04"  # where a long word or line goes on in the next line of the source, unseen
_CAPITALS = re.compile("(?<!^)(?=[A-Z])")


def own_lines(document: Document) -> Iterator[str]:
    """The lines that only this form shows, as a mail program quotes them."""
    yield document.preview
    for block in (*document.blocks, *document.foot):
        if (lines := _OWN_LINES.get(type(block))) is not None:
            yield from lines(block)


def _lines_of_answers(block: blocks.Answers) -> Iterator[str]:
    yield from (f"{bid.quantity} {FACES[bid.face]}" for bid in block.bids if bid.face in FACES)
    yield from (f"{each.title} {each.words}" for each in (*block.bids, *block.others))
    yield from (each.words for each in block.others)  # they have a line of their own


def _lines_of_dice(block: blocks.OwnDice) -> Iterator[str]:
    yield f"{block.label} {' '.join(str(die.face) for die in block.dice)}, {block.note}"


def _lines_of_seats(block: blocks.Seats) -> Iterator[str]:
    for seat in block.seats:
        yield f"{seat.name} {seat.remark} {dice_of(block, seat)} {seat.bid_words}"


_OWN_LINES: Mapping[type[Any], Callable[[Any], Iterable[str]]] = {
    blocks.Headline: lambda block: (block.above, block.title),
    blocks.Paragraph: lambda block: (block.text,) if block.only == HTML else (),
    blocks.Bid: lambda block: (
        f"{block.label} {block.words}",
        f"{block.label} {block.words} {block.quantity}",
    ),
    blocks.OwnDice: _lines_of_dice,
    blocks.Answers: _lines_of_answers,
    blocks.Links: lambda block: (" ".join(each.title for each in block.links),),
    blocks.Cups: lambda block: (f"{block.note} {block.total}",),
    blocks.Seats: _lines_of_seats,
}


class Addresses(Protocol):
    """What the links of a letter open: a `mailto` address."""

    @property
    def reply(self) -> Callable[[str], str] | None:
        """Makes the address of a reply with a word; None if replies need a password."""

    def command(self, command: str, /) -> str:
        """The address of an email with a command as its Subject."""


def written(document: Document, addresses: Addresses) -> str:
    """The letter as a page, with the addresses of its links."""
    parts = [
        [_written(block, addresses) for block in part] for part in (document.blocks, document.foot)
    ]
    preview = document.preview or _title(document)
    return str(_macros()["page"](document.language, document.subject, preview, *parts))


def _title(document: Document) -> str:
    """The title of the headline: without a preview mail programs show the dice beside a Subject."""
    titles = [each.title for each in document.blocks if isinstance(each, blocks.Headline)]
    return unmarked(titles[0]) if titles else ""


def _written(block: Block, addresses: Addresses) -> Markup:
    if isinstance(block, blocks.Answers):
        return _macros()["answers"](block, addresses.reply)
    if isinstance(block, blocks.Links):
        return _macros()["links"](block, addresses.reply, addresses.command)
    return _shared(block)


@lru_cache(maxsize=512)  # the letters of a move share most of their blocks
def _shared(block: Block) -> Markup:
    name = _CAPITALS.sub("_", type(block).__name__).lower()
    return _macros()[name](block)


@cache
def _one_die(face: int, counts: bool, size: int) -> Markup:
    macros = _macros()
    if face > _PICTURED:
        return macros["plain_die"](face, counts)
    return macros["die"](face, counts, size)


def _marked(text: str) -> Markup:
    """The text with its marks in bold; everything else is escaped."""
    return marked(_folded(text), Markup("<b>"), Markup("</b>"))


def _folded(text: str) -> Markup:
    """The text, escaped, in short lines: a line of an email has at most 998 characters.

    They are short enough even if every character becomes an entity.
    """
    return _escaped(_FOLDABLE.sub(r"\1\n", _LONG_WORD.sub(rf"\g<0>{_DIVIDED}", text)))


def _kept(text: str) -> Markup:
    """The text, escaped, with the lines that it has; a long one is divided unseen."""
    return _escaped(_LONG_LINE.sub(rf"\g<0>{_DIVIDED}", text))


def _escaped(text: str) -> Markup:
    return escape(text).replace(_DIVIDED, Markup("<wbr\n>"))


@cache
def _macros() -> Mapping[str, Callable[..., Markup]]:
    """The macros of `letter.html`, by name."""
    source = (files(__package__) / "letter.html").read_text("utf-8")
    environment = Environment(
        loader=FunctionLoader(lambda _: source),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=False,
    )
    environment.filters |= {
        "marked": _marked,
        "kept": _kept,
        "lines_of": lambda text: [
            _folded(printable(line)) for line in text.expandtabs(4).splitlines()
        ],
    }
    environment.globals |= {"one_die": _one_die, "dice_of": dice_of, "filler": _FILLER}
    module: Any = environment.get_template("letter.html").module
    return {name: getattr(module, name) for name in dir(module) if not name.startswith("_")}
