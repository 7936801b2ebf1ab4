"""Recognise lines below an answer that make it depend on something: "accept", and "if luc plays".

Its writer is asked, as a yes begins a board or ends a game.  The words are in `text/phrases/`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import islice, takewhile

from pbmserv.games.perudo.move_parser import spelled_plainly
from pbmserv.text.phrases import words_of
from pbmserv.text.unicode_forms import unmarked

_LONGEST = 160  # characters of a line
_MOST_LINES = 3  # below the answer
_MOST_WORDS = 8  # of a condition, and of words that leave the answer open
_CLAUSE = re.compile(r"[^.,;:!?…()–—¿¡]+")
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")


def have_condition(below: Sequence[str], *, is_no: bool = False) -> bool:
    """Whether one of the first lines below an answer makes it depend on something."""
    lines = islice((line for line in below if line.strip()), _MOST_LINES)
    return any(is_conditional(each, is_no=is_no) for each in lines)


def is_conditional(line: str, *, is_no: bool) -> bool:
    """Whether a line below an answer is a condition, or a time before which it does not hold.

    "If I am slow, it's the exams" says something else behind it, and so it is none.  Below a yes,
    "let me check with my wife" leaves the answer open, too; below a no (`is_no`) it does not.
    """
    clauses = [*map(_words, _CLAUSE.findall(line[:_LONGEST]))]
    said, *others = [*filter(None, map(_without_leads, clauses))] or [[]]
    if not 1 < len(said) <= _MOST_WORDS:
        return False
    if not is_no and (
        _begins(said, _said("unsettled")) or any(_begins(each, _said("limits")) for each in clauses)
    ):
        return True
    if not _begins(said, _said("conditions")) or _begins(said, _said("harmless_with_answers")):
        return False
    if " ".join(said) in _said("conditions"):  # in Russian a comma is behind it
        return True
    return all(" ".join(each) in _agreeing() for each in others)


def _begins(words: Sequence[str], phrases: frozenset[str]) -> bool:
    return any(" ".join(words[:count]) in phrases for count in range(1, len(words) + 1))


def _without_leads(words: Sequence[str]) -> Sequence[str]:
    """The words without those in front that say little: "ok", "and", "but"."""
    return words[len(list(takewhile(_leads().__contains__, words))) :]


def _words(text: str) -> list[str]:
    return _WORD.findall(unmarked(spelled_plainly(text)))


@cache
def _said(kind: str) -> frozenset[str]:
    return frozenset(" ".join(_words(each)) for each in words_of(kind))


@cache
def _leads() -> frozenset[str]:
    """The single words in front of a condition."""
    kinds = "move_leads", "joining_words", "thanks", "apologies", "reconsiders"
    return frozenset(each for kind in kinds for each in _said(kind) if " " not in each)


@cache
def _agreeing() -> frozenset[str]:
    """What may be behind a condition: words such as "too", and an answer."""
    return _said("joins_names") | _said("yes") | _said("accepts_invitation") | _said("thanks")
