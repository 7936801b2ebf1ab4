"""The writer that templates of letters call: each call adds a block to the letter's document.

Its methods are the words of the templates' language; `letters/document.py` explains the blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from pbmserv.letters import document
from pbmserv.letters.document import HTML, TEXT, Answer, Block, Document, Link
from pbmserv.letters.wrapping import printable

_PREVIEWED = 140  # characters; no list of emails shows more


class Writer:
    """Fills a document.  Every method returns "", because templates print what they call."""

    def __init__(self, language: str) -> None:
        self.document = Document(language)
        self._target = self.document.blocks

    def add(self, block: Block) -> str:
        """Add a block."""
        self._target.append(block)
        return ""

    def subject(self, text: str) -> str:
        """Set the Subject."""
        self.document.subject = text
        return ""

    def preview(self, text: str) -> str:
        """Set the line that a list of emails shows beside the Subject; it holds no die."""
        text = printable(" ".join(document.unmarked(text).split()))
        self.document.preview = text if len(text) <= _PREVIEWED else text[:_PREVIEWED] + "…"
        return ""

    def foot(self) -> str:
        """Let all further blocks stand in the foot."""
        self._target = self.document.foot
        return ""

    def headline(self, title: str, above: str = "", lead: str = "") -> str:
        """Add the headline."""
        return self.add(document.Headline(title, above, lead))

    def p(self, text: str, small: bool = False, only: str = "") -> str:
        """Add a paragraph; an empty text adds none."""
        text = " ".join(text.split())
        return self.add(document.Paragraph(text, small, only)) if text else ""

    def small(self, text: str) -> str:
        """Add a paragraph in small print."""
        return self.p(text, small=True)

    def for_text(self, text: str) -> str:
        """Add a paragraph to the text form alone."""
        return self.p(text, only=TEXT)

    def for_html(self, text: str, small: bool = False) -> str:
        """Add a paragraph to the HTML form alone."""
        return self.p(text, small, HTML)

    def section(self, title: str) -> str:
        """Add a heading."""
        return self.add(document.Section(title))

    def send(self, *lines: str) -> str:
        """Add lines that the reader can send; empty ones are left out."""
        return self.add(document.Commands(tuple(filter(None, lines))))

    def said(self, by: str, text: str) -> str:
        """Add words of a person; `by` says whose they are."""
        return self.add(document.Said(by, text))

    def printed(self, text: str) -> str:
        """Add text whose lines stay as they are."""
        return self.add(document.Printed(text))

    def listing(
        self, heads: Sequence[str], rows: Iterable[Sequence[object]], right: Iterable[int] = ()
    ) -> str:
        """Add a table; `right` are the columns aligned to the right."""
        cells = tuple(tuple(map(str, row)) for row in rows)
        return self.add(document.Listing(tuple(heads), cells, frozenset(right)))

    def answers(self, bids: Iterable[Answer], others: Iterable[Answer], note: str = "") -> str:
        """Add possible answers; none adds nothing."""
        found = document.Answers(tuple(bids), tuple(others), note)
        return self.add(found) if found.bids or found.others else ""

    def links(self, *links: Link) -> str:
        """Add links, for HTML."""
        return self.add(document.Links(links))

    def words(self) -> Mapping[str, Callable[..., object]]:
        """What a template may call, by name."""
        return {name: getattr(self, name) for name in _METHODS}


_METHODS = [
    name for name in vars(Writer) if not name.startswith("_") and name not in {"words", "document"}
]
