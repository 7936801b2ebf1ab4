"""Recognise lines that take back the answer above them: "accept", and below it "no wait" or "jk".

An answer may end a game, so its writer is asked.  The words are in `text/phrases/`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import takewhile

from pbmserv.games.perudo.move_parser import FACES, QUANTITIES, spelled_plainly
from pbmserv.games.perudo.move_words import words_of_faces, words_of_numbers
from pbmserv.text.phrases import single_words, words_of
from pbmserv.text.unicode_forms import unmarked

_MOST_LINES = 3  # below the answer
_LONGEST = 160  # characters of a line
_MOST_WORDS = 8  # of a clause
_BESIDE = (
    *("takes_back", "denials", "beside_answer", "familiar_words"),
    *("move_leads", "manners", "thanks", "greetings"),
)
_CLAUSES = re.compile(r"[.,;:!?…()–—]+|\s-\s")
_BID = re.compile(r"(?<!\w)[0-9]\S{0,8}")
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")


def take_back(lines: Sequence[str], *, is_no: bool = False) -> bool:
    """Whether one of the first lines below an answer takes it back.

    A phrase such as "just kidding" does so in a short clause.  So does a clause of nothing but a
    denial and words beside it, such as "no" or "maybe not", and "maybe" alone.  Below a no
    (`is_no`), denials confirm it, and so do phrases such as "not now".
    """
    below = [line[:_LONGEST] for line in lines if line.strip()][:_MOST_LINES]
    clauses = [each for line in below for each in _clauses(line)]
    if len(clauses) == 1 and len(clauses[0]) == 1 and not _kept().issuperset(clauses[0]):
        return _weak().issuperset(clauses[0]) or _takes_back(clauses[0], is_no=is_no)
    others = [each for each in clauses if not (is_no and _has(each, _said("confirms_no")))]
    return any(_takes_back(each, is_no=is_no) for each in others)


def is_retraction(line: str, *, or_denial: bool = False) -> bool:
    """Whether a line has no other words than a retraction, and perhaps bids: "no wait, five twos".

    A denial alone does not count: below a call, "No!" is for the table.  With `or_denial` it does.
    """
    clauses = [
        each
        for clause in _clauses(_BID.sub(" ", line[:_LONGEST]))
        if (each := [word for word in clause if word not in _numbers()])
    ]
    known = all(_may_retract().issuperset(each) for each in clauses)
    return known and any(_takes_back(each, is_no=not or_denial) for each in clauses)


def corrects(words: str) -> bool:
    """Whether words beside a move put it in the place of another: "no,", "I mean", "instead"."""
    said = set(_words(words))
    return _may_retract() >= said and not said.isdisjoint(_weak() | _said("denials"))


def is_correction(line: str) -> bool:
    """Whether a line says that the move in it stands for another one: "make that three fours"."""
    return has_phrase(line, _said("corrections"))


def has_phrase(line: str, phrases: frozenset[str]) -> bool:
    """Whether a line has one of the phrases among its words."""
    return _has(_words(line[:_LONGEST]), phrases)


def offers_another(line: str) -> bool:
    """Whether a line has a word that may offer another move, or doubt: "or", "maybe", "better"."""
    return has_phrase(line, _said("alternatives"))


def without_beside(line: str) -> Iterator[str]:
    """Each clause of a line, and each without words at its ends that may be beside a move.

    Such as "or should I call", then also "should i call" and "call".
    """
    for words in _clauses(line[:_LONGEST]):
        left = next((at for at, word in enumerate(words) if word not in around_moves()), len(words))
        behind = takewhile(around_moves().__contains__, reversed(words))
        right = max(left, len(words) - len(list(behind)))
        for first in range(left + 1):
            yield from (" ".join(words[first:last]) for last in range(right, len(words) + 1))


def without_reconsidering(line: str) -> Iterator[str]:
    """Each clause of a line, without words at its ends that change an answer: "actually yes"."""
    for clause in _CLAUSES.split(line[:_LONGEST]):
        words = _WORD.findall(spelled_plainly(clause))[: _MOST_WORDS + 1]
        if not 0 < len(words) <= _MOST_WORDS:
            continue
        plain = [*map(unmarked, words)]
        left = len(list(takewhile(_reconsidering().__contains__, plain)))
        ends = {at for at in range(len(words)) if " ".join(plain[at:]) in _said("reconsiders")}
        for first in range(left + 1):
            yield from (" ".join(words[first:last]) for last in {*ends, len(words)} if first < last)


def believes(line: str) -> bool:
    """Whether a clause says that its writer believes a bid: "I believe you", and not "you lie".

    A word such as a name may be behind it.
    """
    return any(
        each in _said("believes") or (rest in _said("believes") and word not in _doubting())
        for each in without_beside(line)
        for rest, _, word in [each.rpartition(" ")]
    )


def denies(words: str) -> bool:
    """Whether one of the words is a denial."""
    return not _said("denials").isdisjoint(_words(words))


def says_why(line: str) -> bool:
    """Whether a line says that its writer has changed their mind: so a no is explained."""
    return any(_has(each, _said("changed_mind")) for each in _clauses(line[:_LONGEST]))


def leaves(line: str) -> bool:
    """Whether a line says why its writer resigns: "I don't want to play any more"."""
    return any(_has(each, _said("confirms_leaving")) for each in _clauses(line[:_LONGEST]))


def stays(line: str) -> bool:
    """Whether a clause says that its writer stays in the game after all: "I'd rather stay"."""
    clauses = (" ".join(each) for each in _clauses(line[:_LONGEST]))
    return any(each in _said("stays") for each in (*clauses, *without_beside(line)))


def _clauses(line: str) -> Iterator[list[str]]:
    """The words of each clause that is short, in small letters and without accents."""
    for clause in _CLAUSES.split(line):
        words = _words(clause)
        if 0 < len(words) <= _MOST_WORDS:
            yield words


def _words(text: str) -> list[str]:
    return _WORD.findall(unmarked(spelled_plainly(text)))


def _takes_back(words: Sequence[str], *, is_no: bool) -> bool:
    text = " ".join(words)
    if text in _said("retractions") or text in _said("retractions_alone"):
        return True
    if text in _kept():
        return False
    words = without_harmless(text)
    if _has(words, _said("retractions")):
        return True
    return not is_no and not _said("denials").isdisjoint(words) and _beside().issuperset(words)


def without_harmless(text: str) -> list[str]:
    """The words of a clause without phrases that take nothing back, such as "no problem"."""
    said = f" {text} "
    for each in _harmless():
        said = said.replace(f" {each} ", " ")
    return said.split()


def _has(words: Sequence[str], phrases: frozenset[str]) -> bool:
    """Whether one of the phrases is among the words, which are fewer."""
    counts = range(1, _longest(phrases) + 1)
    return any(
        " ".join(words[first : first + count]) in phrases
        for first in range(len(words))
        for count in counts
    )


@cache
def _longest(phrases: frozenset[str]) -> int:
    """How many words the longest phrase has."""
    return max(len(each.split()) for each in phrases)


@cache
def _said(kind: str) -> frozenset[str]:
    """The phrases of a kind in all languages, as clauses are compared."""
    return plain_words(words_of(kind))


def plain_words(phrases: Iterable[str]) -> frozenset[str]:
    """Phrases as clauses are compared: in small letters, without accents and marks."""
    return frozenset(" ".join(_words(each)) for each in phrases)


@cache
def _numbers() -> frozenset[str]:
    """The words of bids, in all languages."""
    return frozenset(map(unmarked, (*QUANTITIES, *FACES, *words_of_numbers(), *words_of_faces())))


@cache
def _harmless() -> tuple[str, ...]:
    """The longest come first: "not a problem" before "a problem"."""
    found = plain_words((*words_of("harmless_denials"), *words_of("no_retractions")))
    return tuple(sorted(found, key=len, reverse=True))


@cache
def _kept() -> frozenset[str]:
    """What people write below an answer that stays."""
    kinds = "remarks", "postponing_remarks", "manners", "farewells", "turn_manners", "move_leads"
    return plain_words(each for kind in kinds for each in words_of(kind))


@cache
def _weak() -> frozenset[str]:
    """The words that take an answer back if nothing else is below it."""
    return _said("takes_back") - _said("yes")


@cache
def around_moves() -> frozenset[str]:
    """The single words that may be around a move in its clause, without denials.

    "You" is not: "would you call that?" is said to others.
    """
    kinds = (
        *("alternatives", "corrections", "opinion_leads", "beside_answer", "familiar_words"),
        *("move_leads", "manners"),
    )
    every = {word for kind in kinds for each in _said(kind) for word in each.split()}
    return frozenset(every) - _said("denials") - _said("second_person")


@cache
def _doubting() -> frozenset[str]:
    """The words of those who believe no bid: "I believe you lie"."""
    return frozenset(map(unmarked, single_words("doubt_moves", "perhaps_doubt_moves")))


@cache
def _reconsidering() -> frozenset[str]:
    """The single words in front of an answer that changes another one."""
    said = {word for each in _said("reconsiders") | _said("takes_back") for word in each.split()}
    return (around_moves() | said) - _said("denials")


@cache
def _beside() -> frozenset[str]:
    """The words that may be beside a denial."""
    return plain_words(each for kind in _BESIDE for each in words_of(kind))


@cache
def _may_retract() -> frozenset[str]:
    return _beside().union(*map(str.split, _said("retractions") | _said("retractions_alone")))
