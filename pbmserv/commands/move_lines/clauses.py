"""The clauses of a line, and their words as the phrases of `text/phrases/` are compared with them.

Words are in small letters, without accents.  A digit is part of a word, so that bids stay.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from pbmserv.games.perudo.move_parser import LONGEST, spelled_plainly
from pbmserv.text.phrases import words_of
from pbmserv.text.unicode_forms import unmarked

LONGEST_LINE = 160  # characters of a line that are read
_CLAUSE = re.compile(r"[^.,;:!?…()–—¿¡]+\??")
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_BETWEEN = "\n"  # in no line, and in no word


class Clause(NamedTuple):
    """A clause as it was written, with its question mark, and its words."""

    text: str
    words: list[str]


def clauses_of(line: str) -> list[Clause]:
    """The clauses of a line that have words.

    All are spelled plainly at once, as most of that time is for a text and not for its length.
    """
    found = [each.strip() for each in _CLAUSE.findall(line[:LONGEST_LINE].replace(_BETWEEN, " "))]
    if not found:
        return []
    joined = _BETWEEN.join(each[:LONGEST] for each in found)
    plain = _plain(joined, len(joined)).split(_BETWEEN)
    clauses = (Clause(text, _WORD.findall(each)) for text, each in zip(found, plain, strict=True))
    return [each for each in clauses if each.words]


def without_clauses(line: str, is_left_out: Callable[[str], bool]) -> str:
    """The line without the clauses that are left out."""
    return _CLAUSE.sub(lambda found: "" if is_left_out(found[0]) else found[0], line[:LONGEST_LINE])


def words_in(text: str) -> list[str]:
    """The words of a text, without anything between them."""
    return _WORD.findall(_plain(text, LONGEST))


@cache
def phrases(kind: str) -> frozenset[str]:
    """The phrases of a kind in all languages, as words are compared with them."""
    return frozenset(" ".join(words_in(each)) for each in words_of(kind))


def _plain(text: str, longest: int) -> str:
    return unmarked(spelled_plainly(text, longest))
