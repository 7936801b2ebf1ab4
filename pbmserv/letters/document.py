"""The document of a letter: what the letter says, block by block, before it has a form.

A template says it (`letters/render.py`), and `letters/forms/` writes it as text and as HTML.  So
both forms tell the same.  Text in blocks is plain; `strong` marks what HTML prints in bold.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from markupsafe import Markup

TEXT, HTML = "text", "html"  # the forms, for a block that only one of them shows
_STRONG, _PLAIN = "\x02", "\x03"  # no text of a player has these: `wrapping.printable` removes them


def strong(text: object) -> str:
    """The text, printed in bold in HTML."""
    return f"{_STRONG}{text}{_PLAIN}"


def unmarked(text: str) -> str:
    """The text without its marks."""
    return text.replace(_STRONG, "").replace(_PLAIN, "") if _STRONG in text else text


def marked(text: Markup, begin: Markup, end: Markup) -> Markup:
    """The escaped text with its marks replaced."""
    return text.replace(_STRONG, begin).replace(_PLAIN, end) if _STRONG in text else text


@dataclass(frozen=True, slots=True)
class Die:
    """A die that the reader may see; `counts`: it counts for the bid."""

    face: int
    counts: bool = False


@dataclass(frozen=True, slots=True)
class Headline:
    """The first block: what the letter is about.

    `above` is a smaller line before it in HTML, and `lead` a sentence behind it in text.
    """

    title: str
    above: str = ""
    lead: str = ""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Sentences; `only` names the form that shows them, or is ""."""

    text: str
    small: bool = False
    only: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading."""

    title: str


@dataclass(frozen=True, slots=True)
class Commands:
    """Lines to send: each is a Subject, a line of an email, or a command at a shell."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """Words of a person, with a line that says whose they are."""

    by: str
    text: str


@dataclass(frozen=True, slots=True)
class Listing:
    """A table: `heads` (none if empty), rows of cells, and the columns aligned to the right.

    If a row has one cell more than there are heads, that cell is a line below the row.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Printed:
    """Text whose lines and columns stay as they are, such as a record."""

    text: str


@dataclass(frozen=True, slots=True)
class Bid:
    """The bid to beat: a label, the bid in words, and its numbers."""

    label: str
    words: str
    quantity: int
    face: int


@dataclass(frozen=True, slots=True)
class OwnDice:
    """The dice of the reader, with a label and a note."""

    label: str
    dice: tuple[Die, ...]
    note: str = ""
    pictures: bool = True  # not for more than six faces, or many dice


@dataclass(frozen=True, slots=True)
class Answer:
    """A possible answer: the word to reply with, and its meaning in words.

    A bid has a quantity and a face; `words` is then the bid in words.  `kind` chooses the button:
    bid, dudo, calza, yes, no or other.  Text has `meaning` instead of `words`, if there is one.
    """

    word: str
    words: str
    kind: str = "other"
    title: str = ""  # of the button; "" is the word
    quantity: int = 0
    face: int = 0
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """A link with its title: a reply with a word, or a new email with a command as its Subject."""

    title: str
    word: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True)
class Answers:
    """Possible answers, as buttons in HTML; `note` follows the bids in text."""

    bids: tuple[Answer, ...]
    others: tuple[Answer, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Links:
    """Links in HTML; text says the same in sentences."""

    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Cup:
    """An opened cup: its player, the dice, and how many of them count; None: nothing counts."""

    name: str
    dice: tuple[Die, ...]
    counted: int | None = None


@dataclass(frozen=True, slots=True)
class Cups:
    """Opened cups, with a caption, and the sum of the counted dice with a note."""

    caption: str
    cups: tuple[Cup, ...]
    total: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Seat:
    """A player at the table; `dice` None is hidden, and `most` is the number at the beginning."""

    name: str
    dice: int | None
    most: int
    remark: str = ""
    bid: str = ""
    bid_words: str = ""
    mine: bool = False


@dataclass(frozen=True, slots=True)
class Seats:
    """The players in order of play."""

    seats: tuple[Seat, ...]
    hidden: str = "?"  # for a number of dice that the rules hide
    out: str = "out"


@dataclass(frozen=True, slots=True)
class Proof:
    """The digest that proves the dice, with its label."""

    label: str
    digest: str


Block: TypeAlias = (
    Headline
    | Paragraph
    | Section
    | Commands
    | Said
    | Listing
    | Printed
    | Bid
    | OwnDice
    | Answers
    | Links
    | Cups
    | Seats
    | Proof
)


@dataclass(slots=True)
class Document:
    """A letter: its Subject, the line that a list of emails shows beside it, its blocks, its foot.

    `preview` holds no die.  `attachment` is a file's name and its text, or None.
    """

    language: str
    subject: str = ""
    preview: str = ""
    blocks: list[Block] = field(default_factory=list)
    foot: list[Block] = field(default_factory=list)
    attachment: tuple[str, str] | None = None
