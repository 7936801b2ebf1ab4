"""Rounds of a network of three or four against a reader, who knows it and all but the cups.

The reader is one of `reader`, and sits at seat 0.  In such a round all cups of a player learn at
once, each as much as the reader believes in it.  What the network's players do is drawn by these
chances.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.bots import multiplayer_network
from pbmserv.games.perudo.bots.hands import Counting, hands
from pbmserv.games.perudo.bots.multiplayer_inputs import FACES
from pbmserv.games.perudo.bots.multiplayer_network import DOUBT
from scripts.training.layers import Parts, Values, forward
from scripts.training.multiplayer_rounds import Round, critic_inputs, critic_sees, payoff, seen
from scripts.training.reader import LEAST_BELIEF, Reader, some_reader
from scripts.training.turns import Played, Turn, chances

READER = 0  # its seat
USUAL, MOST = Reader(0.02), Reader(0.15, 3, 0.1)


class Believed(NamedTuple):
    """The cups of a player, and their chances."""

    cups: list[Counting]
    chances: Values

    def counts(self, face: int) -> Values:
        """The chance of each number of dice of a face."""
        numbers = [cup[face - 1] for cup in self.cups]
        return np.bincount(numbers, self.chances).astype(np.float32)


class ReadRound:
    """A round of a network (`policy`, `critic`) against a reader, who has its cup in the round."""

    def __init__(
        self,
        parts: tuple[Parts, Parts],
        chance: np.random.Generator,
        played: Round,
        reader: Reader,
    ) -> None:
        (self.policy, self.critic), self.chance = parts, chance
        self.round, self.reader = played, reader
        self.cup = played.cups[READER]
        self.believed: dict[int, Believed] = {}
        wild = played.seen().is_wild
        for seat, dice in enumerate(played.dice):
            if seat != READER:
                held = hands(dice, FACES, wild).held
                believed = np.array([part for *_, part in held], np.float32)
                self.believed[seat] = Believed([own for _, own, _ in held], believed)

    def holds(self, bid: Bid, cup: Counting | None = None, seat: int = READER) -> float:
        """How probably a bid is true, if a player of the network at a seat has a cup."""
        found = np.ones(1)
        for each, believed in self.believed.items():
            if each != seat:
                found = np.convolve(found, believed.counts(bid.face))
        known = self.cup[bid.face - 1] + (cup[bid.face - 1] if cup else 0)
        return float(found[max(0, bid.quantity - known) :].sum())

    def _after(self, bid: Bid) -> Round:
        found = replace(self.round, bids=[*self.round.bids])
        found.bid(bid)
        return found

    def replied(self) -> Bid | None:
        """The reader's best bid; None for the doubt."""
        gain, last = 1 / len(self.believed), self.round.last
        best, found = -np.inf, None
        if last is not None:
            true = self.holds(last)
            best = (1 - true) * gain - true
        follower = READER + 1
        cups, believed = self.believed[follower]
        kept = np.flatnonzero(believed >= LEAST_BELIEF)
        held = [cups[each] for each in kept]
        steps = [0] * FACES
        for bid in self.round.legal():
            steps[bid.face - 1] += 1
            if steps[bid.face - 1] > self.reader.steps:
                continue
            after = self._after(bid)
            choice = multiplayer_network.Choice(after.legal(), after.seen())
            views = seen([(choice, held)])
            sums, _ = forward(self.policy, views.inputs, views.cells)
            parts = chances(sums, views.legal)
            by_count = [self.holds(bid, (n,) * FACES, follower) for n in range(FACES + 1)]
            wins = np.array([by_count[cup[bid.face - 1]] for cup in held])
            doubts = parts[:, DOUBT]
            values = doubts * (wins * gain - (1 - wins)) + (1 - doubts) * self.reader.goes_on
            value = float(believed[kept] @ values)
            value += self.reader.wavers * self.chance.triangular(-1, 0, 1)
            if value > best:
                best, found = value, bid
        return found

    def answered(self, bid: Bid | None = None) -> tuple[Turn, Bid | None]:
        """The choice of the network's player on turn with each cup, and a bid, or the doubt.

        It is drawn where it is not given; the reader's belief follows it.
        """
        seat, last = self.round.turn, self.round.last
        cups, believed = self.believed[seat]
        kept = np.flatnonzero(believed >= LEAST_BELIEF)
        held = [cups[each] for each in kept]
        choice = multiplayer_network.Choice(self.round.legal(), self.round.seen())
        views = seen([(choice, held)])
        sums, trace = forward(self.policy, views.inputs, views.cells)
        found = chances(sums, views.legal)
        together = believed[kept] @ found
        if bid is None:
            action = int(self.chance.choice(len(together), p=together / together.sum()))
        else:
            bids = [each.bid for each in choice.raises]
            action = choice.numbers[bids.index(bid)]
        doubted = np.zeros((len(kept), 1), np.float32)
        if last is not None:
            by_count = [self.holds(last, (n,) * FACES, seat) for n in range(FACES + 1)]
            false = 1 - np.array([by_count[cup[last.face - 1]] for cup in held], np.float32)
            doubted = payoff(len(self.round.dice), seat, false)[:, seat : seat + 1]
        turn = Turn(
            rows=kept,
            own=np.zeros(len(kept), np.int64),
            reached=believed[kept],
            chances=found,
            actions=np.full(len(kept), action),
            sampled=np.full(len(kept), together[action] / together.sum(), np.float32),
            called=doubted[:, None],
            raised=self._predicted(choice, held, views.inputs),
            trace=trace,
        )
        after = np.zeros_like(believed)
        after[kept] = believed[kept] * found[:, action]
        self.believed[seat] = Believed(cups, after / after.sum())
        raised = dict(zip(choice.numbers, choice.raises, strict=False))
        return turn, raised[action].bid if action != DOUBT else None

    def _predicted(
        self, choice: multiplayer_network.Choice, held: list[Counting], inputs: Values
    ) -> Values:
        """What the critic expects of a raise with each cup; the others' cups are drawn."""
        others = []
        for seat in self.round.around()[1:]:
            if seat == READER:
                others.append(self.cup)
            else:
                cups, believed = self.believed[seat]
                others.append(cups[self.chance.choice(len(cups), p=believed / believed.sum())])
        found = np.zeros((len(held), critic_inputs(len(self.round.dice))), np.float32)
        found[:, : inputs.shape[1]] = inputs
        for row, cup in enumerate(held):
            missing = self.round.missing([cup, *others])
            found[row, critic_sees(choice.seen, others, missing)] = 1
        values, _ = forward(self.critic, found)
        return np.tanh(values[:, :1])

    def played(self) -> Played:
        """Play to the end: the network's choices, and what follows, by seat and cup."""
        turns: list[tuple[int, Turn]] = []
        while True:
            seat = self.round.turn
            if seat == READER:
                bid = self.replied()
            else:
                turn, bid = self.answered()
                turns.append((seat, turn))
            if bid is None:
                return Played(turns, self._ended(seat))
            self.round.bid(bid)

    def _ended(self, doubter: int) -> dict[int, Values]:
        """What the end is worth for each player of the network, by cup."""
        last = self.round.last
        assert last is not None  # there is no doubt without a bid
        found = {}
        for seat, (cups, _) in self.believed.items():
            by_count = [self.holds(last, (n,) * FACES, seat) for n in range(FACES + 1)]
            false = 1 - np.array([by_count[cup[last.face - 1]] for cup in cups], np.float32)
            found[seat] = payoff(len(self.round.dice), doubter, false)[:, seat : seat + 1]
        return found


def against_reader(
    policy: Parts, critic: Parts, chance: np.random.Generator, played: Round
) -> Played:
    """A round against a reader by chance."""
    reader = some_reader(chance, USUAL, MOST)
    return ReadRound((policy, critic), chance, played, reader).played()
