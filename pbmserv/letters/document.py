"""The document of a letter: what the letter says, block by block, before it has a form.

A template says it (`letters/render.py`), and `letters/forms/` writes it as text and as HTML.  So
both forms tell the same.  Text in blocks is plain; `strong` marks what HTML prints in bold.

Blocks are tuples, because a letter looks its blocks up among those that have a form already: Python
finds a tuple in a fifth of the time of a dataclass.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import field
from functools import cache
from typing import NamedTuple, TypeAlias

from markupsafe import Markup

from pbmserv.fast_dataclasses import dataclass, replace

TEXT, HTML = "text", "html"  # the forms, for a block that only one of them shows
MAIL = "mail"  # both of them; a shell does not show the block
SMALL = "link"  # a kind of lines to send: links in HTML, which take less room than buttons
PICTURED = 6  # faces of a die that has a picture
MOST_PICTURES = 6  # dice that are drawn; ten would take a third of a letter's size
# No text of a player has these characters: `wrapping.printable` removes them.
_STRONG, _PLAIN, _TYPED = "\x02", "\x03", "\x05"
_COMMAND = re.compile(f"{_STRONG}{_TYPED}([^{_PLAIN}]*)")
_PARTS = re.compile(f"({_STRONG}{_TYPED}[^{_PLAIN}]*)")  # a command, or the text around
_PUNCTUATION = ".!?:…"


def strong(text: object) -> str:
    """The text, printed in bold in HTML."""
    return f"{_STRONG}{text}{_PLAIN}"


def typed(command: str) -> str:
    """A command within a sentence, printed in bold in HTML."""
    return strong(_TYPED + command)


def with_commands(text: str, changed: Callable[[str], str]) -> str:
    """The text with each of its marked commands changed."""
    return _COMMAND.sub(lambda found: f"{_STRONG}{_TYPED}{changed(found[1])}", text)


def outside_commands(text: str, changed: Callable[[str], str]) -> str:
    """The text with everything changed except its marked commands."""
    if _TYPED not in text:
        return changed(text)
    return "".join(
        part if part.startswith(_STRONG + _TYPED) else changed(part) for part in _PARTS.split(text)
    )


def capitals(text: str) -> str:
    """The text in capitals; marked commands stay as they are."""
    return outside_commands(text, str.upper)


def unmarked(text: str) -> str:
    """The text without its marks."""
    if _STRONG not in text:
        return text
    return text.replace(_STRONG, "").replace(_PLAIN, "").replace(_TYPED, "")


def as_sentence(title: str) -> str:
    """A title with a full stop, unless it has a punctuation mark of its own."""
    return title if title[-1:] in _PUNCTUATION else f"{title}."


def marked(text: Markup, begin: Markup, end: Markup) -> Markup:
    """The escaped text with its marks replaced."""
    if _STRONG not in text:
        return text
    # As a plain text: Markup would escape what is put in, at each call.
    plain = str(text).replace(_TYPED, "").replace(_STRONG, begin).replace(_PLAIN, end)
    return Markup(plain)  # noqa: S704 - escaped


class Die(NamedTuple):
    """A die that the reader may see; `counts`: it counts for the bid."""

    face: int
    counts: bool = False


one_die = cache(Die)  # all letters share their dice


class Headline(NamedTuple):
    """The first block: what the letter is about.

    `above` is a smaller line before it in HTML, and `lead` a sentence behind it in text.  Text has
    it in capitals if `heading`, else as a sentence.  `only` names the form that shows it, or is "":
    a short text needs none.  `level` is 2 in the headline of a letter within another one.
    """

    title: str
    above: str = ""
    lead: str = ""
    heading: bool = False
    only: str = ""
    level: int = 1


class Paragraph(NamedTuple):
    """Sentences; `only` names the form that shows them, or is "".

    `short` is what a compact board says instead; "" is nothing, None is the same.
    `at_shell` is what a shell prints in their place, where nobody can reply; "" for the same text.
    """

    text: str
    small: bool = False
    only: str = ""
    short: str | None = None
    compact: bool = False
    at_shell: str = ""


class Section(NamedTuple):
    """A heading.

    It may begin the part of a board in a letter about several.  Then `command` shows that board,
    and `length` is the number of blocks that follow it there.  `shortening.py` sets `compact`, here
    and in other blocks: it chooses a smaller form in HTML, for a board among many.
    """

    title: str
    command: str = ""
    length: int = 0
    compact: bool = False


class Items(NamedTuple):
    """A list of sentences, each with a mark in front."""

    items: tuple[str, ...]


class Commands(NamedTuple):
    """Lines to send: each is a Subject, a line of an email, or a command at a shell.

    `only` names the form that shows them, or is "".  With `titles`, one for each line, HTML has
    buttons instead (links, if the `kind` is SMALL), in which a token replaces the word PASSWORD.
    They work until the moment `until`, if it is not 0.  `is_open`: the reader may change the
    values, or the last word.  `is_told`: the text above says how to send them.  `of_email`: a shell
    shows them as they are.
    """

    lines: tuple[str, ...]
    only: str = ""
    titles: tuple[str, ...] = ()
    kind: str = "other"
    until: int = 0
    is_open: bool = False
    is_told: bool = True
    of_email: bool = False


class AnsweredLine(NamedTuple):
    """A line of the reader's email, with a remark about it; what follows is the answer."""

    line: str
    remark: str = ""


