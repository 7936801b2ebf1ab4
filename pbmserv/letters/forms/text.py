"""Write a letter's document as plain text of 72 columns.

Lines that a mail program may wrap again end with a blank, as in `format=flowed` (RFC 3676).
`plain` takes these blanks away, for terminals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from pbmserv.letters.document import (
    HTML,
    Answer,
    AnsweredLine,
    Answers,
    BidToBeat,
    Block,
    Commands,
    Commitment,
    Cup,
    Cups,
    Definitions,
    Document,
    Headline,
    Items,
    Links,
    Listing,
    OwnDice,
    Paragraph,
    Printed,
    Said,
    Seat,
    Seats,
    Section,
    Steps,
    as_sentence,
    capitals,
    unmarked,
)
from pbmserv.letters.forms.text_rows import INDENT as _INDENT
from pbmserv.letters.forms.text_rows import command, definitions, prose, steps
from pbmserv.letters.wrapping import BOUND, WIDTH, columns_of, told, wrapped

SIGNATURE = "-- "  # the line above a foot, which most mail programs leave out of replies
_NAMED = {"dudo", "calza", "pacao", "accept", "reject"}
# Blocks with no empty line below them, and those with none above them if that is a paragraph.
_ABOVE_ALL = (AnsweredLine, Section)
_BELOW_PARAGRAPH = (Commands, Cups, Items, Listing, Seats)


def written(document: Document) -> str:
    """The letter as flowed text: a line that ends with a blank goes on in the next one."""
    blocks, foot = (
        [_Formed(block, of_block(block)) for block in part]
        for part in (document.blocks, document.foot)
    )
    return joined(blocks, foot)


class Formed(Protocol):
    """A block with its text."""

    @property
    def block(self) -> Block:
        """The block."""

    @property
    def text(self) -> str:
        """Its lines; "" for one that only HTML shows."""


class _Formed(NamedTuple):
    block: Block
    text: str


def joined(blocks: Iterable[Formed], foot: Sequence[Formed]) -> str:
    """The letter of these blocks, and of those of its foot."""
    text = _joined(blocks)
    if foot:
        below = "\n".join([each.text for each in foot if each.text])
        text += f"\n{SIGNATURE}\n{below}\n"
    return text


def emphasised(document: Document) -> frozenset[str]:
    """The lines that a terminal shows in bold: headlines, who is on turn, rows with a mark."""
    found: list[str] = []
    for block in document.blocks:
        match block:
            case Headline():
                found += of_block(block).split("\n")
            case Seats():
                rows = zip(block.seats, _seats(block), strict=True)
                found += [line for seat, line in rows if seat.on_turn]
            case Listing():
                rows_of = _laid_out(block)
                found += [line for row, lines in rows_of if _is_marked(row) for line in lines]
    return frozenset(plain(f"{line}\n").rstrip("\n") for line in map(unmarked, found))


def plain(flowed: str) -> str:
    """The text without the blanks that mark where a mail program may wrap it again, or may not."""
    return flowed.replace(" \n", "\n").replace(BOUND, " ")


def _joined(blocks: Iterable[Formed]) -> str:
    """The blocks, with an empty line between those that do not belong together."""
    found: list[str] = []
    before: Block | None = None
    for each in blocks:
        if not each.text:
            continue
        if before is not None and not _belongs_to(before, each.block):
            found.append("")
        found.append(each.text)
        before = each.block
    return "\n".join([*found, ""]) if found else ""


def _belongs_to(before: Block, block: Block) -> bool:
    """Whether no empty line is between two blocks."""
    if isinstance(before, _ABOVE_ALL):
        return True
    if isinstance(before, Paragraph):
        if isinstance(block, Definitions):
            return block.typed and not block.stacked
        return isinstance(block, _BELOW_PARAGRAPH)
    return isinstance(before, OwnDice) and isinstance(block, Paragraph) and block.small


def lines(block: Block) -> Sequence[str]:
    """The lines of a block in text."""
    return of_block(block).splitlines()


def of_block(block: Block) -> str:
    """A block in text; "" for one that only HTML shows."""
    return _FORMS[type(block)](block)


def _headline(block: Headline) -> str:
    if block.only == HTML:
        return ""
    if block.heading:
        return _flowing(capitals(block.title))
    title = as_sentence(block.title)
    return _flowing(f"{title} {block.lead}" if block.lead else title)


def _paragraph(block: Paragraph) -> str:
    return "" if block.only == HTML else _flowing(block.text)


def _commands(block: Commands) -> str:
    if block.only == HTML:
        return ""
    return "\n".join(map(command, block.lines))


def _own_dice(block: OwnDice) -> str:
    cup = " ".join(str(die.face) for die in block.dice)
    return f"{block.label} {cup}" + (f"  ({block.note})" if block.note else "")


def _proof(block: Commitment) -> str:
    line = f"{block.label} {block.digest}"
    return line if len(line) <= WIDTH else f"{block.label}\n{block.digest}"


def _flowing(text: str) -> str:
    """The text in lines that a mail program may wrap again."""
    return prose(text).replace("\n", " \n")


def _answered(block: AnsweredLine) -> str:
    """The line as mail programs quote one."""
    line = f"> {wrapped(block.line, '> ', WIDTH - 2)}" if block.line else ""
    return "\n".join(filter(None, (line, block.remark)))


def _item(text: str) -> str:
    """A sentence behind a dash; its further lines begin below its first word."""
    lines = prose(text, width=WIDTH - 4).split("\n")
    return f"{_INDENT}- " + "\n    ".join(lines)


def _listing(table: Listing) -> str:
    return "\n".join(line for _, lines in _laid_out(table) for line in lines)


def _is_marked(row: Iterable[str]) -> bool:
    return any(unmarked(cell) != cell for cell in row)


def _laid_out(table: Listing) -> Iterable[tuple[Sequence[str], Sequence[str]]]:
    """Each row with its lines in columns; a cell beyond the last column is a line of its own."""
    rows = [table.heads, *table.rows] if table.heads else list(table.rows)
    count = len(table.heads) or max(map(len, rows), default=0)
    widths = [
        max((columns_of(unmarked(row[place])) for row in rows if place < len(row)), default=0)
        for place in range(count)
    ]
    for row in rows:
        cells = [
            _cell(unmarked(text), width, to_the_right=place in table.right)
            for place, (text, width) in enumerate(zip(row, widths, strict=False))
        ]
        lines = [*_row(cells, wraps=count - 1 not in table.right)]
        for note in row[count:]:
            lines += [" " * 6 + line for line in wrapped(unmarked(note), "", WIDTH - 6).split("\n")]
        yield row, lines


def _row(cells: Sequence[str], *, wraps: bool) -> Iterable[str]:
    """A row of a table; its last cell goes on in the next line where it is too long."""
    line = (_INDENT + "  ".join(cells)).rstrip()
    if not wraps or columns_of(line) <= WIDTH:
        return [line]
    before = _INDENT + "".join(f"{cell}  " for cell in cells[:-1])
    used = columns_of(before)
    first, *more = wrapped(cells[-1], "", WIDTH - used).split("\n")
    return [before + first, *(" " * used + each for each in more)]


def _cell(text: str, width: int, *, to_the_right: bool) -> str:
    blanks = " " * (width - columns_of(text))
    return blanks + text if to_the_right else text + blanks


def _answers(answers: Answers) -> Iterable[str]:
    """The bids in a row, with a note; the others in a line each, with their meaning.

    The note of a single bid is in the column of these meanings.
    """
    others = [each for each in answers.others if each.words]
    width = max((len(_typed(each)) for each in others), default=0)
    if answers.bids:
        bids = [each.word for each in answers.bids if each.word]
        row, gap = "  ".join(bids), "   "
        if len(bids) == 1 and others:
            width = max(width, len(row))
            row, gap = row.ljust(width), "  "
        note = f"{gap}{answers.note}" if answers.note else ""
        yield from (_INDENT + line for line in _wrapped_row(row, note))
    for each in others:
        yield _other(each, width)


def _typed(answer: Answer) -> str:
    """The word to reply with; a call, a yes or a no is in the letter's language, as its button."""
    return answer.title.lower() if answer.word in _NAMED and answer.title else answer.word


