"""The lines that a person typed in a reply, without what is below them."""

from __future__ import annotations

from collections.abc import Sequence

from pbmserv.mail.attribution import OUR_NAMES
from pbmserv.mail.reply_text import typed_and_below


def typed_lines(lines: Sequence[str], names: Sequence[str] = OUR_NAMES) -> tuple[str, ...]:
    """The typed lines of a reply."""
    return typed_and_below(lines, names)[0]
