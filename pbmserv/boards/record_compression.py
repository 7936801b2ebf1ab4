"""The lines of a record as a row stores them: hexadecimal digits as bytes, beside the text.

Half of a record are digests, seeds and salts.  As bytes they take half of the room.  In the text a
mark replaces each of them, with the word before it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_PLACES = {
    "~": (" salt=", 4),
    "^": ("+", 4),
    "!": (" seed=", 32),
    "*": (" next=", 32),
    "#": (" ", 32),
}
"""The text before the digits, and their bytes, for each mark; no line of a record has a mark."""
_MARKS = {(before, 2 * size): mark for mark, (before, size) in _PLACES.items()}
_DIGITS = re.compile(r"([ +](?:(?:salt|seed|next)=)?)([0-9a-f]{8,64})(?![0-9a-f])")
_MARK = re.compile(f"[{re.escape(''.join(_PLACES))}]")


class StoredLines(NamedTuple):
    """Lines as a row has them; without `digits` the text is the lines themselves."""

    text: str
    digits: bytes | None


def stored(lines: str) -> StoredLines:
    """Lines, each but the last one ended by a line feed, for a row."""
    if _MARK.search(lines):
        return StoredLines(lines, None)
    digits = bytearray()

    def mark(found: re.Match[str]) -> str:
        before, written = found.groups()
        place = _MARKS.get((before, len(written)))
        if place is None:
            return found[0]
        digits.extend(bytes.fromhex(written))
        return place

    text = _DIGITS.sub(mark, lines)
    return StoredLines(text, bytes(digits) or None)


def restored(text: str, digits: bytes | None) -> str:
    """The lines that `stored` was given; a row of an older version has no digits beside its text.

    A row that has lost some gives lines that no record has.
    """
    if not digits:
        return text
    at = 0

    def written(found: re.Match[str]) -> str:
        nonlocal at
        before, size = _PLACES[found[0]]
        at += size
        return before + digits[at - size : at].hex()

    return _MARK.sub(written, text)
