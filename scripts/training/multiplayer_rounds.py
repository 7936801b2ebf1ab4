"""Rounds of three and four players for the training of their networks, and what these see.

The engine's own functions say what is legal and what a network sees (`bots.multiplayer_network`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from pbmserv.games.perudo import bidding
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.bots import multiplayer_network
from pbmserv.games.perudo.bots.hands import Counting, counting
from pbmserv.games.perudo.bots.multiplayer_inputs import (
    FACES,
    KINDS,
    MOST_DICE,
    RoundOfSeveral,
    cup_inputs,
    layout,
    public_inputs,
)
from pbmserv.games.perudo.bots.multiplayer_network import ACTIONS, DOUBT
from scripts.training.layers import Flags, Numbers, Values

MOST_BIDS = 26  # of a round; then the player on turn must doubt
OFTEN = np.array([1, 1.2, 1.6, 2, 2.6])  # how often a player has 1, 2, ... 5 dice
PALIFICO = 0.12  # how often a round is a Palifico one, where the rules have these
# The critic sees the other cups, and the bid's dice beside all cups.
LEAST_MISSING, MOST_MISSING = -4, 5


def missing_inputs(players: int) -> int:
    """Where the inputs of the bid's dice begin."""
    return layout(players).inputs + (players - 1) * FACES * MOST_DICE


def critic_inputs(players: int) -> int:
    """The number of the critic's inputs."""
    return missing_inputs(players) + MOST_MISSING - LEAST_MISSING + 1


@dataclass(slots=True)
class Round:
    """A round between players from seat 0 on, with the cups as they count."""

    kind: str
    palifico: bool
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
        players = len(self.dice)
        return [(self.turn + step) % players for step in range(players)]

    def seen(self) -> RoundOfSeveral:
        """What all see, for the player on turn."""
        seats = self.around()
        bids = tuple(tuple(bid for by, bid in self.bids if by == seat) for seat in seats)
        dice = tuple(self.dice[seat] for seat in seats)
        return RoundOfSeveral(self.kind, self.palifico, dice, bids, self.last)

    def legal(self) -> Sequence[Bid]:
        """The legal bids."""
        if len(self.bids) >= MOST_BIDS:
            return ()
        rules = KINDS[self.kind]
        frozen = self.palifico or (rules.palifico == "own" and self.dice[self.turn] == 1)
        found = bidding.raises(rules, sum(self.dice), frozen, self.last)
        made = {bid for _, bid in self.bids} if rules.never_repeats else ()
        return [bid for bid in found if bid not in made]

    def bid(self, bid: Bid) -> None:
        """Make a bid."""
        self.bids.append((self.turn, bid))
        self.turn = (self.turn + 1) % len(self.dice)

    def missing(self, cups: Iterable[Counting]) -> int:
        """The dice that these cups lack for the last bid; 0 or less if it holds or is none."""
        if self.last is None:
            return 0
        return self.last.quantity - sum(cup[self.last.face - 1] for cup in cups)


def dealt(chance: np.random.Generator, kind: str, players: int) -> Round:
    """A round of these rules with dice by chance; whose Palifico it is begins."""
    rules, turn = KINDS[kind], int(chance.integers(players))
    dice = chance.choice(MOST_DICE, players, p=OFTEN / OFTEN.sum()) + 1
    palifico = rules.palifico in {"every", "first"} and bool(chance.random() < PALIFICO)
    if palifico:
        dice[turn] = 1
    wild = rules.counts_wild(2, palifico)
    rolled = [(chance.integers(0, FACES, each) + 1).tolist() for each in dice]
    cups = tuple(counting(each, FACES, wild) for each in rolled)
    return Round(kind, palifico, cups, tuple(dice.tolist()), turn)


class Seen(NamedTuple):
    """What the network sees on some turns: a row for each."""

    inputs: Values
    legal: Flags
    cells: Numbers  # the places of each raise in both tables


def seen(turns: Sequence[tuple[multiplayer_network.Choice, Sequence[Counting]]]) -> Seen:
    """What the network sees of these positions, with each of the cups given for it."""
    number, at = sum(len(cups) for _, cups in turns), turns[0][0].seen.layout
    inputs = np.zeros((number, at.inputs), np.float32)
    legal = np.zeros((number, ACTIONS), bool)
    cells, row = np.zeros((number, DOUBT, 2), np.int64), 0
    for choice, cups in turns:
        some = slice(row, row + len(cups))
        inputs[some, public_inputs(choice.seen)] = 1
        legal[some, choice.numbers] = True
        last, expected = choice.seen.last, choice.seen.expected_of_last
        counts = np.array(cups)
        for place, each in zip(choice.numbers, choice.raises, strict=False):
            by_count = np.array([each.of(count) for count in range(MOST_DICE + 1)])
            cells[some, place] = by_count[counts[:, each.bid.face - 1]]
        for cup in cups:
            inputs[row, cup_inputs(at, last, expected, cup)] = 1
            row += 1
    return Seen(inputs, legal, cells)


def critic_sees(seen: RoundOfSeveral, others: Sequence[Counting], missing: int) -> list[int]:
    """The inputs of the critic beside those of the network; `others` are the cups from the next on.

    `missing` are the dice that all cups lack for the last bid.
    """
    found: list[int] = []
    for place, cup in enumerate(others):
        first = seen.layout.inputs + place * FACES * MOST_DICE
        for face, count in enumerate(cup):
            found += range(first + face * MOST_DICE, first + face * MOST_DICE + count)
    if seen.last is not None:
        lacks = max(LEAST_MISSING, min(MOST_MISSING, missing))
        found.append(missing_inputs(len(seen.dice)) + lacks - LEAST_MISSING)
    return found


def payoff(players: int, doubter: int, false: Values) -> Values:
    """What each seat wins by a doubt (columns) of a bid that is false so probably (rows)."""
    return payoffs(players, np.full(len(false), doubter), false)


def payoffs(players: int, doubters: Numbers, false: Values) -> Values:
    """The same where each row has another doubter.

    Who loses the doubt loses a die.  The others share its worth.
    """
    gain, rows = 1 / (players - 1), np.arange(len(false))
    found = np.full((len(false), players), gain, np.float32)
    found[rows, doubters] = false * gain - (1 - false)
    found[rows, doubters - 1] = (1 - false) * gain - false
    return found
