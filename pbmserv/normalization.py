"""Normalization: Unicode text in its composed form (NFC), in linear time whatever it holds.

`unicodedata.normalize` sorts the combining marks behind a letter, and takes quadratic time where
thousands of them follow each other.  Unicode's stream-safe text (UAX 15, section 13) has at most
30 in a row; no word of any language needs more.  So further marks are left out first.  All other
code calls this function, as a test sees to.
"""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import category, combining, normalize

MOST_MARKS = 30  # in a row (UAX 15, D4)
# These count as letters themselves, but stand for two marks each.
_TWO_MARKS = frozenset("\u0f73\u0f75\u0f81")
# No mark is ASCII or a letter, so only such a run can hold too many; to look for it is quick.
_MAY_BE_MARKS = re.compile(rf"[^\x00-\x7f\w]{{{MOST_MARKS + 1},}}+")


def normalized(text: str) -> str:
    """The text in NFC, with at most MOST_MARKS combining marks in a row; linear in its length."""
    if text.isascii():
        return text
    return normalize("NFC", _MAY_BE_MARKS.sub(lambda run: _stream_safe(run[0]), text))


def compatible(text: str) -> str:
    """The text in NFKC, so with plain letters for wide ones, cut like `normalized`; linear."""
    if text.isascii():
        return text
    return normalize("NFKC", _MAY_BE_MARKS.sub(lambda run: _stream_safe(run[0]), text))


def _stream_safe(run: str) -> str:
    """The text without the marks that follow MOST_MARKS others."""
    kept: list[str] = []
    marks = 0
    for character in run:
        marks = marks + 1 if combining(character) or character in _TWO_MARKS else 0
        if marks <= MOST_MARKS:
            kept.append(character)
    return "".join(kept)


def unmarked(text: str) -> str:
    """The text without accents and invisible characters, in plain ones: for comparing; linear."""
    # The marks go first, so that there is nothing to be sorted.
    return "".join(filter(is_seen, normalize("NFKD", "".join(filter(is_seen, text)))))


@lru_cache(maxsize=4096)
def is_seen(character: str) -> bool:
    """False for accents and invisible characters."""
    return category(character) not in {"Mn", "Mc", "Me", "Cf"}
