"""Write a letter's document as an HTML page; `letter.html` has the looks of each block.

All text is escaped by the template.  Blocks and dice that several letters share are written once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Protocol

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup, escape

from pbmserv.letters import document as blocks
from pbmserv.letters.document import Block, Document, marked
from pbmserv.letters.forms.text import dice_of
from pbmserv.letters.wrapping import printable

FACES = dict(enumerate("⚀⚁⚂⚃⚄⚅", 1))
_FILLER = Markup("&#847;&zwnj;&nbsp;" * 40)  # keeps the text below out of the list of emails
_PICTURED = 6  # faces of a die that has a picture
_CAPITALS = re.compile("(?<!^)(?=[A-Z])")


def own_lines(document: Document) -> Iterator[str]:
    """The lines that only this form shows, as a mail program quotes them."""
    for block in (*document.blocks, *document.foot):
        match block:
            case blocks.Headline(title=title, above=above):
                yield from (above, title)
            case blocks.Paragraph(text=text, only=blocks.HTML):
                yield text
            case blocks.Bid(label=label, words=words, quantity=quantity):
                yield from (f"{label} {words}", f"{label} {words} {quantity}")
            case blocks.OwnDice(label=label, dice=dice, note=note):
                yield f"{label} {' '.join(str(die.face) for die in dice)}, {note}"
            case blocks.Answers(bids=bids, others=others):
                yield from (
                    f"{each.quantity} {FACES[each.face]}" for each in bids if each.face in FACES
                )
                yield from (f"{each.title} {each.words}" for each in (*bids, *others))
            case blocks.Links(links=links):
                yield " ".join(each.title for each in links)
            case blocks.Cups(note=note, total=total):
                yield f"{note} {total}"
            case blocks.Seats(seats=seats):
                for seat in seats:
                    yield f"{seat.name} {seat.remark} {dice_of(block, seat)} {seat.bid_words}"


class Addresses(Protocol):
    """What the links of a letter open: a `mailto` address."""

    @property
    def reply(self) -> Callable[[str], str] | None:
        """Makes the address of a reply with a word; None if replies need a password."""

    @property
    def command(self) -> Callable[[str], str]:
        """Makes the address of an email with a command as its Subject."""


def written(document: Document, addresses: Addresses) -> str:
    """The letter as a page, with the addresses of its links."""
    parts = [
        [_written(block, addresses) for block in part] for part in (document.blocks, document.foot)
    ]
    return str(_macros()["page"](document.language, document.subject, document.preview, *parts))


def plain_page(subject: str, text: str) -> str:
    """A letter that has no document yet, with its lines as they are."""
    document = Document("en", subject, blocks=[blocks.Printed(text)])
    return written(document, _NoLinks())


class _NoLinks:
    """No link leads anywhere."""

    reply = None

    def command(self, line: str) -> str:
        """Nowhere."""
        return ""


def _written(block: Block, addresses: Addresses) -> Markup:
    if isinstance(block, blocks.Answers):
        return Markup(_macros()["answers"](block, addresses.reply))
    if isinstance(block, blocks.Links):
        return Markup(_macros()["links"](block, addresses.reply, addresses.command))
    return _shared(block)


@lru_cache(maxsize=512)  # the letters of a move share most of their blocks
def _shared(block: Block) -> Markup:
    name = _CAPITALS.sub("_", type(block).__name__).lower()
    return Markup(_macros()[name](block))


@cache
def _one_die(face: int, counts: bool, size: int) -> Markup:
    macros = _macros()
    if face > _PICTURED:
        return Markup(macros["plain_die"](face, counts))
    return Markup(macros["die"](face, counts, size))


def _marked(text: str) -> Markup:
    """The text with its marks in bold; everything else is escaped."""
    return Markup(marked(str(escape(text)), "<b>", "</b>"))


@cache
def _macros() -> Mapping[str, Callable[..., str]]:
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
        "lines_of": lambda text: [printable(line) for line in text.expandtabs(4).splitlines()],
    }
    environment.globals |= {"one_die": _one_die, "dice_of": dice_of, "filler": _FILLER}
    module: Any = environment.get_template("letter.html").module
    return {name: getattr(module, name) for name in dir(module) if not name.startswith("_")}
