"""The network's choices for all cups at once, in numpy: the reader asks for all of them.

All sums are whole numbers below 2 to the power of 53, so they are those of `bots.network`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from pbmserv.games.perudo.bots import network
from pbmserv.games.perudo.bots.hands import Counting, hands
from pbmserv.games.perudo.bots.mixture import Mixture
from pbmserv.games.perudo.bots.network_inputs import (
    FACES,
    INPUTS,
    MOST_DICE,
    RoundOfTwo,
    cell,
    cup_inputs,
)
from pbmserv.games.perudo.table import Bid, Call, Raise, View


@cache
def _weights(name: str) -> list[NDArray[np.float64]]:
    return [np.array(each, np.float64) for each in network.weights(name)]


@cache
def smaller() -> NDArray[np.float64]:
    """The weight of an action by the steps that its sum is below the best; at last 0."""
    return np.array([*network.smaller(), 0], np.float64)


@cache
def cups_of(dice: int, wild: bool) -> tuple[dict[Counting, int], NDArray[np.int64]]:
    """The cups of so many dice and their rows, and what they count for each face."""
    cups = [own for _, own, _ in hands(dice, FACES, wild).held]
    return {own: row for row, own in enumerate(cups)}, np.array(cups)


@lru_cache(maxsize=256)
def _inputs(dice: int, wild: bool, last: Bid | None) -> NDArray[np.float64]:
    """The inputs of each cup, in its row."""
    cups = cups_of(dice, wild)[0]
    inputs = np.zeros((len(cups), INPUTS))
    for own, row in cups.items():
        inputs[row, cup_inputs(own, last)] = 1
    return inputs


def _chances(choice: network.Choice) -> NDArray[np.float64]:
    """The probabilities of the actions (columns) with each cup (rows)."""
    seen = choice.seen
    first, _, second, second_bias, last, last_bias, table = _weights(network.name(seen))
    scale, counts = 1 << network.ONE, cups_of(seen.own, seen.is_wild)[1]
    inputs = _inputs(seen.own, seen.is_wild, seen.last)
    units = np.maximum(inputs @ first + np.array(choice.begun, np.float64), 0)
    after = np.floor(np.maximum(units @ second.T + second_bias * scale, 0) / scale)
    sums = after @ last[choice.numbers].T + last_bias[choice.numbers] * scale
    for column, bid in enumerate(choice.raises):
        by_count = [cell(bid, (count,) * FACES, choice.heard) for count in range(MOST_DICE + 1)]
        sums[:, column] += table[by_count][counts[:, bid.face - 1]] * scale
    steps = (sums.max(axis=1, keepdims=True) - sums).astype(np.int64) >> network.STEP
    found = smaller()[np.minimum(steps, len(smaller()) - 1)]
    chances: NDArray[np.float64] = found / found.sum(axis=1, keepdims=True)
    return chances


def mixtures(view: View, seen: RoundOfTwo) -> dict[Counting, Mixture]:
    """What `house` does with each cup in this position."""
    choice = network.Choice(view, seen)
    return {
        own: {action: part for action, part in zip(choice.actions, row, strict=True) if part}
        for own, row in zip(
            cups_of(seen.own, seen.is_wild)[0], _chances(choice).tolist(), strict=True
        )
    }


def raising(
    view: View,
    seen: RoundOfTwo,
    own: Counting,
    held: Iterable[tuple[Counting, float]],
    least: float,
) -> float:
    """The value of a raise of the reader (`own`), after which `house` sees this position.

    `held` are the cups of `house`.  A turn after its raise is worth at least so much.
    """
    rows, counts = cups_of(seen.own, seen.is_wild)
    believed = np.zeros(len(rows))
    for cup, chance in held:
        believed[rows[cup]] = chance
    choice = network.Choice(view, seen)
    chances = _chances(choice) * believed[:, None]
    bids = [action.bid if isinstance(action, Raise) else seen.last for action in choice.actions]
    lacks = np.array([bid.quantity - own[bid.face - 1] for bid in bids if bid])
    missing = lacks - counts[:, [bid.face - 1 for bid in bids if bid]]
    number = len(choice.raises)
    total, holds = chances.sum(axis=0), (chances * (missing <= 0)).sum(axis=0)
    right = (chances * (missing == 0)).sum(axis=0)
    gained = 0 if seen.own == MOST_DICE else right  # a right calza of five dice wins none
    won = {"dudo": 2 * holds - total, "pacao": total - 2 * holds, "calza": total - right - gained}
    called = sum(
        won[action.word][place]
        for place, action in enumerate(choice.actions)
        if isinstance(action, Call)
    )
    answered = np.maximum(total * least, total - 2 * holds)[:number]
    return float(called + answered.sum())
