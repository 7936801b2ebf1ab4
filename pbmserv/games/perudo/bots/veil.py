"""Veiled bids: how the usual bot bids against two or three, so that a bid tells little of its cup.

A bid tells more, the more its probability differs between the hands.  So the bot has a probability
for each raise that is the same with all hands: its habit.  With a hand, a raise has the habit's
probability, times a factor that grows with the value of the raise.  The habit is the mean over all
hands with which the bot raises.  This is the algorithm of Blahut and Arimoto for rate and
distortion: the bot gives up as little value as possible for what it hides.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import NamedTuple

ROUNDS = 6  # of the computation; the habit changes little after them
LEAST = 0.004  # a probability below it is left out
_NOTHING = 1e-9  # so that each raise keeps some probability


class Hand(NamedTuple):
    """A hand that the bot may hold."""

    chance: float
    factors: tuple[float, ...]
    """For each raise, by how much its value makes it likelier: see `factors`."""
    called: float | None
    """The factor of the best call; None before the first bid."""


def factors(values: Sequence[float], temperature: float) -> tuple[float, ...]:
    """How much likelier values in dice make an action: e times for each `temperature` more."""
    return tuple([exp(value / temperature) for value in values])


def habit(hands: Sequence[Hand]) -> list[float]:
    """The probability of each raise before the bot has seen its hand."""
    count = len(hands[0].factors)
    found = [1 / count] * count
    for _ in range(ROUNDS):
        sums = [_NOTHING] * count
        for hand in hands:
            parts = shares(found, hand)
            if parts is not None:
                chance = hand.chance
                sums = [a + chance * b for a, b in zip(sums, parts, strict=True)]
        total = sum(sums)
        found = [each / total for each in sums]
    return found


def shares(habit: Sequence[float], hand: Hand) -> list[float] | None:
    """The probability of each raise with a hand; None if the bot calls instead.

    It calls if the call has at least the value of raising, less what the raise tells.
    """
    parts = [a * b for a, b in zip(habit, hand.factors, strict=True)]
    total = sum(parts)
    if hand.called is not None and hand.called >= total:
        return None
    return [each / total for each in parts]
