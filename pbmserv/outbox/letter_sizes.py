"""Write the forms of a letter: its text, and its page if there is room for it.

A page has at most 24 KB as it is sent, and a letter without its attachment 40 KB.  A page that
would be larger is shortened, because the text has all.  A letter whose text leaves less than 16 KB
for a page has none.  Only a text that alone would be too large is shortened.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

from pbmserv.letters import shortening
from pbmserv.letters.document import HTML, TEXT, Block
from pbmserv.letters.forms.shared_blocks import Pieces
from pbmserv.letters.render import WordedLetter
from pbmserv.letters.reply_link import LetterLinks
from pbmserv.letters.shortening import Notes
from pbmserv.mail.composing import size_of_page, size_of_text

LARGEST_PAGE, LARGEST_LETTER = 24 * 1024, 40 * 1024  # bytes, as sent
_SMALLEST_PAGE = 16 * 1024  # bytes: where a page has less room, it shows too little
_HEADERS = 2 * 1024  # bytes that are kept free for a letter's headers, but for `answers`
Form = TypeVar("Form")


class Forms(NamedTuple):
    """The text of a letter, the parts of its page or none, and the fingerprints of its lines."""

    text: str
    page: Sequence[str]
    lines: Sequence[int]


def formed(
    words: WordedLetter,
    below: Sequence[Block],
    links: LetterLinks | None,
    notes: Notes,
    answers: str = "",
) -> Forms:
    """The letter with its foot `below` as text and as a page.

    Without `links` there is no page.  `answers` is the Message-ID that two headers have.
    """
    whole = Pieces(words.document.with_foot(below))
    most = LARGEST_LETTER - _HEADERS - 2 * len(answers)
    written, text, size = _fitting(whole, _text_of, most, TEXT, notes.text)
    room = min(LARGEST_PAGE, most - size)
    if links is None or room < _SMALLEST_PAGE:
        return Forms(text, (), written.lines())
    shown, page, size = _fitting(whole, partial(_page_of, links), room, HTML, notes.page)
    lines = [*written.lines(), *shown.own_lines()]
    return Forms(text, page if size <= room else (), lines)


def _text_of(pieces: Pieces) -> tuple[str, int]:
    """The text and its size as a part of the letter."""
    text = pieces.text()
    return text, size_of_text(text)


def _page_of(links: LetterLinks, pieces: Pieces) -> tuple[Sequence[str], int]:
    """The page and its size as a part of the letter."""
    page = pieces.page(links)
    return page, size_of_page(page)


def _fitting(
    whole: Pieces, measured: Callable[[Pieces], tuple[Form, int]], most: int, *how: str
) -> tuple[Pieces, Form, int]:
    """The letter, as short as it must be, with its form and the size of that."""
    short, (written, size) = whole, measured(whole)
    if size > most:
        for short in map(Pieces, shortening.shorter(whole.document, *how)):
            written, size = measured(short)
            if size <= most:
                break
    return short, written, size
