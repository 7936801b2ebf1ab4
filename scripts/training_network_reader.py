"""Rounds of the network that learns against a reader, who knows it and all but its cup.

The reader is the one of `arena_reader`: after each bid it keeps the chance of each cup by Bayes'
rule, and it looks two raises ahead.  In half of the rounds it is another one by chance, so that the
network does not learn the weak points of one reader only.

In such a round all cups of the network learn at once, each as much as the reader believes in it.
The network's raises are drawn by the chances that the reader gives them.  A call of the network
is not drawn: the round goes on with the chance that there was none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pbmserv.games.perudo.bots.hands import counting, hands
from pbmserv.games.perudo.bots.network_inputs import ACTIONS, BIDS, DOUBT, FACES
from scripts.training_network_layers import Parts, forward
from scripts.training_network_rounds import Seen, face_of, quantity_of
from scripts.training_network_rules import NONE, Flags, Kind, Numbers, Values
from scripts.training_network_turns import Turn, chances, learned

LEAST_BELIEF = 1e-4  # a cup with a smaller chance is left out
LEAST_REACH = 0.1  # a round that goes on with a smaller chance ends half of the time
MOST_TURNS = 12  # of the network in a round
_USUAL, _FEW_STEPS = 0.5, 0.7  # chances of the usual reader, and of two steps of another


class Reader(NamedTuple):
    """How a reader decides: as in `arena_reader`, or another way."""

    steps: int = 2  # raises of each face that are considered
    goes_on: float = 0.1  # at least the value of a turn after the network has raised
    wavers: float = 0.0  # at most so much is added to the value of a raise by chance, or taken


def some_reader(chance: np.random.Generator) -> Reader:
    """The reader of a round."""
    if chance.random() < _USUAL:
        return Reader()
    steps = 2 if chance.random() < _FEW_STEPS else 3
    return Reader(steps, chance.uniform(-0.05, 0.3), chance.uniform(0, 0.15))


@dataclass(slots=True)
class Round:
    """A round of a network (`policy`, `critic`) against a reader with a cup.

    `held` has the network's cups, a row for each; `believed` has their chances.
    """

    kind: Kind
    palifico: bool
    dice: tuple[int, int]  # of the reader, of the network
    policy: Parts
    critic: Parts
    chance: np.random.Generator
    reader: Reader
    cup: Numbers
    held: Numbers
    believed: Values
    bids: Flags  # of the reader, of the network
    last: int = NONE
    number: int = 0

    def _seen(self, bids: Numbers, kept: Numbers) -> Seen:
        """What the network sees after each of these bids of the reader, with each cup kept.

        `NONE` means no bid: then it is its turn.
        """
        rows, cups = len(bids), len(kept)
        is_made = bids != NONE
        heard = np.repeat(self.bids[None, 0], rows, axis=0)
        heard[is_made, bids[is_made]] = True
        return Seen(
            kind=self.kind,
            palifico=np.full(rows * cups, self.palifico),
            counts=np.tile(self.dice[::-1], (rows * cups, 1)),
            cup=np.tile(self.held[kept], (rows, 1)),
            other_cup=np.tile(self.cup, (rows * cups, 1)),
            made=np.tile(self.bids[1], (rows * cups, 1)),
            heard=np.repeat(heard, cups, axis=0),
            last=np.repeat(np.where(is_made, bids, self.last), cups),
            number=self.number + int(is_made.any()),
        )

    def _missing(self, bids: Numbers) -> Numbers:
        """The dice that each bid lacks, with each of the network's cups (rows)."""
        found: Numbers = quantity_of(bids) - self.held[:, face_of(bids)] - self.cup[face_of(bids)]
        return found

    def _holds(self, bids: Numbers) -> Flags:
        """Whether each bid is true, with each of the network's cups (rows)."""
        found: Flags = self._missing(bids) <= 0
        return found

    def _called(self, player: int, bids: Numbers) -> Values:
        """What the calls of a player (0: the reader) win, for each cup and bid."""
        return self.kind.called(self._missing(bids), np.array(self.dice[player]))

    def _raises(self) -> Numbers:
        """The reader's raises that are considered."""
        seen = Seen(
            kind=self.kind,
            palifico=np.array([self.palifico]),
            counts=np.array([self.dice]),
            cup=self.cup[None],
            other_cup=self.held[:1],
            made=self.bids[None, 0],
            heard=self.bids[None, 1],
            last=np.array([self.last]),
            number=self.number,
        )
        legal = seen.legal()[0, :BIDS].reshape(-1, FACES)
        return np.flatnonzero(legal & (legal.cumsum(axis=0) <= self.reader.steps))

    def replied(self) -> int:
        """The reader's best action."""
        bids, kept = self._raises(), np.flatnonzero(self.believed >= LEAST_BELIEF)
        found = np.full(ACTIONS, -np.inf)
        if self.last != NONE:
            calls = 1 + int(self.kind.has_other_call(np.array(self.dice[0])))
            worth = self.believed @ self._called(0, np.array([self.last]))[:, 0]
            found[DOUBT : DOUBT + calls] = worth[:calls]
        if len(bids):
            seen = self._seen(bids, kept)
            sums, _ = forward(self.policy, seen.inputs(), seen.cells())
            likely = chances(sums, seen.legal()).reshape(len(bids), len(kept), -1)
            likely *= self.believed[kept][:, None]
            loses = self._called(1, bids)[kept].transpose(1, 0, 2)
            raised = likely[:, :, :BIDS]
            total = raised.sum(axis=1)
            true = (raised * self._holds(np.arange(BIDS))[kept]).sum(axis=1)
            answered = np.maximum(total * self.reader.goes_on, total - 2 * true)
            found[bids] = answered.sum(axis=1) - (likely[:, :, DOUBT:] * loses).sum(axis=(1, 2))
            found[bids] += self.reader.wavers * self.chance.triangular(-1, 0, 1, len(bids))
        return int(found.argmax())

    def answered(self, reached: float, bid: int | None = None) -> tuple[Turn, float]:
        """The network's choice with each cup, and the chance that it raises.

        The raise is drawn where it is not given, and the reader's belief follows it.
        """
        kept = np.flatnonzero(self.believed >= LEAST_BELIEF)
        seen = self._seen(np.array([NONE]), kept)
        inputs, legal = seen.inputs(), seen.legal()
        sums, trace = forward(self.policy, inputs, seen.cells())
        found = chances(sums, legal)
        values, critic_trace = forward(self.critic, seen.critic_inputs(inputs))
        believed = self.believed[kept]
        together = believed @ found
        raises = float(together[:BIDS].sum())
        action, likely = DOUBT, 1.0
        if raises > 0:
            drawn = self.chance.choice(BIDS, p=together[:BIDS] / raises)
            action = int(drawn) if bid is None else bid
            likely = together[action] / raises
        turn = Turn(
            rows=kept,
            reached=(believed * reached).astype(np.float32),
            chances=found,
            actions=np.full(len(kept), action),
            sampled=np.full(len(kept), likely, np.float32),
            called=seen.called(),
            raised=np.tanh(values[:, 0]),
            trace=trace,
            critic_trace=critic_trace,
        )
        if action != DOUBT:
            self.believed = np.zeros_like(self.believed)
            self.believed[kept] = believed * found[:, action]
            self.believed /= self.believed.sum()
        return turn, raises / float(together.sum())

    def bid(self, bid: int, *, by_network: bool) -> None:
        """Make a bid."""
        self.bids[int(by_network), bid] = True
        self.last, self.number = bid, self.number + 1

    def played(self, *, begins: bool) -> tuple[list[Turn], Values]:
        """Play to the end: the network's choices, and what follows them, by cup, for the reader."""
        turns: list[Turn] = []
        reached, is_reader = 1.0, begins
        while len(turns) < MOST_TURNS and reached > 0:
            if is_reader:
                action = self.replied()
                if action >= DOUBT:
                    return turns, self._called(0, np.array([self.last]))[:, 0, action - DOUBT]
            else:
                turn, goes_on = self.answered(reached)
                turns.append(turn)
                action, reached = int(turn.actions[0]), reached * goes_on
                if action == DOUBT:
                    break
                if reached < LEAST_REACH:
                    reached *= 2 * self.chance.integers(2)
            self.bid(action, by_network=not is_reader)
            is_reader = not is_reader
        after = np.zeros(len(self.held), np.float32)
        after[turns[-1].rows] = -turns[-1].raised  # nothing else is known
        return turns, after


def against_reader(
    kind: Kind, policy: Parts, critic: Parts, chance: np.random.Generator, dice: tuple[int, int]
) -> tuple[list[Turn], Values]:
    """A round with these numbers of dice (the reader's, the network's)."""
    palifico = min(dice) == 1 and bool(chance.random() < kind.palifico)
    wild = kind.rules.counts_wild(2, palifico)
    known = hands(dice[1], FACES, wild).held
    rolled = [int(face) + 1 for face in chance.integers(0, FACES, dice[0])]
    round_ = Round(
        kind,
        palifico,
        dice,
        policy,
        critic,
        chance,
        some_reader(chance),
        cup=np.array(counting(rolled, FACES, wild)),
        held=np.array([own for _, own, _ in known]),
        believed=np.array([part for _, _, part in known]),
        bids=np.zeros((2, BIDS), bool),
    )
    return round_.played(begins=bool(chance.integers(2)))


def slopes(turns: list[Turn], after: Values, temperature: float) -> list[tuple[Turn, Values]]:
    """The slopes of the last sums at each of the network's turns of a round."""
    found = []
    for turn in reversed(turns):
        slope, _ = learned(turn, after, temperature)
        found.append((turn, slope))
        after = -after  # between two turns of the network is one of the reader
    return found
