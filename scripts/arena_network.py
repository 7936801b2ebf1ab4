"""The network's choices for all cups at once, in numpy: the reader asks for all of them.

All sums are whole numbers below 2 to the power of 53, so they are those of `bots.network`.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from pbmserv.games.perudo.bots import network
from pbmserv.games.perudo.bots.hands import Counting, hands
from pbmserv.games.perudo.bots.mixture import Mixture
from pbmserv.games.perudo.bots.network_inputs import FACES, INPUTS, Position, cell, cup_inputs
from pbmserv.games.perudo.table import View


@cache
def _weights(name: str) -> list[NDArray[np.float64]]:
    return [np.array(each, np.float64) for each in network.weights(name)]


@cache
def _smaller() -> NDArray[np.float64]:
    return np.array([*network.smaller(), 0], np.float64)


def mixtures(view: View, seen: Position) -> dict[Counting, Mixture]:
    """What `house` does with each cup in this position."""
    first, _, second, second_bias, last, last_bias, table = _weights(network.name(seen))
    choice, scale = network.Choice(view, seen), 1 << network.ONE
    cups = [own for _, own, _ in hands(seen.own, FACES, wild=False).held]
    inputs = np.zeros((len(cups), INPUTS))
    for row, own in enumerate(cups):
        inputs[row, cup_inputs(own, seen.last)] = 1
    units = np.maximum(inputs @ first + np.array(choice.begun, np.float64), 0)
    after = np.floor(np.maximum(units @ second.T + second_bias * scale, 0) / scale)
    sums = after @ last[choice.numbers].T + last_bias[choice.numbers] * scale
    for column, bid in enumerate(choice.raises):
        cells = [cell(bid, own, choice.heard) for own in cups]
        sums[:, column] += table[cells] * scale
    steps = (sums.max(axis=1, keepdims=True) - sums).astype(np.int64) >> network.STEP
    found = _smaller()[np.minimum(steps, len(_smaller()) - 1)]
    parts = (found / found.sum(axis=1, keepdims=True)).tolist()
    return {
        own: {action: part for action, part in zip(choice.actions, row, strict=True) if part}
        for own, row in zip(cups, parts, strict=True)
    }
