"""The written pages of the manual, without what the server adds to them in a letter."""

from __future__ import annotations

from pbmserv.letters import manual_pages
from pbmserv.letters.document import Document
from pbmserv.letters.forms import text


def written_page(subject: str) -> str | None:
    """The text of the English page about a subject; None where there is none."""
    if subject not in manual_pages.subjects("en"):
        return None
    document = Document("en", blocks=[*manual_pages.page(subject, "en")])
    return text.plain(text.written(document)).rstrip("\n")
