"""Train the network of rounds of two (`bots.network`) by play against itself.

An iteration plays some hundred rounds, with dice by chance.  The gradient of the value of each
choice changes the weights (policy gradient).  A second network, the critic, sees both cups.  It
predicts what a raise is worth for its player, so the luck of the dice counts less.  The doubt needs
no prediction.  The entropy of each choice is worth something, too: an action that loses
`TEMPERATURES` dice more is e times less likely.

The file has the mean of the weights of many iterations.  One seed gives the same file again, on a
machine that adds in the same order.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pbmserv.games.perudo.bots import network
from pbmserv.games.perudo.bots.network_inputs import BIDS, DOUBT, INPUTS, MOST_DICE, TABLE
from scripts.training_network_rounds import Flags, Numbers, Rounds, Seen, Values, pairs

ITERATIONS, ROUNDS, SEED = 80_000, 512, 1
TEMPERATURES = 0.2, 0.05  # at first, and at the end
SETTLED = 0.8  # the share of the iterations after which the temperature stays
RATES = 2e-3, 1e-4  # of learning, at first and at the end
AVERAGED = 2000  # iterations, about
STRAYED = 0.1  # the share of raises that are made by equal chance
TRUST = 0.8  # in what follows a raise, against the critic's prediction
_DECAY, _DECAY_OF_SQUARES, _TINY = 0.9, 0.999, 1e-6  # of Adam (Kingma and Ba, 2015)
_CRITIC_INPUTS = INPUTS + 40

DICE = {"few": (2, network.LARGE - 1), "many": (network.LARGE, 2 * MOST_DICE)}
"""The least and most dice of both players, by the names of the files."""

Parts = dict[str, Values]


def new(chance: np.random.Generator, inputs: int, outputs: int) -> Parts:
    """The weights of a network that has learned nothing; a table where it has more outputs."""
    one, two = network.UNITS

    def some(rows: int, columns: int, size: float) -> Values:
        return (chance.standard_normal((rows, columns)) * size).astype(np.float32)

    found = {
        "first": some(inputs, one, 0.22),
        "first_bias": np.zeros(one, np.float32),
        "second": some(one, two, 0.125),
        "second_bias": np.zeros(two, np.float32),
        "last": some(two, outputs, 0.01),
        "last_bias": np.zeros(outputs, np.float32),
    }
    return found | ({"table": np.zeros(TABLE, np.float32)} if outputs > 1 else {})


class Trace(NamedTuple):
    """The values of the layers, for the gradient."""

    inputs: Values
    one: Values
    two: Values
    cells: Numbers | None


def forward(parts: Parts, inputs: Values, cells: Numbers | None = None) -> tuple[Values, Trace]:
    """The last sums, and the layers."""
    one = np.maximum(inputs @ parts["first"] + parts["first_bias"], 0)
    two = np.maximum(one @ parts["second"] + parts["second_bias"], 0)
    sums = two @ parts["last"] + parts["last_bias"]
    if cells is not None:
        sums[:, :BIDS] += parts["table"][cells]
    return sums, Trace(inputs, one, two, cells)


def backward(parts: Parts, trace: Trace, slope: Values) -> Parts:
    """The slopes of all weights from those of the last sums."""
    two = (slope @ parts["last"].T) * (trace.two > 0)
    one = (two @ parts["second"].T) * (trace.one > 0)
    found = {
        "first": trace.inputs.T @ one,
        "first_bias": one.sum(axis=0),
        "second": trace.one.T @ two,
        "second_bias": two.sum(axis=0),
        "last": trace.two.T @ slope,
        "last_bias": slope.sum(axis=0),
    }
    if trace.cells is not None:
        weights = slope[:, :BIDS].ravel()
        table = np.bincount(trace.cells.ravel(), weights, TABLE).astype(np.float32)
        found["table"] = table
    return found


class Learner:
    """A network that follows the slopes, by Adam."""

    def __init__(self, parts: Parts) -> None:
        self.parts, self.steps = parts, 0
        self.means = {name: np.zeros_like(each) for name, each in parts.items()}
        self.squares = {name: np.zeros_like(each) for name, each in parts.items()}

    def learn(self, slopes: Sequence[Parts], rate: float) -> None:
        """One step against the sum of the slopes."""
        self.steps += 1
        for name in self.parts:
            slope = np.sum([each[name] for each in slopes], axis=0)
            self.means[name] += (1 - _DECAY) * (slope - self.means[name])
            self.squares[name] += (1 - _DECAY_OF_SQUARES) * (slope**2 - self.squares[name])
            mean = self.means[name] / (1 - _DECAY**self.steps)
            size = np.sqrt(self.squares[name] / (1 - _DECAY_OF_SQUARES**self.steps))
            self.parts[name] -= (rate * mean / (size + _TINY)).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Turn:
    """One choice in each of some rounds, with what is needed to learn from it."""

    rows: Numbers
    chances: Values
    actions: Numbers
    sampled: Values  # the chance with which the action was drawn
    doubted: Values
    raised: Values  # the critic's value of a raise
    trace: Trace
    critic_trace: Trace

    @property
    def is_raise(self) -> Flags:
        """Where a bid was made."""
        found: Flags = self.actions != DOUBT
        return found


def chances(sums: Values, legal: Flags) -> Values:
    """The probabilities of the legal actions."""
    lowered = np.where(legal, sums, -np.inf)
    found = np.exp(lowered - lowered.max(axis=1, keepdims=True))
    shares: Values = found / found.sum(axis=1, keepdims=True)
    return shares


class Training:
    """Two networks that learn: the policy and its critic."""

    def __init__(self, seed: int, rounds: int, often: Values) -> None:
        self.chance, self.rounds, self.often = np.random.default_rng(seed), rounds, often
        self.policy = Learner(new(self.chance, INPUTS, BIDS + 1))
        self.critic = Learner(new(self.chance, _CRITIC_INPUTS, 1))
        self.mean = {name: each.copy() for name, each in self.policy.parts.items()}

    def step(self, done: float) -> None:
        """One iteration; `done` is the share of all iterations that are over."""
        hot, cold = TEMPERATURES
        temperature = hot * (cold / hot) ** min(1, done / SETTLED)
        rate = RATES[0] * (RATES[1] / RATES[0]) ** done
        turns = self._played()
        choices = sum(len(turn.rows) for turn in turns)
        after = np.zeros(self.rounds, np.float32)  # what follows is worth for who acts then
        slopes, critic_slopes = [], []
        for turn in reversed(turns):
            slope, critic_slope = (
                each / np.float32(choices) for each in self._learned(turn, after, temperature)
            )
            slopes.append(backward(self.policy.parts, turn.trace, slope))
            found = backward(self.critic.parts, turn.critic_trace, critic_slope)
            critic_slopes.append(found)
        self.policy.learn(slopes, rate)
        self.critic.learn(critic_slopes, rate)
        share = np.float32(1 / min(self.policy.steps + 1, AVERAGED))
        for name in self.mean:
            self.mean[name] += share * (self.policy.parts[name] - self.mean[name])

    def _played(self) -> list[Turn]:
        """Play rounds to their ends."""
        rounds, rows = Rounds(self.chance, self.rounds, self.often), np.arange(self.rounds)
        turns: list[Turn] = []
        while len(rows):
            turn = self._chosen(rounds.seen(rows, len(turns)), rows)
            rows, bids = rows[turn.is_raise], turn.actions[turn.is_raise]
            rounds.bid(rows, len(turns), bids)
            turns.append(turn)
        return turns

    def _chosen(self, seen: Seen, rows: Numbers) -> Turn:
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
        actions = np.minimum((sums_so_far <= drawn[:, None]).sum(axis=1), DOUBT)
        wrong = ~legal[all_rows, actions]  # by rounding
        actions[wrong] = found[wrong].argmax(axis=1)
        likely = sampled[all_rows, actions].astype(np.float32)
        raised = np.tanh(values[:, 0])
        return Turn(
            rows, found, actions, likely, seen.doubted(), raised, trace, critic_trace
        )  # fmt: skip

    @staticmethod
    def _learned(turn: Turn, after: Values, temperature: float) -> tuple[Values, Values]:
        """The slopes of the policy's and the critic's last sums; `after` becomes this turn's."""
        found, raised, all_rows = turn.chances, turn.raised, np.arange(len(turn.rows))
        doubts, is_raise = found[:, DOUBT], turn.is_raise
        error = np.where(is_raise, -after[turn.rows] - raised, 0)
        odds = np.where(is_raise, found[all_rows, turn.actions] / turn.sampled, 0)
        predicted = doubts * turn.doubted + (1 - doubts) * raised
        values = found * raised[:, None]
        values[:, DOUBT] = doubts * turn.doubted
        values[all_rows[is_raise], turn.actions[is_raise]] += (odds * error)[is_raise]
        slope = values - found * (predicted + odds * error)[:, None]
        logs = np.log(np.maximum(found, 1e-12))
        entropy = -(found * logs).sum(axis=1, keepdims=True)
        slope -= temperature * found * (logs + entropy)
        after[turn.rows] = predicted + TRUST * odds * error
        critic = -error * (1 - raised**2)
        return (-slope).astype(np.float32), critic[:, None].astype(np.float32)


def written(parts: Mapping[str, Values]) -> bytes:
    """The file of a network, for `network.read`."""
    turned = {"second", "last"}  # there the file has a row for each unit
    numbers = [
        (parts[name].T if name in turned else parts[name]).ravel()
        for name in network.Weights._fields
    ]
    whole = np.rint(np.concatenate(numbers) * (1 << network.ONE))
    return zlib.compress(np.clip(whole, -(2**15), 2**15 - 1).astype("<i2").tobytes(), 9)


def file(name: str, iterations: int = ITERATIONS, rounds: int = ROUNDS, seed: int = SEED) -> bytes:
    """The file of this name (`network.NAMES`) after so many iterations."""
    training = Training(seed, rounds, pairs(*DICE[name]))
    for number in range(1, iterations + 1):
        training.step(number / iterations)
    return written(training.mean)
