"""Train the network of rounds of two (`bots.network`) by play against itself, and a reader.

An iteration plays some hundred rounds, with dice by chance.  The gradient of the value of each
choice changes the weights (policy gradient).  A choice counts as much as the other would have come
to it.  A second network, the critic, sees both cups.  It predicts what a raise is worth for its
player, so the luck of the dice counts less.  The calls need no prediction.  The entropy of each
choice is worth something, too: an action that loses a temperature of dice more is e times less
likely.

The first phase plays against itself only.  In the second, a few rounds of each iteration are played
against a reader (`training_network_reader`), and both kinds count the same.

The file has the mean of the weights of many iterations.  One seed gives the same file again, on a
machine that adds in the same order.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pbmserv.games.perudo.bots import network
from pbmserv.games.perudo.bots.network_inputs import ACTIONS, BIDS, INPUTS, MOST_DICE
from scripts.training_network_layers import Learner, Parts, backward, forward, new
from scripts.training_network_reader import against_reader, slopes
from scripts.training_network_rounds import Rounds, Seen, pairs
from scripts.training_network_rules import Kind, Numbers, Values, kind
from scripts.training_network_turns import Turn, chances, learned


class Phase(NamedTuple):
    """How a part of the training goes; of two numbers one is at first, the other at the end."""

    share: float  # of the iterations
    temperatures: tuple[float, float]
    rates: tuple[float, float]  # of learning
    rounds: int  # against itself in an iteration; fewer in trials
    read: int  # rounds against the reader
    averaged: int  # iterations, about


ITERATIONS, SEED = 80_000, 1
PHASES = (
    Phase(0.97, (0.2, 0.06), (2e-3, 1e-4), 512, 0, 2000),
    Phase(0.03, (0.06, 0.045), (7e-4, 5e-5), 256, 16, 500),
)
SETTLED = 0.8  # the share of a phase after which the temperature stays
STRAYED = 0.1  # the share of raises that are made by equal chance
READ_TURNS = 2.5  # of the network in a round against the reader, about
_CRITIC_INPUTS = INPUTS + 40

DICE = {"least": (2, 4), "few": (4, 8), "many": (9, 2 * MOST_DICE)}
"""The least and most dice of both players, by the sizes of the networks."""
NOT_READ = {"least"}
"""The sizes without the second phase: with so few dice they lose more to a best responder."""


class Training:
    """Two networks that learn: the policy and its critic."""

    def __init__(self, kind: Kind, seed: int, often: Values) -> None:
        self.kind, self.chance, self.often = kind, np.random.default_rng(seed), often
        self.policy = Learner(new(self.chance, INPUTS, ACTIONS))
        self.critic = Learner(new(self.chance, _CRITIC_INPUTS, 1))
        self.mean = {name: each.copy() for name, each in self.policy.parts.items()}
        self.begin(PHASES[0])

    def begin(self, phase: Phase) -> None:
        """Begin a phase."""
        self.phase, self.steps = phase, 0

    def step(self, done: float) -> None:
        """One iteration; `done` is the share of the phase that is over."""
        (hot, cold), (fast, slow) = self.phase.temperatures, self.phase.rates
        temperature = hot * (cold / hot) ** min(1, done / SETTLED)
        rate, read = fast * (slow / fast) ** done, self.phase.read
        found = self._itself(temperature, rate, 0.5 if read else 1)
        for _ in range(read):
            found += self._read(temperature, 0.5 / read / READ_TURNS)
        self.policy.learn(found, rate)
        self.steps += 1
        share = np.float32(1 / min(self.steps + 1, self.phase.averaged))
        for name in self.mean:
            self.mean[name] += share * (self.policy.parts[name] - self.mean[name])

    def _itself(self, temperature: float, rate: float, weight: float) -> list[Parts]:
        """The slopes of rounds against itself; the critic learns from them."""
        turns = self._played()
        choices = sum(len(turn.rows) for turn in turns)
        after = np.zeros(self.phase.rounds, np.float32)  # what follows is worth for who acts then
        found, critic_found = [], []
        for turn in reversed(turns):
            slope, critic_slope = (
                each / np.float32(choices) for each in learned(turn, after, temperature)
            )
            found.append(backward(self.policy.parts, turn.trace, slope * np.float32(weight)))
            critic_found.append(backward(self.critic.parts, turn.critic_trace, critic_slope))
        self.critic.learn(critic_found, rate)
        return found

    def _read(self, temperature: float, weight: float) -> list[Parts]:
        """The slopes of a round against the reader."""
        pair = int(self.chance.choice(len(self.often), p=self.often))
        counts = pair // MOST_DICE + 1, pair % MOST_DICE + 1
        learning = self.policy.parts, self.critic.parts
        played = against_reader(self.kind, *learning, self.chance, counts)
        return [
            backward(self.policy.parts, turn.trace, slope * np.float32(weight))
            for turn, slope in slopes(*played, temperature)
        ]

    def _played(self) -> list[Turn]:
        """Play rounds to their ends."""
        number = self.phase.rounds
        rounds, rows = Rounds(self.kind, self.chance, number, self.often), np.arange(number)
        reached = np.ones((number, 2), np.float32)  # by what each player did
        turns: list[Turn] = []
        while len(rows):
            player = len(turns) % 2
            turn = self._chosen(rounds.seen(rows, len(turns)), rows, reached[rows, 1 - player])
            odds = turn.chances[np.arange(len(rows)), turn.actions] / turn.sampled
            reached[rows, player] *= odds.astype(np.float32)
            rows, bids = rows[turn.is_raise], turn.actions[turn.is_raise]
            rounds.bid(rows, len(turns), bids)
            turns.append(turn)
        return turns

    def _chosen(self, seen: Seen, rows: Numbers, reached: Values) -> Turn:
        """Draw an action in each round; some raises by equal chance."""
        inputs, legal, all_rows = seen.inputs(), seen.legal(), np.arange(len(rows))
        sums, trace = forward(self.policy.parts, inputs, seen.cells())
        found = chances(sums, legal)
        values, critic_trace = forward(self.critic.parts, seen.critic_inputs(inputs))
        raises = legal[:, :BIDS].sum(axis=1)
        strayed = np.where(raises > 0, STRAYED, 0)[:, None]
        sampled = found * (1 - strayed)
        sampled[:, :BIDS] += strayed * legal[:, :BIDS] / np.maximum(raises, 1)[:, None]
        sums_so_far = sampled.cumsum(axis=1)
        drawn = self.chance.random(len(rows)) * sums_so_far[:, -1]
        actions = np.minimum((sums_so_far <= drawn[:, None]).sum(axis=1), ACTIONS - 1)
        wrong = ~legal[all_rows, actions]  # by rounding
        actions[wrong] = found[wrong].argmax(axis=1)
        likely = sampled[all_rows, actions].astype(np.float32)
        raised = np.tanh(values[:, 0])
        return Turn(
            rows, reached, found, actions, likely, seen.called(), raised, trace, critic_trace
        )  # fmt: skip


def written(parts: Mapping[str, Values]) -> bytes:
    """The file of a network, for `network.read`."""
    turned = {"second", "last"}  # there the file has a row for each unit
    numbers = [
        (parts[name].T if name in turned else parts[name]).ravel()
        for name in network.Weights._fields
    ]
    whole = np.rint(np.concatenate(numbers) * (1 << network.ONE))
    return zlib.compress(np.clip(whole, -(2**15), 2**15 - 1).astype("<i2").tobytes(), 9)


def file(
    name: str,
    iterations: int = ITERATIONS,
    seed: int = SEED,
    phases: Sequence[Phase] = PHASES,
) -> bytes:
    """The file of this name (`network.NAMES`) after so many iterations."""
    rules, size = network.NAMES[name]
    training = Training(kind(rules), seed, pairs(*DICE[size]))
    for phase in phases[:1] if size in NOT_READ else phases:
        number = max(1, round(iterations * phase.share))
        training.begin(phase)
        for done in range(1, number + 1):
            training.step(done / number)
    return written(training.mean)
