"""The networks: how the usual bot plays against one player with up to five dice.

A round has too many sequences of bids for tables.  A small network sees the cup and every bid of
both players (`network_inputs`), and gives a weight to each action.  Each rule set has one for
many dice and one for few, and some have a third for the fewest.  `scripts/train` trains them by
play against themselves and a reader, and writes them into `weights/`.

Two layers of units follow the inputs.  A unit is a weighted sum of the layer before, and 0 where
that is negative.  Then comes a sum for each bid and each call.

All weights are whole numbers, and so are the sums.  So every machine finds the same mixture.
"""

from __future__ import annotations

import struct
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from operator import mul
from pkgutil import get_data
from typing import NamedTuple, TypeAlias

from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.bots.hands import Counting
from pbmserv.games.perudo.bots.mixture import Mixture, Policy
from pbmserv.games.perudo.bots.network_inputs import (
    ACTIONS,
    DOUBT,
    FACES,
    INPUTS,
    KINDS,
    TABLE,
    RoundOfTwo,
    cell,
    cup_inputs,
    most,
    place,
    position,
    public_inputs,
)
from pbmserv.games.perudo.events import Action, Call, Raise
from pbmserv.games.perudo.view import View, legal_bids, legal_calls

STEPS = 3  # the least raises of each face that are considered
UNITS = 128, 64  # of the two layers
ONE = 10  # bits: a weight of 1 is stored as 2 to the power of this
STEP = 12  # bits of a last sum that are dropped; what is left is in steps
STEPS_OF_ONE = 1 << (2 * ONE - STEP)
"""An action whose last sum is 1 less has a weight that is about e times smaller, in so many steps.

Each step makes the weight smaller by the factor (STEPS_OF_ONE - 1) / STEPS_OF_ONE.
"""
_MOST_LESS = 10 * STEPS_OF_ONE  # an action with a sum that is less by so much is left out
_LARGEST = 1 << 40  # the weight of the best action

Row: TypeAlias = tuple[int, ...]


class Weights(NamedTuple):
    """The whole numbers of the network.

    `first` has a row for each input; `second` and `last` have a row for each unit and action.
    """

    first: tuple[Row, ...]
    first_bias: Row
    second: tuple[Row, ...]
    second_bias: Row
    last: tuple[Row, ...]
    last_bias: Row
    table: Row


SHAPES = (
    (INPUTS, UNITS[0]), (1, UNITS[0]), (UNITS[1], UNITS[0]), (1, UNITS[1]),
    (ACTIONS, UNITS[1]), (1, ACTIONS), (1, TABLE),
)  # fmt: skip
"""Rows and columns of each field of the weights."""


def unpacked(data: bytes, shapes: Sequence[tuple[int, int]]) -> Weights:
    """Weights from the bytes of a file: all numbers with 16 bits each, compressed."""
    numbers = iter(struct.unpack("<" + "h" * sum(a * b for a, b in shapes), zlib.decompress(data)))
    fields = [[tuple(next(numbers) for _ in range(b)) for _ in range(a)] for a, b in shapes]
    first, first_bias, second, second_bias, last, last_bias, table = map(tuple, fields)
    return Weights(first, first_bias[0], second, second_bias[0], last, last_bias[0], table[0])


def read(data: bytes) -> Weights:
    """Read the bytes of a file."""
    return unpacked(data, SHAPES)


def sums_of(found: Weights, begun: Row, cup: Sequence[int], numbers: Sequence[int]) -> list[int]:
    """The last sum of the actions with these numbers, without the table.

    `begun` are the sums of the first layer without the cup, and `cup` are the inputs of the cup.
    """
    rows = [found.first[each] for each in cup]
    units = [max(0, sum(each)) for each in zip(begun, *rows, strict=True)]
    after = [
        max(0, (bias << ONE) + sum(map(mul, units, row))) >> ONE
        for row, bias in zip(found.second, found.second_bias, strict=True)
    ]
    return [
        (found.last_bias[each] << ONE) + sum(map(mul, after, found.last[each])) for each in numbers
    ]


