"""Shorten the document of a letter that would be too large for an email.

The words of people, tables and printed text end early, with a sentence that says so.  A letter
about many boards shows some of them whole.  For each other one it has the command that shows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from pbmserv.fast_dataclasses import dataclass, replace
from pbmserv.letters.catalogues import catalogue
from pbmserv.letters.document import (
    HTML,
    Answers,
    BidToBeat,
    Block,
    Cups,
    Document,
    Link,
    Links,
    Listing,
    OwnDice,
    Paragraph,
    Printed,
    Said,
    Section,
    strong,
)
from pbmserv.letters.wrapping import BOUND

_MOST_BOARDS = 12  # shown whole in a letter that is too large
_FEW_BOARDS = (2_000, 30)  # characters and rows in a letter about several boards
_MANY_BOARDS = (500, 30)  # the same where boards are compact
_FEW_BIDS = 3  # of a compact board, if all do not fit; a fourth button is for any other bid
_LEAST = 2  # blocks: the headline and one more


class Notes(NamedTuple):
    """The sentences that replace something left out: one for a page, and one for the text."""

    page: str
    text: str


@dataclass(frozen=True, slots=True)
class Room:
    """What a document may have: characters of a text, rows of a table, boards shown whole.

    Without `pictures` dice are digits, which are smaller.  If `brief`, a board ends above its first
    heading.  It has the question to the reader, and not the story and the table.  If `compact`, it
    has the small forms of blocks, and at most so many `bids`.  `opened` rounds are shown with
    their cups, the latest ones; all if it is None.  If `in_lines`, those of others are in a line.
    """

    characters: int
    rows: int
    boards: int
    pictures: bool = True
    brief: bool = False
    compact: bool = False
    bids: int | None = None
    opened: int | None = None
    in_lines: bool = False


@cache
def notes(language: str) -> Notes:
    """The sentences in a language; raises `Untranslated`."""
    _ = catalogue(language).gettext
    return Notes(
        _("The rest did not fit here. The text form of this email has all of it."),
        _("The rest did not fit into an email."),
    )


def shorter(document: Document, form: str, note: str) -> Iterator[Document]:
    """The document for a form, shorter at each step; `note` replaces a part that is left out."""
    boards = sum(1 for block in document.blocks if isinstance(block, Section) and block.command)
    rooms = [Room(8_000, 120, boards)]
    if boards:
        rooms.append(Room(*_FEW_BOARDS, boards, pictures=False))
        rooms += _rooms_of_boards(min(boards, _MOST_BOARDS), form)
    else:  # first the pictures go, whose dice are there as digits, then the tables of opened cups
        digits = Room(8_000, 120, 0, pictures=False)
        opened = [replace(digits, opened=1), replace(digits, opened=0)]
        rooms += [digits, *(replace(each, in_lines=True) for each in opened), *opened]
    last = Room(0, 0, min(boards, 1), not boards, boards > 0, boards > 0 and form == HTML)
    rooms += [replace(last, characters=4_000 >> step, rows=60 >> step) for step in range(4)]
    rooms.append(replace(rooms[-1], pictures=False, opened=0))
    short = document
    for room in rooms:
        short = replace(document, blocks=list(_shortened(document.blocks, room, form, note)))
        yield short
    count = len(short.blocks)
    while count > _LEAST:
        count = max(count * 3 // 4, _LEAST)
        yield replace(short, blocks=[*short.blocks[:count], Paragraph(note, small=True, only=form)])


def _rooms_of_boards(most: int, form: str) -> Iterator[Room]:
    """Rooms for fewer and fewer boards; HTML makes each board smaller before it shows fewer."""
    brief = Room(*_FEW_BOARDS, most, pictures=False, brief=True)
    if form != HTML:
        yield from (replace(brief, boards=kept) for kept in range(most, 0, -1))
        return
    compact = Room(*_MANY_BOARDS, most, pictures=False, brief=True, compact=True)
    yield from (brief, compact)
    yield from (replace(compact, boards=kept, bids=_FEW_BIDS) for kept in range(most, 0, -1))


def _shortened(blocks: Sequence[Block], room: Room, form: str, note: str) -> Iterator[Block]:
    """The blocks that have room; a board that has none becomes the command that shows it."""
    boards = left_out = inside = 0
    hidden = _hidden_cups(blocks, room)
    for block in blocks:
        inside = max(inside - 1, 0)  # blocks of this board that are still to come
        if isinstance(block, Cups) and hidden > 0:
            hidden -= 1
            if said := _in_line(block) if room.in_lines else "" if hidden else note:
                yield Paragraph(said, small=not room.in_lines, only=form)
        elif left_out:  # it is of a board that is left out
            left_out -= 1
        elif isinstance(block, Section) and block.command:
            boards += 1
            inside = block.length + 1
            if boards <= room.boards:
                yield block._replace(compact=room.compact)
            else:
                yield _command(block, form)
                left_out = block.length
        elif room.brief and inside and isinstance(block, Section):
            left_out = inside - 1
        else:
            short = _cut(block, room)
            yield _compact(short, room) if room.compact and inside else short
            if short is not block and not isinstance(block, OwnDice):
                yield Paragraph(note, small=True, only=form)
    if room.brief:
        yield Paragraph(note, small=True, only=form, compact=room.compact)


def _hidden_cups(blocks: Sequence[Block], room: Room) -> int:
    """How many rounds, from the oldest on, have their cups left out."""
    count = sum(isinstance(block, Cups) for block in blocks)
    return 0 if room.opened is None else count - room.opened


def _in_line(opened: Cups) -> str:
    """Opened cups in a line, which is smaller than their table; dice that count are bold."""
    found = []
    for cup in opened.cups:
        dice = (strong(each.face) if each.counts else str(each.face) for each in cup.dice)
        found.append(BOUND.join((cup.name, *dice)))
    total = "" if opened.total is None else f" ({opened.note} {opened.total})"
    return f"{opened.caption} {', '.join(found)}{total}".lstrip()


def _compact(block: Block, room: Room) -> Block:
    """The small form of a board's block, if it has one."""
    if isinstance(block, Paragraph) and block.short is not None:
        return Paragraph(block.short, only=HTML, compact=True)
    if isinstance(block, Answers):
        bids = [each for each in block.bids if each.word]
        others = [each for each in block.bids if not each.word]
        return block._replace(bids=(*bids[: room.bids], *others), compact=True)
    return block._replace(compact=True) if isinstance(block, BidToBeat | OwnDice | Said) else block


def _command(board: Section, form: str) -> Block:
    """A board that is left out: what it is, and the command that shows it."""
    if form == HTML:
        return Links((Link(board.title, command=board.command),))
    return Listing((), ((board.title, board.command),))


def _cut(block: Block, room: Room) -> Block:
    """The beginning of a long block; a short one is returned as it is."""
    if isinstance(block, Said) and len(block.text) > room.characters:
        return block._replace(text=_beginning(block.text, room.characters))
    if isinstance(block, Listing) and len(block.rows) > room.rows:
        return block._replace(rows=block.rows[: room.rows])
    if isinstance(block, OwnDice) and block.pictures and not room.pictures:
        return block._replace(pictures=False)
    if isinstance(block, Printed) and len(block.text) > room.characters:
        return block._replace(text=_beginning(block.text, room.characters))
    return block


def _beginning(text: str, most: int) -> str:
    """The first lines of a text, at most so many characters."""
    lines = text[:most].split("\n")[: most // 20]
    return "\n".join(lines).rstrip() + " …"
