"""The probabilities and the number of dice that a player cannot see."""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate

from pbmserv.games.perudo.view import View

Odds = tuple[float, ...]
"""The probability of each number of dice, from zero on."""


@lru_cache(maxsize=4096)
def binomial(dice: int, chance: float) -> Odds:
    """The distribution of the number of matching dice; each matches with the same `chance`."""
    odds: Odds = (1.0,)
    for _ in range(dice):
        missed, hit = (*odds, 0.0), (0.0, *odds)
        odds = tuple([a * (1 - chance) + b * chance for a, b in zip(missed, hit, strict=True)])
    return odds


def both(one: Odds, other: Odds) -> Odds:
    """The distribution of the sum of two independent numbers of matching dice."""
    found = [0.0] * (len(one) + len(other) - 1)
    for few, chance in enumerate(one):
        for more, also in enumerate(other):
            found[few + more] += chance * also
    return tuple(found)


def at_least(odds: Odds, wanted: int) -> float:
    """The probability of at least `wanted` matching dice."""
    return 1.0 if wanted <= 0 else min(1.0, sum(odds[wanted:]))


def exactly(odds: Odds, wanted: int) -> float:
    """The probability of exactly `wanted` matching dice."""
    return odds[wanted] if 0 <= wanted < len(odds) else 0.0


def tails(odds: Odds) -> Odds:
    """The probability of each number of dice or more, from zero on."""
    return (1.0, *tuple(accumulate(reversed(odds)))[-2::-1])


@lru_cache(maxsize=4096)
def binomial_tails(dice: int, chance: float) -> Odds:
    """The probability of each number of matching dice or more, for so many dice."""
    return tails(binomial(dice, chance))


def tail(tails: Odds, wanted: int) -> float:
    """The probability of at least `wanted` dice, looked up."""
    return 1.0 if wanted <= 0 else tails[wanted] if wanted < len(tails) else 0.0


def dice_of(view: View, seat: int) -> int:
    """How many dice a seat has; if that is hidden, the average after the rounds so far.

    Every round costs a player a die, except for the few dice that calza returns.
    """
    counts, rules = view.counts, view.rules
    count = counts[seat]
    if count is not None:
        return count
    known = sum(each for each in counts if each is not None)
    hidden = counts.count(None)
    total = rules.dice * len(counts) - (view.round - 1)
    return max(1, min(rules.dice, round((total - known) / hidden)))