class Said(NamedTuple):
    """Words of a person, with a line that says whose they are; `note` is ours, below them."""

    by: str
    text: str
    note: str = ""
    compact: bool = False


class Listing(NamedTuple):
    """A table: `heads` (none if empty), rows of cells, and the columns aligned to the right.

    If a row has one cell more than there are heads, that cell is a line below the row.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int] = frozenset()


class Definition(NamedTuple):
    """A word, and what it means: paragraphs, commands, and other definitions or steps."""

    term: str
    body: tuple[Block, ...]


class Definitions(NamedTuple):
    """Words with their meanings.

    The words are what a reader types (`typed`), such as moves, or else small headings.  `stacked`:
    text has each meaning below its word, not beside it.  `only` names the form that shows them, or
    is "".
    """

    rows: tuple[Definition, ...]
    typed: bool = False
    stacked: bool = False
    only: str = ""


class Steps(NamedTuple):
    """Steps in order; each has blocks, as in a `Definition`."""

    items: tuple[tuple[Block, ...], ...]


class Printed(NamedTuple):
    """Text whose lines and columns stay as they are, such as a record."""

    text: str


class BidToBeat(NamedTuple):
    """The bid to beat: a label, the bid in words, its numbers, and the colon of the language."""

    label: str
    words: str
    quantity: int
    face: int
    compact: bool = False
    colon: str = ":"


class OwnDice(NamedTuple):
    """The dice of the reader, with a label and a note."""

    label: str
    dice: tuple[Die, ...]
    note: str = ""
    pictures: bool = True  # not for more than six faces, or many dice
    compact: bool = False


class Answer(NamedTuple):
    """A possible answer: the word to reply with, and its meaning in words.

    A bid has a quantity and a face; `words` is then the bid in words.  `kind` chooses the button:
    bid, dudo, calza, yes, no or other.  Text has `meaning` instead of `words`, if there is one.
    With a `command` the button opens a new email with it as the Subject, and no reply.
    """

    word: str
    words: str
    kind: str = "other"
    title: str = ""  # of the button; "" is the word
    quantity: int = 0
    face: int = 0
    meaning: str = ""
    command: str = ""
    short: str = ""  # the title of a compact button, if it is another one


class Link(NamedTuple):
    """A link with its title: a reply with a word, or a new email with a command as its Subject."""

    title: str
    word: str = ""
    command: str = ""


class Answers(NamedTuple):
    """Possible answers, as buttons in HTML; `note` follows the bids in text.

    `board` is the one that they answer in a letter about several boards, else None.
    """

    bids: tuple[Answer, ...]
    others: tuple[Answer, ...]
    note: str = ""
    board: int | None = None
    compact: bool = False


class Links(NamedTuple):
    """Links in HTML; text says the same in sentences.  `board` is as in `Answers`."""

    links: tuple[Link, ...]
    board: int | None = None


class Cup(NamedTuple):
    """An opened cup: its player, the dice, and how many of them count; None: nothing counts."""

    name: str
    dice: tuple[Die, ...]
    counted: int | None = None


class Cups(NamedTuple):
    """Opened cups, with a caption, and the sum of the counted dice with a note."""

    caption: str
    cups: tuple[Cup, ...]
    total: int | None = None
    note: str = ""


class Seat(NamedTuple):
    """A player at the table; `dice` None is hidden, and `most` is the number at the beginning."""

    name: str
    dice: int | None
    most: int
    remark: str = ""
    bid: str = ""
    bid_words: str = ""
    mine: bool = False
    on_turn: bool = False


class Seats(NamedTuple):
    """The players in order of play."""

    seats: tuple[Seat, ...]
    hidden: str = "?"  # for a number of dice that the rules hide
    out: str = "out"


class Commitment(NamedTuple):
    """The digest that proves the dice, with its label."""

    label: str
    digest: str


Block: TypeAlias = (
    Headline
    | Paragraph
    | Section
    | Items
    | Commands
    | AnsweredLine
    | Said
    | Listing
    | Definitions
    | Steps
    | Printed
    | BidToBeat
    | OwnDice
    | Answers
    | Links
    | Cups
    | Seats
    | Commitment
)


@dataclass(slots=True)
class Document:
    """A letter: its Subject, the line that a list of emails shows beside it, its blocks, its foot.

    `preview` holds no die.  `attachment` is a file's name and its text, or None.  `replying` is
    the command that a plain reply stands for, "" for none.
    """

    language: str
    subject: str = ""
    preview: str = ""
    blocks: list[Block] = field(default_factory=list)
    foot: list[Block] = field(default_factory=list)
    attachment: tuple[str, str] | None = None
    replying: str = ""

    def with_foot(self, below: Sequence[Block]) -> Document:
        """The letter with these blocks below its foot."""
        return replace(self, foot=[*self.foot, *below])
