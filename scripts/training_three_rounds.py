"""Rounds of three players for the training of their network, and what the network sees.

The engine's own functions say what is legal and what the network sees (`bots.three`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from pbmserv.games.perudo import bidding
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.bots import three
from pbmserv.games.perudo.bots.hands import Counting, counting
from pbmserv.games.perudo.bots.three import ACTIONS, DOUBT
from pbmserv.games.perudo.bots.three_inputs import (
    FACES,
    INPUTS,
    MOST_DICE,
    PLAYERS,
    RULES,
    TABLES,
    Position,
    cup_inputs,
    public_inputs,
)
from scripts import training_network_turns
from scripts.training_network_layers import Parts, Trace, backward, forward, new
from scripts.training_network_rules import Flags, Numbers, Values

MOST_BIDS = 26  # of a round; then the player on turn must doubt
_OFTEN = np.array([1, 1.2, 1.6, 2, 2.6])  # how often a player has 1, 2, ... 5 dice
# The critic sees the other cups, and the bid's dice beside all cups.
_MISSING, _LEAST_MISSING, _MOST_MISSING = INPUTS + (PLAYERS - 1) * FACES * MOST_DICE, -4, 5
CRITIC_INPUTS = _MISSING + _MOST_MISSING - _LEAST_MISSING + 1


@dataclass(slots=True)
class Round:
    """A round between players from seat 0 on, with the cups as they count."""

    cups: tuple[Counting, ...]
    dice: tuple[int, ...]
    turn: int
    bids: list[tuple[int, Bid]] = field(default_factory=list)

    @property
    def last(self) -> Bid | None:
        """The last bid."""
        return self.bids[-1][1] if self.bids else None

    def around(self) -> list[int]:
        """The seats from the one on turn on."""
        return [(self.turn + step) % PLAYERS for step in range(PLAYERS)]

    def seen(self) -> Position:
        """What all see, for the player on turn."""
        seats = self.around()
        bids = tuple(tuple(bid for by, bid in self.bids if by == seat) for seat in seats)
        return Position(tuple(self.dice[seat] for seat in seats), bids, self.last)

    def legal(self) -> Sequence[Bid]:
        """The legal bids."""
        if len(self.bids) >= MOST_BIDS:
            return ()
        found = bidding.raises(RULES, sum(self.dice), False, self.last)
        made = {bid for _, bid in self.bids}
        return [bid for bid in found if bid not in made]

    def bid(self, bid: Bid) -> None:
        """Make a bid."""
        self.bids.append((self.turn, bid))
        self.turn = (self.turn + 1) % PLAYERS

    def missing(self, cups: Iterable[Counting]) -> int:
        """The dice that these cups lack for the last bid; 0 or less if it holds or is none."""
        if self.last is None:
            return 0
        return self.last.quantity - sum(cup[self.last.face - 1] for cup in cups)


def dealt(chance: np.random.Generator) -> Round:
    """A round with dice by chance."""
    dice = tuple(map(int, chance.choice(MOST_DICE, PLAYERS, p=_OFTEN / _OFTEN.sum()) + 1))
    rolled = [(chance.integers(0, FACES, each) + 1).tolist() for each in dice]
    cups = tuple(counting(each, FACES, wild=False) for each in rolled)
    return Round(cups, dice, int(chance.integers(PLAYERS)))


class Seen(NamedTuple):
    """What the network sees on some turns: a row for each."""

    inputs: Values
    legal: Flags
    cells: Numbers  # the places of each raise in both tables


def seen(turns: Sequence[tuple[three.Choice, Sequence[Counting]]]) -> Seen:
    """What the network sees of these positions, with each of the cups given for it."""
    number = sum(len(cups) for _, cups in turns)
    inputs = np.zeros((number, INPUTS), np.float32)
    legal = np.zeros((number, ACTIONS), bool)
    cells, row = np.zeros((number, DOUBT, 2), np.int64), 0
    for choice, cups in turns:
        some = slice(row, row + len(cups))
        inputs[some, public_inputs(choice.seen)] = 1
        legal[some, choice.numbers] = True
        last, expected = choice.seen.last, choice.seen.expected
        counts = np.array(cups)
        for place, each in zip(choice.numbers, choice.raises, strict=False):
            by_count = np.array([each.of(count) for count in range(MOST_DICE + 1)])
            cells[some, place] = by_count[counts[:, each.bid.face - 1]]
        for cup in cups:
            inputs[row, cup_inputs(last, expected, cup)] = 1
            row += 1
    return Seen(inputs, legal, cells)


def critic_inputs(seen: Position, others: Sequence[Counting], missing: int) -> list[int]:
    """The inputs of the critic beside those of the network; `others` are the cups from the next on.

    `missing` are the dice that all cups lack for the last bid.
    """
    found: list[int] = []
    for place, cup in enumerate(others):
        first = INPUTS + place * FACES * MOST_DICE
        for face, count in enumerate(cup):
            found += range(first + face * MOST_DICE, first + face * MOST_DICE + count)
    if seen.last is not None:
        lacks = max(_LEAST_MISSING, min(_MOST_MISSING, missing))
        found.append(_MISSING + lacks - _LEAST_MISSING)
    return found


def new_policy(chance: np.random.Generator) -> Parts:
    """A network that has learned nothing."""
    parts = new(chance, INPUTS, ACTIONS)
    del parts["table"]
    return parts | {"table": np.zeros(TABLES, np.float32)}


def chances(parts: Parts, seen: Seen) -> tuple[Values, Trace]:
    """The probabilities of the actions, and the layers."""
    sums, trace = forward(parts, seen.inputs)
    sums[:, :DOUBT] += parts["table"][seen.cells].sum(axis=2)
    return training_network_turns.chances(sums, seen.legal), trace


def slopes(parts: Parts, trace: Trace, seen: Seen, slope: Values) -> Parts:
    """The slopes of all weights from those of the last sums."""
    found = backward(parts, trace, slope)
    weights = np.repeat(slope[:, :DOUBT, None], 2, axis=2).ravel()
    tables = np.bincount(seen.cells.ravel(), weights, TABLES)
    return found | {"table": tables.astype(np.float32)}
