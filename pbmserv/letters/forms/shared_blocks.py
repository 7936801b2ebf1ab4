"""A letter as text and as a page, in pieces: a block is formed once for all letters that have it.

The letters of a move share most of their blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from pbmserv.disclosure import fingerprint
from pbmserv.letters.document import Block, Document
from pbmserv.letters.forms import html, html_quoted_lines
from pbmserv.letters.forms import text as text_form


class Piece:
    """A block in text, and on a page if one is asked for.

    `lines` are the fingerprints of its lines in text, and `own_lines` of those that only its page
    shows, as a mail program quotes them.
    """

    __slots__ = ("_pages", "block", "has_addresses", "has_dice", "lines", "own_lines", "text")

    def __init__(self, block: Block) -> None:
        self.block = block
        self.text = text_form.of_block(block)
        self.has_addresses = html.has_addresses(block)
        self.has_dice = html.has_dice(block)
        self.lines = fingerprint.of_lines(self.text)
        self.own_lines = fingerprint.of_lines("\n".join(html_quoted_lines.of_block(block)))
        self._pages: list[html.PageBlock | None] = [None, None]

    def page(self, *, has_reply: bool) -> html.PageBlock:
        """The block on a page, without the addresses of its links; `has_reply`: some reply."""
        if (page := self._pages[has_reply]) is None:
            page = self._pages[has_reply] = html.of_block(self.block, has_reply=has_reply)
        return page


@lru_cache(maxsize=512, typed=True)  # blocks of two kinds may have the same values
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

    def lines(self) -> list[int]:
        """The fingerprints of the lines in the text."""
        found: list[int] = []
        for each in (*self._blocks, *self._foot):
            found += each.lines
        return found

    def own_lines(self) -> list[int]:
        """The fingerprints of the lines that only the page shows."""
        found = fingerprint.of_lines(self.document.preview)
        for each in (*self._blocks, *self._foot):
            found += each.own_lines
        return found
