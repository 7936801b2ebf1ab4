"""Train a network by play against itself, and a reader: the same for two players and more.

An iteration plays some hundred rounds, with dice by chance.  The gradient of the value of each
choice changes the weights (policy gradient).  A choice counts as much as the others would have come
to it.  A second network, the critic, sees all cups.  It predicts what a raise is worth, so the luck
of the dice counts less.  The calls need no prediction.  The entropy of each choice is worth
something, too: an action that loses a temperature of dice more is e times less likely.

The first phase plays against itself only.  In the second, a few rounds of each iteration are played
against a reader, and both kinds count the same.

The file has the mean of the weights of many iterations.  One seed gives the same file again, on a
machine that adds in the same order.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from scripts.training import turns
from scripts.training.layers import (
    Flags,
    Learner,
    Numbers,
    Parts,
    Trace,
    Values,
    backward,
    forward,
    written,
)
from scripts.training.turns import Played, Turn, learned

SETTLED = 0.8  # the share of a phase after which the temperature stays
_HALF = 0.5  # the share of the rounds against a reader in what is learned


class Phase(NamedTuple):
    """How a part of the training goes; of two numbers one is at first, the other at the end."""

    share: float  # of the iterations
    temperatures: tuple[float, float]
    rates: tuple[float, float]  # of learning
    rounds: int  # against itself in an iteration; fewer in trials
    read: int  # rounds against the reader
    averaged: int  # iterations, about


class Seen(NamedTuple):
    """What the players on turn of some rounds see and may do: a row for each."""

    own: Numbers  # their seats
    inputs: Values
    critic_inputs: Values
    legal: Flags
    cells: Numbers  # the places of each raise in the table
    called: Values  # what each call is worth in dice, for each seat


class Rounds(Protocol):
    """Rounds that are played at once."""

    def seen(self, rows: Numbers) -> Seen:
        """The positions of the players on turn in these rounds."""

    def bid(self, rows: Numbers, actions: Numbers) -> None:
        """Make the bids with these numbers in these rounds."""


class Training(ABC):
    """Two networks that learn: the policy and its critic.

    The critic has an output for the player on turn and each later one; or one only, where the
    other of two wins what the player loses.
    """

    most_reached: float
    """How much a choice counts at most."""
    read_turns: float
    """The network's turns in a round against a reader, about."""

    def __init__(
        self, players: int, chance: np.random.Generator, policy: Parts, critic: Parts
    ) -> None:
        self.players = players
        self.chance, self.policy, self.critic = chance, Learner(policy), Learner(critic)
        self.mean = {name: each.copy() for name, each in self.policy.parts.items()}

    @abstractmethod
    def dealt(self, number: int) -> Rounds:
        """So many rounds that begin."""

    @abstractmethod
    def read(self) -> Played:
        """A round against a reader."""

    def file(self, phases: Sequence[Phase], iterations: int) -> bytes:
        """The file of the network after these phases."""
        for phase in phases:
            number = max(1, round(iterations * phase.share))
            for step in range(1, number + 1):
                self._step(phase, step, step / number)
        return written(self.mean)

    def _step(self, phase: Phase, step: int, done: float) -> None:
        """One iteration; `done` is the share of the phase that is over."""
        (hot, cold), (fast, slow) = phase.temperatures, phase.rates
        temperature = hot * (cold / hot) ** min(1, done / SETTLED)
        rate = fast * (slow / fast) ** done
        found, critic_found = self._itself(phase.rounds, temperature, _HALF if phase.read else 1)
        self.critic.learn(critic_found, rate)
        for _ in range(phase.read):
            weight = _HALF / phase.read / self.read_turns
            found += self.read().slopes(self.policy.parts, temperature, weight)
        self.policy.learn(found, rate)
        share = np.float32(1 / min(step + 1, phase.averaged))
        for name in self.mean:
            self.mean[name] += share * (self.policy.parts[name] - self.mean[name])

    def _itself(
        self, number: int, temperature: float, weight: float
    ) -> tuple[list[Parts], list[Parts]]:
        """The slopes of policy and critic from so many rounds against itself."""
        played = self._played(number)
        choices = np.float32(sum(len(turn.rows) for turn, _ in played))
        after = np.zeros((number, self.players), np.float32)
        found, critic_found = [], []
        for turn, critic_trace in reversed(played):
            slope, error = learned(turn, after, temperature)
            scaled = slope / choices * np.float32(weight)
            found.append(backward(self.policy.parts, turn.trace, scaled))
            errors = -error * (1 - turn.raised**2) * turn.reached[:, None] / choices
            outputs = self.critic.parts["last"].shape[1]
            sums = np.take_along_axis(errors, self._seats(turn.own)[:, :outputs], axis=1)
            critic_found.append(backward(self.critic.parts, critic_trace, sums))
        return found, critic_found

    def _played(self, number: int) -> list[tuple[Turn, Trace]]:
        """Play so many rounds to their ends: the turns, with the critic's layers."""
        rounds, rows = self.dealt(number), np.arange(number)
        reached = np.ones((number, self.players), np.float32)  # by what each player did
        found = []
        while len(rows):
            seen = rounds.seen(rows)
            turn, critic_trace = self._chosen(seen, rows, reached[rows])
            found.append((turn, critic_trace))
            likely = turn.chances[np.arange(len(rows)), turn.actions]
            reached[rows, turn.own] *= likely / turn.sampled
            rows = rows[turn.is_raise]
            rounds.bid(rows, turn.actions[turn.is_raise])
        return found

    def _chosen(self, seen: Seen, rows: Numbers, reached: Values) -> tuple[Turn, Trace]:
        """Draw an action in each round, some raises by equal chance."""
        sums, trace = forward(self.policy.parts, seen.inputs, seen.cells)
        found = turns.chances(sums, seen.legal)
        values, critic_trace = forward(self.critic.parts, seen.critic_inputs)
        actions, sampled = turns.drawn(self.chance, found, seen.legal, seen.cells.shape[1])
        is_own = seen.own[:, None] == np.arange(self.players)
        counts = np.where(is_own, np.float32(1), reached).prod(axis=1)
        turn = Turn(
            rows=rows,
            own=seen.own,
            reached=np.minimum(counts, np.float32(self.most_reached)),
            chances=found,
            actions=actions,
            sampled=sampled,
            called=seen.called,
            raised=self._by_seat(np.tanh(values), seen.own),
            trace=trace,
        )
        return turn, critic_trace

    def _by_seat(self, values: Values, own: Numbers) -> Values:
        """The critic's values by seat, from those of the player on turn and the later ones."""
        if values.shape[1] < self.players:
            values = np.concatenate([values, -values], axis=1)
        found = np.zeros_like(values)
        np.put_along_axis(found, self._seats(own), values, axis=1)
        return found

    def _seats(self, own: Numbers) -> Numbers:
        """The seats from the player on turn on."""
        found: Numbers = (own[:, None] + np.arange(self.players)) % self.players
        return found
