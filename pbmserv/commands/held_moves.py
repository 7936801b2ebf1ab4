"""Recognise lines that ask not to play the move above them: "please don't play this yet".

Its writer is asked.  Each phrase needs a clause of its own, with few known words around it: "don't
send this to my wife" is for the table.  The words are in `text/phrases/`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import takewhile

from pbmserv.commands.retractions import is_retraction, take_back
from pbmserv.games.perudo.move_parser import spelled_plainly
from pbmserv.text.phrases import words_of
from pbmserv.text.unicode_forms import unmarked

_LONGEST = 160  # characters of a line
_CLAUSE = re.compile(r"[^.,;:!?…()–—¿¡]+\??")
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")


def is_held_back(line: str, *, is_first: bool = True) -> bool:
    """Whether a line asks not to play the move above it, or says that it was only a thought.

    `is_first`: the line is the next one below the move.  Only there "I play tonight" is about the
    move, and so is "I have not decided yet" in front of other topics: it may be about a holiday.
    """
    words = _words(line)
    whole = {" ".join(words), " ".join(_without_leads(words))}
    thoughts = _said("only_thoughts") | (_said("postponing_remarks") if is_first else frozenset())
    if not thoughts.isdisjoint(whole):
        return True
    clauses = [each for each in _CLAUSE.findall(line[:_LONGEST]) if _words(each)]
    said = [*map(_words, clauses)]
    if any(_is_order(each) for each in said) or _asks_before(said):
        return True
    return is_first and any(
        _is_undecided(each)
        and not any(map(_has_topic, clauses[:at]))
        and not any(map(_goes_on, clauses[at + 1 : at + 2]))
        for at, each in enumerate(said)
    )


def _without_leads(words: Sequence[str]) -> Sequence[str]:
    """The words without those in front that say little: "hmm", "oh well", "sorry"."""
    said = [*takewhile(_leads().__contains__, words)]
    return words[len(said) :] or words


@cache
def _leads() -> frozenset[str]:
    """The single words that say little in front of a thought."""
    return frozenset(each for each in _said("move_leads") | _said("apologies") if " " not in each)


@cache
def _said(kind: str) -> frozenset[str]:
    """The phrases of a kind in all languages, as clauses are compared."""
    return frozenset(" ".join(_words(each)) for each in words_of(kind))


@cache
def _by_first_word(phrases: frozenset[str]) -> Mapping[str, Sequence[list[str]]]:
    """The words of each phrase, by the first one."""
    found: dict[str, list[list[str]]] = {}
    for each in phrases:
        found.setdefault(each.partition(" ")[0], []).append(each.split())
    return found


def _places(words: Sequence[str], phrases: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Where phrases are among the words."""
    known = _by_first_word(phrases)
    for first, word in enumerate(words):
        for each in known.get(word, ()):
            if [*words[first : first + len(each)]] == each:
                yield first, first + len(each)


def _is_order(words: Sequence[str]) -> bool:
    """Whether a clause is an order not to play, with known words around it.

    Behind it, anything may follow "until" and its like.
    """
    words = _without_names(words)
    return any(
        _known().issuperset((*words[:first], *takewhile(_ends_no_order, words[last:])))
        for first, last in _places(words, _said("holds"))
    )


def _ends_no_order(word: str) -> bool:
    return word not in _said("behind_holds")


def _is_undecided(words: Sequence[str]) -> bool:
    """Whether a clause says that its writer has not decided yet, with known words or bids."""
    words = _without_names(words)
    around = ([*words[:first], *words[last:]] for first, last in _places(words, _said("undecided")))
    return any(
        _known().issuperset(each) or not _said("words_of_play").isdisjoint(each) for each in around
    )


def _asks_before(clauses: Sequence[Sequence[str]]) -> bool:
    """Whether a line asks something about the game "before I play".

    The next word of the clause is a known one: "before I move house" is something else.
    """
    if all(map(_said("words_of_play").isdisjoint, clauses)):
        return False
    return any(
        _known().issuperset(words[last : last + 1])
        for words in clauses
        for _, last in _places(words, _said("asks_before"))
    )


def _has_topic(clause: str) -> bool:
    """Whether a clause is about something else than the game; a name alone is not."""
    words = _words(clause)
    if (len(words) == 1 and not clause.endswith("?")) or is_retraction(clause):
        return False
    return not _known().issuperset(words) and _said("words_of_play").isdisjoint(words)


def _goes_on(clause: str) -> bool:
    """Whether a clause gives the one before another topic: "that's not my move, it's the wind's".

    In Russian there is a comma in front of "whether I will come on Friday", too.
    """
    if not _has_topic(clause) or take_back([clause]):
        return False
    words = _words(clause)
    return any(first <= 1 for first, _ in _places(words, _said("goes_on")))


def _without_names(words: Sequence[str]) -> Sequence[str]:
    """The words without a first name at each end."""
    if words[:1] and words[0] in _said("first_names"):
        words = words[1:]
    return words[:-1] if words[-1:] and words[-1] in _said("first_names") else words


def _words(text: str) -> list[str]:
    return _WORD.findall(unmarked(spelled_plainly(text)))


@cache
def _known() -> frozenset[str]:
    """The words that may be around a phrase."""
    kinds = "manners", "greetings", "familiar_words", "move_leads"
    polite = (word for kind in kinds for each in _said(kind) for word in each.split())
    return _said("beside_holds").union(polite)
