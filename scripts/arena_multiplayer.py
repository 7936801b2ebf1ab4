"""The choices of the networks of three and four for all cups at once, in numpy, for the reader.

All sums are whole numbers below 2 to the power of 53: they are those of `bots.multiplayer_network`.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from pbmserv.games.perudo.bots import multiplayer_network, network
from pbmserv.games.perudo.bots.hands import Counting, hands
from pbmserv.games.perudo.bots.mixture import Mixture
from pbmserv.games.perudo.bots.multiplayer_inputs import FACES, Position, cup_inputs, layout
from pbmserv.games.perudo.table import Bid, View, legal_bids


@cache
def _weights(kind: str, players: int) -> list[NDArray[np.float64]]:
    return [np.array(each, np.float64) for each in multiplayer_network.weights(kind, players)]


@cache
def _smaller() -> NDArray[np.float64]:
    return np.array([*network.smaller(), 0], np.float64)


@cache
def _cup_inputs(
    players: int, dice: int, wild: bool, last: Bid | None, expected: int
) -> NDArray[np.float64]:
    """The inputs of all cups that depend on them, for all positions with this last bid."""
    cups = [own for _, own, _ in hands(dice, FACES, wild).held]
    at = layout(players)
    inputs = np.zeros((len(cups), at.inputs - at.cup))
    for row, own in enumerate(cups):
        inputs[row, [each - at.cup for each in cup_inputs(at, last, expected, own)]] = 1
    return inputs


def mixtures(view: View, seen: Position) -> dict[Counting, Mixture]:
    """What `house` does with each cup in this position."""
    players, dice = len(seen.dice), seen.dice[0]
    first, _, second, second_bias, last, last_bias, tables = _weights(seen.kind, players)
    choice, scale = multiplayer_network.Choice(legal_bids(view), seen), 1 << network.ONE
    cups = [own for _, own, _ in hands(dice, FACES, seen.is_wild).held]
    inputs = _cup_inputs(players, dice, seen.is_wild, seen.last, seen.expected_of_last)
    units = np.maximum(inputs @ first[seen.layout.cup :] + np.array(choice.begun, np.float64), 0)
    after = np.floor(np.maximum(units @ second.T + second_bias * scale, 0) / scale)
    sums = after @ last[choice.numbers].T + last_bias[choice.numbers] * scale
    for column, each in enumerate(choice.raises):
        face = each.bid.face - 1
        by_count = [tables[[*each.of(count)]].sum() for count in range(dice + 1)]
        sums[:, column] += np.array([by_count[own[face]] for own in cups]) * scale
    steps = (sums.max(axis=1, keepdims=True) - sums).astype(np.int64) >> network.STEP
    found = _smaller()[np.minimum(steps, len(_smaller()) - 1)]
    parts = (found / found.sum(axis=1, keepdims=True)).tolist()
    return {
        own: {action: part for action, part in zip(choice.actions, row, strict=True) if part}
        for own, row in zip(cups, parts, strict=True)
    }