SIZES = {"least": 4, "few": 8, "many": 10}
"""The sizes of networks, and the most dice of both players for each."""

NAMES = {
    f"{kind}-{size}": (kind, size)
    for kind, rules in KINDS.items()
    for size in SIZES
    if size != "least" or rules.never_repeats  # with other rules, rounds of 2+2 are solved
}
"""The rules and size of each network, by its name."""


def name(seen: RoundOfTwo) -> str:
    """The name of the network for a position."""
    fit = (size for size, most in SIZES.items() if seen.own + seen.other <= most)
    return next(name for size in fit if (name := f"{seen.kind}-{size}") in NAMES)


@cache  # 2 MB each
def weights(name: str) -> Weights:
    """A network of the package."""
    found = get_data(__package__, f"weights/{name}.z")
    assert found is not None  # it is a part of the package
    return read(found)


@cache
def smaller() -> Sequence[int]:
    """The weight of an action by the steps that its sum is below the best."""
    found = [_LARGEST]
    while len(found) < _MOST_LESS:
        found.append(found[-1] * (STEPS_OF_ONE - 1) // STEPS_OF_ONE)
    return found


def shares(sums: Sequence[int]) -> list[float]:
    """The probabilities of actions from their last sums."""
    best, by_steps = max(sums), smaller()
    steps = [(best - each) >> STEP for each in sums]
    found = [by_steps[each] if each < len(by_steps) else 0 for each in steps]
    total = sum(found)
    return [each / total for each in found]


class NetworkChoice(ABC):
    """A network's choice in one position, for each cup; `actions` are those that it considers."""

    actions: list[Action]

    @abstractmethod
    def sums(self, own: Counting) -> list[int]:
        """The last sum of each action with this cup."""

    def mixture(self, own: Counting) -> Mixture:
        """The probabilities of the actions with this cup."""
        parts = zip(self.actions, shares(self.sums(own)), strict=True)
        return {action: part for action, part in parts if part}


def sums_without_cup(found: Weights, active: Iterable[int]) -> Row:
    """The sums of the first layer, where these inputs are 1 and those of the cup are 0."""
    rows = [found.first[each] for each in active]
    return tuple(map(sum, zip(found.first_bias, *rows, strict=True)))


class Choice(NetworkChoice):
    """The choice of a network of two players."""

    def __init__(self, view: View, seen: RoundOfTwo) -> None:
        self.seen, self.heard = seen, most(seen.heard)
        steps = [0] * FACES
        self.raises: list[Bid] = []
        for bid in legal_bids(view):
            steps[bid.face - 1] += 1
            if steps[bid.face - 1] <= STEPS:
                self.raises.append(bid)
        self.actions: list[Action] = [*map(Raise, self.raises)]
        self.numbers = [place(bid) for bid in self.raises]
        for number, word in enumerate(legal_calls(view, view.turn), DOUBT):  # the doubt is first
            self.actions.append(Call(word))
            self.numbers.append(number)

    @cached_property
    def weights(self) -> Weights:
        """The network for this position."""
        return weights(name(self.seen))

    @cached_property
    def begun(self) -> Row:
        """The sums of the first layer without the cup."""
        return sums_without_cup(self.weights, public_inputs(self.seen))

    def sums(self, own: Counting) -> list[int]:
        """The last sum of each action with this cup."""
        found = self.weights
        last = sums_of(found, self.begun, cup_inputs(own, self.seen.last), self.numbers)
        for number, bid in enumerate(self.raises):
            last[number] += found.table[cell(bid, own, self.heard)] << ONE
        return last


def policy(view: View) -> Policy | None:
    """The network's policy of the player on turn; None if it does not play this round."""
    seen = position(view)
    return None if seen is None else Choice(view, seen).mixture
