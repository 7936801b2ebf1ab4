"""Write the forms of a letter: its text, and its page if there is room for it.

A page has at most 24 KB as it is sent, and a letter without its attachment 40 KB.  A page that
would be larger is shortened, because the text has all.  A letter whose text leaves less than 16 KB
for a page has none.  Only a text that alone would be too large is shortened.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

from pbmserv.letters import shortening
from pbmserv.letters.document import HTML, TEXT, Block, Document
from pbmserv.letters.forms import html, html_lines
from pbmserv.letters.forms import text as text_form
from pbmserv.letters.render import Words
from pbmserv.letters.reply_link import LetterLinks
from pbmserv.letters.shortening import Notes
from pbmserv.mail.composing import size_of_page, size_of_text

LARGEST_PAGE, LARGEST_LETTER = 24 * 1024, 40 * 1024  # bytes, as sent
_SMALLEST_PAGE = 16 * 1024  # bytes: where a page has less room, it shows too little
_HEADERS = 2 * 1024  # bytes that are kept free for a letter's headers, but for `answers`
Form = TypeVar("Form")


class Forms(NamedTuple):
    """The text of a letter, the parts of its page or none, and the lines that only that has."""

    text: str
    page: Sequence[str]
    own_lines: str


def formed(
    words: Words,
    below: Sequence[Block],
    links: LetterLinks | None,
    notes: Notes,
    answers: str = "",
) -> Forms:
    """The letter with its foot `below` as text and as a page.

    Without `links` there is no page.  `answers` is the Message-ID that two headers have.
    """
    document = replace(words.document, foot=[*words.document.foot, *below])
    most = LARGEST_LETTER - _HEADERS - 2 * len(answers)
    text, size = _text_of(document, notes, most)
    room = min(LARGEST_PAGE, most - size)
    if links is None or room < _SMALLEST_PAGE:
        return Forms(text, (), "")
    shown, page = _page_of(document, links, notes, room)
    return Forms(text, page, "\n".join(html_lines.own_lines(shown)))


def _text_of(document: Document, notes: Notes, most: int) -> tuple[str, int]:
    """The text and its size, shortened if it is too large for a letter."""

    def measured(document: Document) -> tuple[str, int]:
        text = text_form.written(document)
        return text, size_of_text(text)

    _, text, size = _fitting(document, measured, most, TEXT, notes.text)
    return text, size


def _page_of(
    document: Document, links: LetterLinks, notes: Notes, most: int
) -> tuple[Document, Sequence[str]]:
    """The document that the page shows, and the page; empty if no page has so few bytes."""

    def measured(document: Document) -> tuple[Sequence[str], int]:
        page = html.written(document, links)
        return page, size_of_page(page)

    short, page, size = _fitting(document, measured, most, HTML, notes.page)
    return short, page if size <= most else ()


def _fitting(
    document: Document, measured: Callable[[Document], tuple[Form, int]], most: int, *how: str
) -> tuple[Document, Form, int]:
    """The document, as short as it must be, with its form and the size of that."""
    short, (written, size) = document, measured(document)
    if size > most:
        for short in shortening.shorter(document, *how):
            written, size = measured(short)
            if size <= most:
                break
    return short, written, size
