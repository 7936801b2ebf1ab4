"""The writer that templates of letters call: each call adds a block to the letter's document.

Its methods are the words of the templates' language; `letters/document.py` explains the blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from pbmserv.letters import document
from pbmserv.letters.catalogues import catalogue
from pbmserv.letters.document import (
    HTML,
    MOST_PICTURES,
    PICTURED,
    TEXT,
    Answer,
    Block,
    Document,
    Link,
)
from pbmserv.letters.wrapping import BOUND, LEFT_OUT, one_line, printable

_CALLS = {"dudo", "calza"}  # whose buttons have looks of their own
_PREVIEWED = 140  # characters; no list of emails shows more
_paragraph = lru_cache(maxsize=1024)(document.Paragraph)  # the letters of a move share most of them


class DocumentWriter:
    """Fills a document.  Every method returns "", because templates print what they call."""

    def __init__(self, language: str) -> None:
        self.document = Document(language)
        self._target = self.document.blocks
        self._board: int | None = None

    def add(self, block: Block) -> str:
        """Add a block."""
        self._target.append(block)
        return ""

    def subject(self, text: str) -> str:
        """Set the Subject."""
        self.document.subject = text.replace(BOUND, " ")
        return ""

    def preview(self, text: str) -> str:
        """Set the line that a list of emails shows beside the Subject; it holds no die."""
        text = printable(one_line(document.unmarked(text)))
        self.document.preview = text if len(text) <= _PREVIEWED else text[:_PREVIEWED] + "…"
        return ""

    def foot(self) -> str:
        """Put all further blocks into the foot."""
        self._target = self.document.foot
        return ""

    def body(self) -> None:
        """Put all further blocks above the foot."""
        self._target = self.document.blocks

    def headline(
        self, title: str, above: str = "", lead: str = "", *, heading: bool = False, only: str = ""
    ) -> str:
        """Add the headline, without the full stop that a sentence for it may have."""
        return self.add(document.Headline(title.removesuffix("."), above, lead, heading, only))

    def p(
        self,
        *sentences: str,
        small: bool = False,
        only: str = "",
        short: str | None = None,
        at_shell: str = "",
    ) -> str:
        """Add a paragraph of sentences; if all are empty, it adds none.

        `at_shell` is what a shell prints in their place.
        """
        if not (text := one_line(" ".join(sentences))):
            return ""
        typed = one_line(at_shell) if at_shell else ""
        return self.add(_paragraph(text, small, only, short, False, typed))

    def small(self, text: str, short: str | None = None) -> str:
        """Add a paragraph in small print."""
        return self.p(text, small=True, short=short)

    def for_text(self, text: str, at_shell: str = "") -> str:
        """Add a paragraph to the text form alone."""
        return self.p(text, only=TEXT, at_shell=at_shell)

    def for_html(self, text: str, small: bool = False, short: str | None = None) -> str:
        """Add a paragraph to the HTML form alone."""
        return self.p(text, small=small, only=HTML, short=short)

    def section(self, title: str) -> str:
        """Add a heading."""
        return self.add(document.Section(title))

    def item(self, text: str) -> str:
        """Add an item to the list that the last block is, or that begins here."""
        last = self._target[-1] if self._target else None
        if isinstance(last, document.Items):
            self._target[-1] = document.Items((*last.items, text))
            return ""
        return self.add(document.Items((text,)))

    def send(self, *lines: str, only: str = "", is_told: bool = True) -> str:
        """Add lines that the reader can send; empty ones are left out."""
        shown = tuple(printable(line) for line in lines if line)
        return self.add(document.Commands(shown, only, is_told=is_told))

    def press(
        self,
        *choices: tuple[str, str],
        kind: str = "other",
        until: int = 0,
        is_open: bool = False,
        only: str = "",
    ) -> str:
        """Add lines that HTML has as buttons, each a title and a command with PASSWORD."""
        titles, lines = zip(*choices, strict=True)
        shown = tuple(map(printable, lines))
        told = self._is_told()
        return self.add(document.Commands(shown, only, titles, kind, until, is_open, told))

    def _is_told(self) -> bool:
        """Whether the text above says how to send a line: a shell has another one then."""
        above = [each for each in self._target if getattr(each, "only", "") != HTML][-1:]
        return any(isinstance(each, document.Paragraph) and each.at_shell for each in above)

    def said(self, by: str, text: str) -> str:
        """Add words of a person; `by` says whose they are.

        The note that lines of theirs were left out is ours, so it is in the letter's language.
        """
        _ = catalogue(self.document.language).gettext
        own = text.removesuffix(LEFT_OUT)
        note = "" if own == text else _("(quoted lines were left out)")
        return self.add(document.Said(by, own.removesuffix("\n") if note else text, note))

    def printed(self, text: str) -> str:
        """Add text whose lines stay as they are."""
        return self.add(document.Printed(text))

    def listing(
        self, heads: Sequence[str], rows: Iterable[Sequence[object]], right: Iterable[int] = ()
    ) -> str:
        """Add a table; `right` are the columns aligned to the right."""
        cells = tuple(tuple(map(str, row)) for row in rows)
        return self.add(document.Listing(tuple(heads), cells, frozenset(right)))

    def definitions(
        self,
        rows: Iterable[tuple[str, Sequence[str]]],
        *,
        typed: bool = False,
        stacked: bool = False,
        only: str = "",
    ) -> str:
        """Add words, each with the paragraphs of its meaning; none adds nothing."""
        found = [
            document.Definition(term, tuple(document.Paragraph(each) for each in texts if each))
            for term, texts in rows
        ]
        return self.add(document.Definitions(tuple(found), typed, stacked, only)) if found else ""

    def answers(self, bids: Iterable[Answer], others: Iterable[Answer], note: str = "") -> str:
        """Add possible answers; none adds nothing."""
        found = document.Answers(tuple(bids), tuple(others), note, self._board)
        return self.add(found) if found.bids or found.others else ""

    def choose(self, *words: str) -> str:
        """Add replies with these words."""
        return self.answers([_move(word) for word in words], ())

    def choices(self, *words: str, title: str = "", kind: str = "bid") -> str:
        """Add replies with these words as buttons; text says the same in sentences."""
        return self.answers((), [_move(word, kind, title) for word in words])

    def answered(self, line: str, remark: str = "") -> str:
        """Add a line of the reader's email, which the next blocks answer."""
        return self.add(document.AnsweredLine(line, remark)) if line or remark else ""

    def include(self, other: Document) -> str:
        """Add what another letter says."""
        for block in (*other.blocks, *other.foot):
            self.add(block._replace(level=2) if isinstance(block, document.Headline) else block)
        return ""

    def links(self, *links: Link) -> str:
        """Add links, for HTML."""
        return self.add(document.Links(links, self._board))

    def own_dice(self, dice: Sequence[int]) -> str:
        """Add the dice of the reader's cup."""
        _ = catalogue(self.document.language).gettext
        pictures = len(dice) <= MOST_PICTURES and max(dice) <= PICTURED
        shown = tuple(document.Die(each) for each in dice)
        label = _("Your die:") if len(shown) == 1 else _("Your dice:")
        return self.add(document.OwnDice(label, shown, pictures=pictures))

    def proof(self, label: str, digest: str) -> str:
        """Add a digest, small, in one line of its own."""
        return self.add(document.Commitment(label, digest))

    def of_board(self, board: int | None) -> str:
        """Let all further answers and links be about this board."""
        self._board = board
        return ""

    def attach(self, name: str, text: str) -> str:
        """Attach a text as a file."""
        self.document.attachment = name, text
        return ""

    def reply_is(self, command: str) -> str:
        """Let a plain reply to the letter stand for a command, which has PASSWORD."""
        self.document.replying = command
        return ""

    def words(self) -> Mapping[str, Callable[..., object]]:
        """What a template may call, by name: these methods, and what makes parts of blocks."""
        return _PARTS | {name: getattr(self, name) for name in _METHODS}


def _move(word: str, kind: str = "bid", title: str = "") -> Answer:
    return Answer(word, "", word if word in _CALLS else kind, title)


def button(
    word: str,
    title: str = "",
    kind: str = "other",
    words: str = "",
    meaning: str = "",
    command: str = "",
) -> Answer:
    """A possible answer; `document.Answer` explains it."""
    return Answer(word, words, kind, title, meaning=meaning, command=command)


def link(title: str, word: str = "", command: str = "") -> Link:
    """A link: a reply with a word, or a new email with a command as its Subject."""
    return Link(title, word, command)


_PARTS: dict[str, Callable[..., object]] = {
    "button": button,
    "link": link,
    "strong": document.strong,
    "typed": document.typed,
}
_METHODS = [
    name
    for name in vars(DocumentWriter)
    if not name.startswith("_") and name not in {"body", "words", "document", "of_board"}
]
