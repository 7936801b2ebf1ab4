"""Write a letter's document as an HTML page; `letter.html` has the looks of each block.

All text is escaped by the template.  Dice and rows that several letters share are written once, and
`shared_blocks.py` does the same with blocks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, NamedTuple, Protocol, TypeGuard

from jinja2 import FunctionLoader, StrictUndefined
from markupsafe import Markup, escape

from pbmserv.letters import document as blocks
from pbmserv.letters.compiled_templates import COMPILED
from pbmserv.letters.document import TEXT, Block, Document, unmarked
from pbmserv.letters.forms import html_texts, html_widths
from pbmserv.letters.forms.text import dice_of
from pbmserv.letters.templates import DirectEnvironment
from pbmserv.letters.wrapping import printable

_FILLER = "\u200c\u00a0" * 40  # keeps the dice below out of the list of emails
_ADDRESS = "\x05"  # where the address of a link will stand
_HERE = Markup("\x06")  # where the blocks of a page will stand
_CAPITALS = re.compile("(?<!^)(?=[A-Z])")
_OF_ONE_FORM = (blocks.Commands, blocks.Definitions, blocks.Paragraph)
_WITH_DICE = (blocks.BidToBeat, blocks.Cups, blocks.OwnDice, blocks.Seats)
# Classes whose rules only pages with them have.  Words of players cannot have them: a quotation
# mark is escaped.
_STYLED = frozenset(["b", "bc", "bd", "bo", "d", "dc", "k", "l", "q", "r", "s", "u", "y", "you"])
_CLASSES = re.compile('class="([^"]*)"')


class Addresses(Protocol):
    """What the links of a letter open: a `mailto` address, in parts that other links may share."""

    @property
    def reply(self) -> Callable[[str], tuple[str, ...]] | None:
        """Makes the address of a reply with a word; None if replies need a password."""

    @property
    def press(self) -> Callable[[str, int, bool], str] | None:
        """Makes the address of a command whose PASSWORD is a token; None if there are no tokens.

        Its arguments are as in `Commands`: a line, `until` and `is_open`.
        """

    def command(self, command: str, /) -> tuple[str, ...]:
        """The address of an email with a command as its Subject."""

    def of_board(self, board: int | None, /) -> Addresses:
        """The addresses for answers about one of several boards; None stands for the letter."""


class PageBlock(NamedTuple):
    """A block on a page, without the addresses of its links; it ends its line.

    It is the part before the first address, and what each link opens with the part behind it: the
    word of a reply and "", or "" and a command.  `styled` are its classes with rules of their own.
    """

    first: str
    links: Sequence[tuple[str, str, str]]
    styled: frozenset[str]


class Formed(Protocol):
    """A block with its form, and what `has_addresses` and `has_dice` say of it."""

    block: Block
    has_addresses: bool
    has_dice: bool

    def page(self, *, has_reply: bool) -> PageBlock:
        """What `of_block` makes of it."""


def page(
    document: Document, body: Sequence[Formed], foot: Sequence[Formed], addresses: Addresses
) -> Sequence[str]:
    """The letter of these blocks as a page, with the addresses of its links, in parts."""
    styled: set[str] = set()
    inner, below = _filled(body, addresses, styled), _filled(foot, addresses, styled)
    has_dice = any(each.has_dice for each in body)
    preview = document.preview or (_title(document) if has_dice else "")
    is_compact = any(isinstance(each, blocks.Section) and each.compact for each in document.blocks)
    around = _frame(
        document.language, bool(preview), bool(foot), has_dice, is_compact, frozenset(styled)
    )
    head = around[0], escape(document.subject), around[1], html_texts.in_bold(preview)
    return *head, around[2], *inner, around[3], *below, around[4]


def _filled(formed: Iterable[Formed], addresses: Addresses, styled: set[str]) -> Sequence[str]:
    """Blocks in parts, with the addresses of one letter; adds their classes to `styled`."""
    found: list[str] = []
    for each in formed:
        if each.has_addresses:
            shown, its = _addressed(each, addresses)
            found.append(shown.first)
            found += _linked(shown, its)
        else:
            shown = each.page(has_reply=False)
            found.append(shown.first)
        if shown.styled:
            styled |= shown.styled
    return found


def _addressed(each: Formed, addresses: Addresses) -> tuple[PageBlock, Addresses]:
    """A block that may have links, and the addresses that they open."""
    block = each.block
    if isinstance(block, (blocks.Answers, blocks.Links)) and block.board is not None:
        addresses = addresses.of_board(block.board)
    if _is_pressed(block, addresses):
        return _buttons(block, addresses), addresses
    return each.page(has_reply=addresses.reply is not None), addresses


def has_addresses(block: Block) -> bool:
    """Whether what a page shows of a block depends on the addresses of its letter."""
    return isinstance(block, (blocks.Answers, blocks.Commands, blocks.Links))


def has_dice(block: Block) -> bool:
    """Whether a block has dice, which no list of emails may show."""
    return isinstance(block, _WITH_DICE) or (isinstance(block, blocks.Answers) and bool(block.bids))


@lru_cache(maxsize=256)
def _frame(
    language: str,
    has_preview: bool,
    has_foot: bool,
    has_dice: bool,
    is_compact: bool,
    styled: frozenset[str],
) -> Sequence[str]:
    """The page around its title, its preview, its blocks and those of the foot."""
    preview, foot = _HERE if has_preview else "", [_HERE] if has_foot else []
    page = str(
        _macros()["page"](language, _HERE, preview, [_HERE], foot, has_dice, is_compact, styled)
    )
    found = page.split(_HERE)
    for place, is_there in ((2, has_preview), (3, has_foot)):
        if not is_there:
            found.insert(place, "")
    return *found[:3], *(each.removeprefix("\n") for each in found[3:])  # blocks end with one


def _title(document: Document) -> str:
    """The title of the headline: without a preview mail programs show the dice beside a Subject."""
    titles = [each.title for each in document.blocks if isinstance(each, blocks.Headline)]
    return unmarked(titles[0]) if titles else ""


def of_block(block: Block, *, has_reply: bool) -> PageBlock:
    """A block on a page; `has_reply`: its links open replies."""
    if isinstance(block, (blocks.Answers, blocks.Links)):
        return _unaddressed(block, has_reply=has_reply)
    if isinstance(block, _OF_ONE_FORM) and block.only == TEXT:
        return PageBlock("\n", (), frozenset())
    return _without_links(f"{_formed(block)}\n")


def _without_links(page: str) -> PageBlock:
    """A block without links, as it is written."""
    return PageBlock(page, (), _styled(page))


def _styled(page: str) -> frozenset[str]:
    return _with_rules(frozenset(_CLASSES.findall(page)))


@lru_cache(maxsize=256)  # blocks of a kind have the same few
def _with_rules(classes: frozenset[str]) -> frozenset[str]:
    """The classes with rules of their own among the values of `class`."""
    return _STYLED & {name for each in classes for name in each.split()}


def _buttons(block: blocks.Commands, addresses: Addresses) -> PageBlock:
    """Lines to send, as buttons or links that open them with a token."""
    press = addresses.press
    assert press is not None
    opened = [press(line, block.until, block.is_open) for line in block.lines]
    both = zip(block.titles, opened, strict=True)
    if block.kind == blocks.SMALL:
        links = blocks.Links(tuple(blocks.Link(title, command=link) for title, link in both))
        return _without_links(f"{_macros()['links'](links, None, str, height=44)}\n")
    found = [blocks.Answer("", "", block.kind, title, command=link) for title, link in both]
    return _without_links(f"{_macros()['answers'](blocks.Answers((), tuple(found)), None, str)}\n")


_escaped = lru_cache(maxsize=1024)(escape)  # the links of a letter share parts of addresses


def _linked(shown: PageBlock, addresses: Addresses) -> Sequence[str]:
    """The links of a block in parts, with the addresses of one letter."""
    found: list[str] = []
    reply = addresses.reply
    for word, command, part in shown.links:
        opened = reply(word) if reply and not command else addresses.command(command)
        found += map(_escaped, opened)
        found.append(part)
    return found


def _unaddressed(block: blocks.Answers | blocks.Links, *, has_reply: bool) -> PageBlock:
    """A block of links, whose addresses are those of one letter."""
    opened: list[tuple[str, str]] = []

    def reply(word: str) -> str:
        opened.append((word, ""))
        return _ADDRESS

    def command(words: str) -> str:
        opened.append(("", words))
        return _ADDRESS

    name = "answers" if isinstance(block, blocks.Answers) else "links"
    page = _macros()[name](block, reply if has_reply else None, command)
    first, *parts = f"{page}\n".split(_ADDRESS)
    links = [(*each, part) for each, part in zip(opened, parts, strict=True)]
    return PageBlock(first, links, _styled(page))


def _is_pressed(block: Block, addresses: Addresses) -> TypeGuard[blocks.Commands]:
    """Whether buttons are shown instead of lines to send."""
    return isinstance(block, blocks.Commands) and bool(block.titles and addresses.press)


def _formed(block: Block) -> Markup:
    return _macros()[_macro_for(type(block).__name__)](block)


@cache
def _macro_for(kind: str) -> str:
    return _CAPITALS.sub("_", kind).lower()


@lru_cache(maxsize=1024)  # the letters of a move differ in the rows of their readers alone
def _one_seat(
    seat: blocks.Seat, dice: str, is_whole: bool, has_squares: bool, is_long: bool
) -> Markup:
    return _macros()["seat"](seat, dice, is_whole, has_squares, is_long)


@cache
def _one_die(face: int, counts: bool, size: int) -> Markup:
    macros = _macros()
    if face > blocks.PICTURED:
        return macros["plain_die"](face, counts)
    return macros["die"](face, counts, size)


@cache
def _macros() -> Mapping[str, Callable[..., Markup]]:
    """The macros of `letter.html`, by name."""
    source = (files(__package__) / "letter.html").read_text("utf-8")
    environment = DirectEnvironment(
        loader=FunctionLoader(lambda _: (source, "pbmserv/letters/forms/letter.html", None)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=False,
        bytecode_cache=COMPILED,
    )
    environment.filters |= {
        "marked": html_texts.in_bold,
        "verbatim": html_texts.verbatim,
        "prose": html_texts.prose,
        "kept": html_texts.kept,
        "unbroken": html_texts.unbroken,
        "in_parts": html_texts.in_parts,
        "for_phone": html_widths.for_phone,
        "seat_widths": html_widths.seat_widths,
        "has_large_cups": html_widths.has_large_cups,
        "has_long_names": html_widths.has_long_names,
        "columns": html_widths.columns,
        "bid_columns": html_widths.bid_columns,
        "command_columns": html_widths.command_columns,
        "compact_columns": html_widths.compact_columns,
        "compact_title": html_widths.compact_title,
        "lines_of": lambda text: [
            html_texts.folded(printable(line)) for line in text.expandtabs(4).splitlines()
        ],
    }
    environment.globals |= {
        "one_die": _one_die,
        "one_seat": _one_seat,
        "dice_of": dice_of,
        "filler": _FILLER,
        "written": _formed,
    }
    module: Any = environment.get_template("letter.html").module
    return {name: getattr(module, name) for name in dir(module) if not name.startswith("_")}
