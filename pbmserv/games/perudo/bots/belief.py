"""Belief: the chances of dice that nobody has shown, and how many of them there are."""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate

from pbmserv.games.perudo.view import View

Odds = tuple[float, ...]
"""The chance of each number of dice, from none on."""


@lru_cache(maxsize=4096)
def binomial(dice: int, chance: float) -> Odds:
    """How many of so many dice match, each with the same chance."""
    odds: Odds = (1.0,)
    for _ in range(dice):
        missed, hit = (*odds, 0.0), (0.0, *odds)
        odds = tuple([a * (1 - chance) + b * chance for a, b in zip(missed, hit, strict=True)])
    return odds


def both(one: Odds, other: Odds) -> Odds:
    """How many match in all, of two that know nothing of each other."""
    found = [0.0] * (len(one) + len(other) - 1)
    for few, chance in enumerate(one):
        for more, also in enumerate(other):
            found[few + more] += chance * also
    return tuple(found)


def at_least(odds: Odds, wanted: int) -> float:
    """The chance that so many match, or more."""
    return 1.0 if wanted <= 0 else min(1.0, sum(odds[wanted:]))


def exactly(odds: Odds, wanted: int) -> float:
    """The chance that just so many match."""
    return odds[wanted] if 0 <= wanted < len(odds) else 0.0


def tails(odds: Odds) -> Odds:
    """The chance of each number of dice or more, from none on."""
    return (1.0, *tuple(accumulate(reversed(odds)))[-2::-1])


@lru_cache(maxsize=4096)
def binomial_tails(dice: int, chance: float) -> Odds:
    """The chance that so many of the dice match, or more."""
    return tails(binomial(dice, chance))


def tail(tails: Odds, wanted: int) -> float:
    """The chance of so many dice or more, looked up."""
    return 1.0 if wanted <= 0 else tails[wanted] if wanted < len(tails) else 0.0


def dice_of(view: View, seat: int) -> int:
    """How many dice a seat has; where that is hidden, what the rounds so far leave on average.

    Every round costs somebody a die, but for the few that calza gives back.
    """
    counts, rules = view.counts, view.rules
    count = counts[seat]
    if count is not None:
        return count
    known = sum(each for each in counts if each is not None)
    hidden = counts.count(None)
    total = rules.dice * len(counts) - (view.round - 1)
    return max(1, min(rules.dice, round((total - known) / hidden)))
