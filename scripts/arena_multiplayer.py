"""The choices of the networks of three and four for all cups at once, in numpy, for the reader.

All sums are whole numbers below 2 to the power of 53: they are those of `bots.multiplayer_network`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from pbmserv.games.perudo.bots import multiplayer_network, network
from pbmserv.games.perudo.bots.hands import Counting
from pbmserv.games.perudo.bots.mixture import Mixture
from pbmserv.games.perudo.bots.multiplayer_inputs import (
    Cells,
    RoundOfSeveral,
    cup_inputs,
    layout,
    public_inputs,
)
from pbmserv.games.perudo.table import Action, Bid, View, legal_bids
from scripts.arena_network import cups_of, smaller


@cache
def _weights(kind: str, players: int) -> list[NDArray[np.float64]]:
    return [np.array(each, np.float64) for each in multiplayer_network.weights(kind, players)]


@lru_cache(maxsize=1024)
def _cup_inputs(
    players: int, dice: int, wild: bool, last: Bid | None, expected: int
) -> NDArray[np.float64]:
    """The inputs of all cups that depend on them, for all positions with this last bid."""
    cups, at = cups_of(dice, wild)[0], layout(players)
    inputs = np.zeros((len(cups), at.inputs - at.cup))
    for own, row in cups.items():
        inputs[row, [each - at.cup for each in cup_inputs(at, last, expected, own)]] = 1
    return inputs


@lru_cache(maxsize=4096)
def _places(raised: Cells, dice: int) -> list[tuple[int, int]]:
    """The places of a raise in both tables with no dice of its face, one, two, ..."""
    return [raised.of(count) for count in range(dice + 1)]


def _chances(choice: multiplayer_network.Choice) -> NDArray[np.float64]:
    """The probabilities of the actions (columns) with each cup (rows)."""
    seen = choice.seen
    players, dice = len(seen.dice), seen.dice[0]
    first, bias, second, second_bias, last, last_bias, table = _weights(seen.kind, players)
    scale, counts = 1 << network.ONE, cups_of(dice, seen.is_wild)[1]
    inputs = _cup_inputs(players, dice, seen.is_wild, seen.last, seen.expected_of_last)
    begun = bias + first[public_inputs(seen)].sum(axis=0)
    units = np.maximum(inputs @ first[seen.layout.cup :] + begun, 0)
    after = np.floor(np.maximum(units @ second.T + second_bias * scale, 0) / scale)
    sums = after @ last[choice.numbers].T + last_bias[choice.numbers] * scale
    if choice.raises:
        by_count = table[np.array([_places(each, dice) for each in choice.raises])].sum(axis=2)
        faces = [each.bid.face - 1 for each in choice.raises]
        sums[:, : len(faces)] += by_count[np.arange(len(faces)), counts[:, faces]] * scale
    steps = (sums.max(axis=1, keepdims=True) - sums).astype(np.int64) >> network.STEP
    found = smaller()[np.minimum(steps, len(smaller()) - 1)]
    chances: NDArray[np.float64] = found / found.sum(axis=1, keepdims=True)
    return chances


def mixtures(view: View, seen: RoundOfSeveral) -> dict[Counting, Mixture]:
    """What `house` does with each cup in this position."""
    choice = multiplayer_network.Choice(legal_bids(view), seen)
    cups = cups_of(seen.dice[0], seen.is_wild)[0]
    return {
        own: {action: part for action, part in zip(choice.actions, row, strict=True) if part}
        for own, row in zip(cups, _chances(choice).tolist(), strict=True)
    }


def probabilities(view: View, seen: RoundOfSeveral, action: Action) -> dict[Counting, float]:
    """How probable one action of `house` is with each cup in this position."""
    choice = multiplayer_network.Choice(legal_bids(view), seen)
    cups = cups_of(seen.dice[0], seen.is_wild)[0]
    if action not in choice.actions:
        return dict.fromkeys(cups, 0.0)
    found = _chances(choice)[:, choice.actions.index(action)]
    return dict(zip(cups, found.tolist(), strict=True))


def doubts(
    view: View, seen: RoundOfSeveral, face: int, held: Iterable[tuple[Counting, float]]
) -> list[float]:
    """How probable it is that `house` doubts here, and has no dice for a face, one, two, ...

    `held` are its cups, and their chances.
    """
    rows, counts = cups_of(seen.dice[0], seen.is_wild)
    believed = np.zeros(len(rows))
    for cup, chance in held:
        believed[rows[cup]] = chance
    choice = multiplayer_network.Choice(legal_bids(view), seen)
    doubt = choice.numbers.index(multiplayer_network.DOUBT)
    found = _chances(choice)[:, doubt] * believed
    each: list[float] = np.bincount(counts[:, face - 1], weights=found).tolist()
    return each
