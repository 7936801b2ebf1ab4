"""A letter as text and as a page, in pieces: a block is formed once for all letters that have it.

The letters of a move share most of their blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from pbmserv.letters.document import Block, Document
from pbmserv.letters.forms import html, html_lines
from pbmserv.letters.forms import text as text_form


class Piece:
    """A block in text, and on a page if one is asked for."""

    __slots__ = ("_own", "_pages", "block", "text")

    def __init__(self, block: Block) -> None:
        self.block = block
        self.text = text_form.of_block(block)
        self._own: str | None = None
        self._pages: list[html.Shown | None] = [None, None]

    def page(self, *, has_reply: bool) -> html.Shown:
        """The block on a page, without the addresses of its links; `has_reply`: some reply."""
        if (page := self._pages[has_reply]) is None:
            page = self._pages[has_reply] = html.of_block(self.block, has_reply=has_reply)
        return page

    @property
    def own_lines(self) -> str:
        """The lines that only its page shows."""
        if self._own is None:
            self._own = "\n".join(html_lines.of_block(self.block))
        return self._own


@lru_cache(maxsize=512)
def _piece(block: Block) -> Piece:
    return Piece(block)


class Pieces:
    """The pieces of a letter."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._blocks: Sequence[Piece] = [*map(_piece, document.blocks)]
        self._foot: Sequence[Piece] = [*map(_piece, document.foot)]

    def text(self) -> str:
        """The letter as flowed text."""
        return text_form.joined(self._blocks, self._foot)

    def page(self, addresses: html.Addresses) -> Sequence[str]:
        """The letter as a page, in parts; most of them are those of other letters, too."""
        return html.page(self.document, self._blocks, self._foot, addresses)

    def texts(self) -> Iterator[str]:
        """The lines of the text, block by block."""
        for each in (*self._blocks, *self._foot):
            yield each.text

    def own_texts(self) -> Iterator[str]:
        """The lines that only the page shows, as a mail program quotes them, block by block."""
        yield self.document.preview
        for each in (*self._blocks, *self._foot):
            if own := each.own_lines:
                yield own
