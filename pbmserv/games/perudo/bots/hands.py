"""The possible hands of a number of dice.

A hand is described by how many of its dice count for each face.  A set of hands is an integer with
a bit for each hand in it.  So one operation applies to many hands at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, combinations_with_replacement
from math import comb, factorial, prod
from operator import or_
from typing import NamedTuple

Counting = tuple[int, ...]
"""How many dice of a hand count for each face, wild ones included; face 1 first."""

Some = int
"""A set of hands: bit 0 is the first hand."""

MOST_HANDS = 300  # that are considered; five ordinary dice make 252


Held = tuple[Some, Counting, float]
"""A possible hand: its bit, how many of its dice count for each face, its probability."""


class Hands(NamedTuple):
    """The possible hands of a number of dice."""

    held: tuple[Held, ...]
    at_least: tuple[tuple[Some, ...], ...]
    """For each face: the hands with at least none, at least one, ... dice for it; at last none."""

    def having(self, place: int, own: int) -> Some:
        """The hands with exactly `own` dice of the face with this index, from 0."""
        some = self.at_least[place]
        return some[own] & ~some[own + 1]


def counting(hand: Sequence[int], faces: int, wild: bool) -> Counting:
    """How many dice of a hand count for each face; `wild`: ones count for every face."""
    ones = hand.count(1)
    more = ones if wild else 0
    return (ones, *[hand.count(face) + more for face in range(2, faces + 1)])


@lru_cache(maxsize=64)
def hands(dice: int, faces: int, wild: bool) -> Hands:
    """The possible hands of a number of dice.

    If there are too many, a sample of equally likely hands replaces them.  A linear congruential
    generator draws it (the constants are those of Numerical Recipes).
    """
    if comb(faces + dice - 1, dice) <= MOST_HANDS:
        rolled = list(combinations_with_replacement(range(1, faces + 1), dice))
        ways = [
            factorial(dice) / prod([factorial(hand.count(face)) for face in set(hand)])
            for hand in rolled
        ]
    else:
        state, rolled, ways = 1, [], [1.0] * MOST_HANDS
        for _ in range(MOST_HANDS):
            hand = []
            for _ in range(dice):
                state = (1664525 * state + 1013904223) % 2**32
                hand.append(state * faces // 2**32 + 1)
            rolled.append(tuple(hand))
    total = sum(ways)
    held = tuple(
        (1 << place, counting(hand, faces, wild), way / total)
        for place, (hand, way) in enumerate(zip(rolled, ways, strict=True))
    )
    return Hands(held, tuple(_at_least(held, face, dice) for face in range(faces)))


def _at_least(held: Sequence[Held], place: int, dice: int) -> tuple[Some, ...]:
    """The hands with at least none, at least one, ... dice for a face; the last set is empty."""
    found = [0] * (dice + 2)
    for bit, counts, _ in held:
        found[counts[place]] |= bit
    return tuple(accumulate(reversed(found), or_))[::-1]
