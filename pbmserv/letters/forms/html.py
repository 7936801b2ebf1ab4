"""Write a letter's document as an HTML page; `letter.html` has the looks of each block.

All text is escaped by the template.  Dice and rows that several letters share are written once, and
`shared_blocks.py` does the same with blocks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, NamedTuple, Protocol, TypeGuard

from jinja2 import FunctionLoader, StrictUndefined
from markupsafe import Markup, escape

from pbmserv.letters import document as blocks
from pbmserv.letters.compiled_templates import COMPILED
from pbmserv.letters.document import TEXT, Block, Document, unmarked
from pbmserv.letters.forms import html_texts
from pbmserv.letters.forms.text import dice_of
from pbmserv.letters.templates import DirectEnvironment
from pbmserv.letters.wrapping import printable

FACES = dict(enumerate("⚀⚁⚂⚃⚄⚅", 1))
_FILLER = "\u200c\u00a0" * 40  # keeps the dice below out of the list of emails
_NARROW = 12.5  # letters of the words on a button that has two others beside it
_BEYOND_LATIN = "\u0370"  # the first letter of other alphabets
_SHORT_TITLE = 7  # characters of a small button that has three others beside it
_WIDE = 10  # a quantity with two digits
_LONGEST_IN_HALF = (12, 16)  # characters of a word in a button beside another: title, words below
_LONGEST_TITLE = 28  # characters of a title in a button beside another: two lines of it
_FEW_COLUMNS = 2  # of a table: beside them there is room for another one with words
_BESIDE_WORDS = 16  # characters of the columns beside which a phone has room for words
_LONG_CELL = 9  # characters of a cell whose words can be divided
_WIDEST_SEAT = 25  # characters of a name, dice and a bid that are in one line on a phone
_WITH_SQUARES = 20  # those of a name and a bid that are beside squares for the dice
_SMALL_PRINT = 0.85  # of the width of a letter of the usual size
_LONG_BID = 11  # characters: longer ones are in smaller letters
_LARGE_CUP = 5  # dice: those of larger cups have no frame
_BESIDE_A_CUP = 13  # characters of a name beside five dice in wide frames
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


def _columns(answers: Sequence[blocks.Answer]) -> int:
    """How many buttons are beside each other on a phone: long words have a row of their own."""
    found = ((each.title or each.word, each.words) for each in answers)
    is_long = any(
        len(word) > longest
        for texts in found
        for text, longest in zip(texts, _LONGEST_IN_HALF, strict=True)
        for word in unmarked(text).split(" ")
    )
    return 1 if is_long else 2


def _command_columns(commands: Sequence[blocks.Answer]) -> int:
    """How many buttons of commands are beside each other: two, if two lines hold each title."""
    is_long = any(
        len(each.title) > _LONGEST_TITLE
        or max(map(len, each.title.split(" "))) > _LONGEST_IN_HALF[0]
        for each in commands
    )
    return 1 if is_long else 2


def _bid_columns(bids: Sequence[blocks.Answer]) -> int:
    """How many bids are beside each other on a phone, each with its words in one line."""
    return 2 if any(_width_of(each.words) > _NARROW for each in bids) else 3


@lru_cache(maxsize=256)  # the same few words in every letter
def _width_of(words: str) -> float:
    """About how wide a text is, in letters of English; those of other alphabets are wider."""
    return sum(1.2 if letter >= _BEYOND_LATIN else 1 for letter in words)


def compact_title(answer: blocks.Answer) -> str:
    """What a small button says."""
    if answer.quantity:
        return f"{answer.quantity} × {FACES.get(answer.face, answer.face)}"
    return answer.short or answer.title or answer.word


def _compact_columns(answers: Sequence[blocks.Answer]) -> int:
    """How many small buttons are beside each other on a phone, in rows of about equal lengths."""
    longest = max(len(compact_title(each)) for each in answers)
    most = (
        2 if longest > _SHORT_TITLE else 4 if all(each.quantity < _WIDE for each in answers) else 3
    )
    rows = -(-len(answers) // most)
    return -(-len(answers) // rows)


def _seat_widths(table: blocks.Seats) -> tuple[bool, bool, bool]:
    """What fits on a phone beside the longest name: the longest bid in one line, squares for dice.

    The last value says whether that bid is long.
    """
    bid = max((len(each.bid_words) for each in table.seats), default=0)
    name = max(
        (max(len(each.name), _SMALL_PRINT * _width_of(each.remark)) for each in table.seats),
        default=0,
    )
    middle = max((len(dice_of(table, each)) for each in table.seats), default=0)
    is_whole = bid + name + middle <= _WIDEST_SEAT
    return is_whole, bid + name <= _WITH_SQUARES or not bid, bid > _LONG_BID


def _has_large_cups(block: blocks.Cups) -> bool:
    return max(len(each.dice) for each in block.cups) > _LARGE_CUP


def _has_long_names(block: blocks.Cups) -> bool:
    """Whether five dice in wide frames have no room beside the longest name on a phone."""
    return max(len(each.name) for each in block.cups) > _BESIDE_A_CUP


def _for_phone(table: blocks.Listing) -> tuple[blocks.Listing, str]:
    """A table with room for the words in its last column, and the head of a column put below.

    If the columns before it are too wide for that on a phone, its cells are lines below their rows.
    """
    last = len(table.heads) - 1
    if last < _FEW_COLUMNS or last in table.right:
        return table, ""
    widths = [
        max((len(unmarked(row[place])) for row in table.rows if len(row) > place), default=0)
        for place in range(last)
    ]
    longest = max((len(row[last]) for row in table.rows if len(row) > last), default=0)
    if sum(widths) <= _BESIDE_WORDS or longest < _LONG_CELL:
        return table, ""
    return table._replace(heads=table.heads[:last]), table.heads[last]


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
    return _STYLED & {name for found in set(_CLASSES.findall(page)) for name in found.split()}


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


def _linked(shown: PageBlock, addresses: Addresses) -> Iterator[str]:
    """The links of a block in parts, with the addresses of one letter."""
    reply = addresses.reply
    for word, command, part in shown.links:
        opened = reply(word) if reply and not command else addresses.command(command)
        yield from map(_escaped, opened)
        yield part


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
        "for_phone": _for_phone,
        "seat_widths": _seat_widths,
        "has_large_cups": _has_large_cups,
        "has_long_names": _has_long_names,
        "columns": _columns,
        "bid_columns": _bid_columns,
        "command_columns": _command_columns,
        "compact_columns": _compact_columns,
        "compact_title": compact_title,
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
