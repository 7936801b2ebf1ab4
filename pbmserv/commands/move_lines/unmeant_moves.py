"""Recognise lines below a move that make it a condition, or say that it was sent in error.

Such as "if Luc agrees", "I've changed my mind" and "that was for the other game".  Its writer is
asked.  The words are in `text/phrases/`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from pbmserv.commands.move_lines.retractions import has_phrase, without_harmless
from pbmserv.games.perudo.move_parser import spelled_plainly
from pbmserv.text.phrases import words_of
from pbmserv.text.unicode_forms import unmarked

_LONGEST = 160  # characters of a line
_MOST_WORDS = 9  # of a line
_MAIN_CLAUSE = 2  # a word such as "I" so far behind "if", or farther, begins what follows from it
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_MARKS = re.compile(r"[,;:–—]|[.!?…]\s*\w")  # between the clauses of a line
_NUMBER = re.compile(r"[0-9]{1,9}")


def is_condition(line: str, *, or_delay: bool = False) -> bool:
    """Whether a line is nothing but a condition: "if Luc agrees", "but only if I lose this one".

    What follows from it makes it talk: "if I'm wrong, I buy the beer".  So does a word to a
    reader, unless "only" is in front: "if you like".  With `or_delay` "when I'm back" counts, too.
    """
    text = line[:_LONGEST].strip(" .!…()")
    words = _words(text)
    if not words or len(words) > _MOST_WORDS or _MARKS.search(text):
        return False
    if _begins(words, _accented("strict_conditions")):
        return True
    begun = _begins(words, _accented("conditions"))
    if or_delay and "?" not in text:
        begun = begun or _begins(words, _accented("delays"))
    rest = words[begun:]
    if not begun or not rest or has_phrase(text, _phrases("harmless_conditions")):
        return False
    said = {*map(unmarked, rest)}
    is_main = not _phrases("subjects").isdisjoint(rest[_MAIN_CLAUSE:])
    return _phrases("second_person").isdisjoint(said) and not is_main


def is_error(line: str) -> bool:
    """Whether a line says that the move was sent in error, or in jest, with known words beside.

    A question does not: "Was that a joke?" is for the table.
    """
    words = [unmarked(each) for each in _words(line[:_LONGEST])]
    if "?" in line or len(words) > _MOST_WORDS:
        return False
    said = " ".join(without_harmless(" ".join(words)))
    return has_phrase(said, _phrases("errors")) and _beside().issuperset(said.split())


def is_for_another(line: str, board: str) -> bool:
    """Whether a line says that the move is for another board than this number: "on board 2"."""
    words = [unmarked(each) for each in _words(line[:_LONGEST])]
    numbers = {each for each in words if _NUMBER.fullmatch(each)}
    if "?" in line or not words or len(words) > _MOST_WORDS or board in numbers:
        return False
    named = any(
        before in _phrases("words_for_boards") and number in numbers
        for before, number in pairwise(words)
    )
    is_other = has_phrase(" ".join(words), _phrases("other_boards"))
    if not (named or is_other):
        return False
    names = _phrases("first_names") if is_other else frozenset()
    known = _beside() | names | numbers | _single("other_boards") | _phrases("words_for_boards")
    return known.issuperset(words)


def is_told(line: str) -> bool:
    """Whether a line goes on with the move above it, and tells of it: "is not an option"."""
    words = [unmarked(each) for each in _words(line[:_LONGEST])]
    return "?" not in line and bool(_begins(words, _phrases("tells_of_moves")))


def asks_of_leaving(line: str) -> bool:
    """Whether a line asks what it means to leave a game, or puts that off: "what happens then?"."""
    return has_phrase(line, _phrases("asks_of_leaving")) if "?" in line else is_put_off(line)


def is_put_off(line: str) -> bool:
    """Whether a line says no more than that something is for later: "after this round"."""
    words = [unmarked(each) for each in _words(line[:_LONGEST])]
    words = [each for each in words if each not in _phrases("first_names")]
    return " ".join(words) in _phrases("puts_off")


def _begins(words: Sequence[str], phrases: frozenset[str]) -> int:
    """How many words the longest phrase has with which the words begin; 0 for none."""
    counts = range(len(words), 0, -1)
    return next((count for count in counts if " ".join(words[:count]) in phrases), 0)


def _words(text: str) -> list[str]:
    """The words with their accents: the Spanish "sí" is a yes, and "si" is a condition."""
    return _WORD.findall(spelled_plainly(text))


@cache
def _phrases(kind: str) -> frozenset[str]:
    """The phrases of a kind in all languages, without accents."""
    return frozenset(" ".join(map(unmarked, _words(each))) for each in words_of(kind))


@cache
def _accented(kind: str) -> frozenset[str]:
    """The same with their accents, and without."""
    return _phrases(kind).union(" ".join(_words(each)) for each in words_of(kind))


@cache
def _single(kind: str) -> frozenset[str]:
    return frozenset(word for each in _phrases(kind) for word in each.split())


@cache
def _beside() -> frozenset[str]:
    """The words that may be beside such a phrase."""
    said = _single("beside_errors") | _single("errors")
    return said | _single("apologies") | _single("move_leads")
