"""Recognise lines that ask not to play the move above them: "please don't play this yet".

Its writer is asked.  Each phrase needs a clause of its own, with few known words around it: "don't
send this to my wife" is for the table.  The words are in `text/phrases/`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import takewhile

from pbmserv.commands.move_lines.clauses import Clause, clauses_of, phrases, words_in
from pbmserv.commands.move_lines.retractions import is_retraction, take_back


def is_held_back(line: str, *, is_first: bool = True) -> bool:
    """Whether a line asks not to play the move above it, or says that it was only a thought.

    `is_first`: the line is the next one below the move.  Only there "I play tonight" is about the
    move, and so is "I have not decided yet" in front of other topics: it may be about a holiday.
    """
    words = words_in(line)
    whole = {" ".join(words), " ".join(_without_leads(words))}
    if not phrases("only_thoughts").isdisjoint(whole):
        return True
    if is_first and not phrases("postponing_remarks").isdisjoint(whole):
        return True
    clauses = clauses_of(line)
    if any(_is_order(each.words) for each in clauses) or _asks_before(clauses):
        return True
    return is_first and _is_about_move(clauses)


def _is_about_move(clauses: Sequence[Clause]) -> bool:
    """Whether a clause says that its writer is undecided, in front of any other topic."""
    undecided = [at for at, each in enumerate(clauses) if _is_undecided(each.words)]
    if not undecided:
        return False
    before_last = enumerate(clauses[: undecided[-1]])
    topic = next((at for at, each in before_last if _has_topic(each)), undecided[-1])
    behind = (clauses[at + 1 : at + 2] for at in undecided if at <= topic)
    return any(not any(map(_goes_on, each)) for each in behind)


def _without_leads(words: Sequence[str]) -> Sequence[str]:
    """The words without those in front that say little: "hmm", "oh well", "sorry"."""
    said = [*takewhile(_leads().__contains__, words)]
    return words[len(said) :] or words


@cache
def _leads() -> frozenset[str]:
    """The single words that say little in front of a thought."""
    return frozenset(
        each for each in phrases("move_leads") | phrases("apologies") if " " not in each
    )


@cache
def _first_words(wanted: frozenset[str]) -> frozenset[str]:
    """The first word of each phrase."""
    return frozenset(each.partition(" ")[0] for each in wanted)


@cache
def _longest(wanted: frozenset[str]) -> int:
    """How many words the longest phrase has."""
    return max(len(each.split()) for each in wanted)


def _places(words: Sequence[str], wanted: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Where phrases are among the words."""
    for first, word in enumerate(words):
        if word in _first_words(wanted):
            for last in range(first + 1, min(first + _longest(wanted), len(words)) + 1):
                if " ".join(words[first:last]) in wanted:
                    yield first, last


def _is_order(words: Sequence[str]) -> bool:
    """Whether a clause is an order not to play, with known words around it.

    Behind it, anything may follow "until" and its like.
    """
    if _first_words(phrases("holds")).isdisjoint(words):
        return False
    words = _without_names(words)
    return any(
        _known().issuperset((*words[:first], *takewhile(_ends_no_order, words[last:])))
        for first, last in _places(words, phrases("holds"))
    )


def _ends_no_order(word: str) -> bool:
    return word not in phrases("behind_holds")


def _is_undecided(words: Sequence[str]) -> bool:
    """Whether a clause says that its writer has not decided yet, with known words or bids."""
    wanted = phrases("undecided")
    if _first_words(wanted).isdisjoint(words):
        return False
    words = _without_names(words)
    around = ([*words[:first], *words[last:]] for first, last in _places(words, wanted))
    return any(
        _known().issuperset(each) or not phrases("words_of_play").isdisjoint(each)
        for each in around
    )


def _asks_before(clauses: Sequence[Clause]) -> bool:
    """Whether a line asks something about the game "before I play".

    The next word of the clause is a known one: "before I move house" is something else.
    """
    play, wanted = phrases("words_of_play"), phrases("asks_before")
    if all(play.isdisjoint(each.words) for each in clauses):
        return False
    return any(
        _known().issuperset(each.words[last : last + 1])
        for each in clauses
        for _, last in _places(each.words, wanted)
    )


def _has_topic(clause: Clause) -> bool:
    """Whether a clause is about something else than the game; a name alone is not."""
    text, words = clause
    if (len(words) == 1 and not text.endswith("?")) or _known().issuperset(words):
        return False
    return phrases("words_of_play").isdisjoint(words) and not is_retraction(text)


def _goes_on(clause: Clause) -> bool:
    """Whether a clause gives the one before another topic: "that's not my move, it's the wind's".

    In Russian there is a comma in front of "whether I will come on Friday", too.
    """
    if not _has_topic(clause) or take_back([clause.text]):
        return False
    return any(first <= 1 for first, _ in _places(clause.words, phrases("goes_on")))


def _without_names(words: Sequence[str]) -> Sequence[str]:
    """The words without a first name at each end."""
    if words[:1] and words[0] in phrases("first_names"):
        words = words[1:]
    return words[:-1] if words[-1:] and words[-1] in phrases("first_names") else words


@cache
def _known() -> frozenset[str]:
    """The words that may be around a phrase."""
    kinds = "manners", "greetings", "familiar_words", "move_leads"
    polite = (word for kind in kinds for each in phrases(kind) for word in each.split())
    return phrases("beside_holds").union(polite)