def _wrapped_row(row: str, note: str) -> Sequence[str]:
    """The row with its note behind it, or below it if there is no room."""
    if len(_INDENT + row + note) <= WIDTH:
        return (row + note,)
    return (*wrapped(row, "", WIDTH - len(_INDENT)).split("\n"), note.strip())


def _other(answer: Answer, width: int) -> str:
    meaning = unmarked(answer.meaning or answer.words)
    return f"{_INDENT}{_typed(answer).ljust(width)}  {meaning}".rstrip()


def _cups(block: Cups) -> Iterable[str]:
    if block.caption:
        yield _flowing(block.caption)
    width = max((len(cup.name) for cup in block.cups), default=0)
    most = max((len(_dice(cup)) for cup in block.cups), default=0)
    if block.total is not None:  # the numbers are below each other, beside the longest line
        most = max(most, columns_of(block.note) - width - 2)
    for cup in block.cups:
        count = "" if cup.counted is None else str(cup.counted).rjust(3)
        yield f"{_INDENT}{cup.name.ljust(width)}  {_dice(cup).ljust(most)}{count}".rstrip()
    if block.total is not None:
        sum_of = str(block.total).rjust(width + 2 + most + 3 - columns_of(block.note))
        yield f"{_INDENT}{block.note}{sum_of}"


def _dice(cup: Cup) -> str:
    """A cup in digits; the dice that count are in brackets."""
    return "".join(f"[{die.face}]" if die.counts else f" {die.face} " for die in cup.dice)


def _seats(block: Seats) -> Iterable[str]:
    width = max((len(seat.name) for seat in block.seats), default=0)
    digits = max((len(str(seat.dice or 0)) for seat in block.seats), default=0)
    for seat in block.seats:
        line = f"{_INDENT}{seat.name.ljust(width)}  {dice_of(block, seat).rjust(digits)}"
        more = ", ".join(filter(None, (seat.bid, seat.remark)))
        yield f"{line}  {more}".rstrip()


def dice_of(block: Seats, seat: Seat) -> str:
    """The number of a player's dice, in words if there is none to show."""
    return block.hidden if seat.dice is None else str(seat.dice) if seat.dice else block.out


_FORMS: Mapping[type[Any], Callable[[Any], str]] = {
    Headline: _headline,
    Paragraph: _paragraph,
    Section: lambda block: unmarked(capitals(block.title)),
    Items: lambda block: "\n".join(map(_item, block.items)),
    AnsweredLine: _answered,
    Commands: _commands,
    Definitions: definitions,
    Steps: steps,
    Said: lambda block: "\n".join(filter(None, (_flowing(block.by), told(block.text), block.note))),
    Listing: _listing,
    Printed: lambda block: block.text.rstrip("\n"),
    OwnDice: _own_dice,
    Answers: lambda block: "\n".join(_answers(block)),
    Cups: lambda block: "\n".join(_cups(block)),
    Seats: lambda block: "\n".join(_seats(block)),
    Commitment: _proof,
    BidToBeat: lambda block: "",  # sentences say the same as these two
    Links: lambda block: "",
}
