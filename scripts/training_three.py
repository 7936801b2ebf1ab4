"""Train the network of three players (`bots.three`) by self-play, and with a reader.

It is the training of `training_network`, for three players.  The critic sees all cups, and predicts
for each player what a raise is worth.  In the first phase the network plays against itself only.
In the second, a few rounds of each iteration are played against a reader.

The file has the mean of the weights of many iterations.  One seed gives the same file again, on a
machine that adds in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pbmserv.games.perudo.bots import three
from pbmserv.games.perudo.bots.three import DOUBT
from pbmserv.games.perudo.bots.three_inputs import PLAYERS
from scripts.training_network import READ_TURNS, SETTLED, STRAYED, Phase, written
from scripts.training_network_layers import Learner, Parts, Trace, backward, forward, new
from scripts.training_network_rules import Flags, Numbers, Values
from scripts.training_three_reader import ReadRound, slopes_of, some_reader
from scripts.training_three_rounds import (
    CRITIC_INPUTS,
    Round,
    chances,
    critic_inputs,
    dealt,
    new_policy,
    seen,
    slopes,
)
from scripts.training_three_turns import Turn, learned, payoff

ITERATIONS, SEED = 8_000, 1
PHASES = (
    Phase(0.9, (0.2, 0.045), (2e-3, 1e-4), 256, 0, 1000),
    Phase(0.1, (0.045, 0.04), (5e-4, 5e-5), 128, 12, 300),
)
_MOST_REACHED = 4  # how much a choice counts at most


class Training:
    """Two networks that learn: the policy and its critic."""

    def __init__(self, seed: int) -> None:
        self.chance = np.random.default_rng(seed)
        self.policy = Learner(new_policy(self.chance))
        critic = new(self.chance, CRITIC_INPUTS, PLAYERS)
        del critic["table"]
        self.critic = Learner(critic)
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
        played = [dealt(self.chance) for _ in range(self.phase.rounds)]
        reached = np.ones((len(played), PLAYERS), np.float32)  # by what each player did
        rows, turns = np.arange(len(played)), []
        while len(rows):
            turn, critic_trace = self._chosen([played[row] for row in rows], rows, reached)
            turns.append((turn, critic_trace))
            rows = rows[turn.is_raise]
        choices = np.float32(sum(len(turn.rows) for turn, _ in turns))
        after = np.zeros((len(played), PLAYERS), np.float32)
        found, critic_found = [], []
        for turn, critic_trace in reversed(turns):
            slope, error = learned(turn, after, temperature)
            scaled = slope / choices * np.float32(weight)
            found.append(slopes(self.policy.parts, turn.trace, turn.seen, scaled))
            errors = -error * (1 - turn.raised**2) * turn.reached[:, None] / choices
            sums = np.take_along_axis(errors, _seats(turn.own), axis=1)
            critic_found.append(backward(self.critic.parts, critic_trace, sums))
        self.critic.learn(critic_found, rate)
        return found

    def _read(self, temperature: float, weight: float) -> list[Parts]:
        """The slopes of a round against the reader."""
        parts = self.policy.parts, self.critic.parts
        played = dealt(self.chance)
        turns, after = ReadRound(parts, self.chance, played, some_reader(self.chance)).played()
        return [
            slopes(self.policy.parts, turn.trace, turn.seen, slope * np.float32(weight))
            for turn, slope in slopes_of(turns, after, temperature)
        ]

    def _chosen(
        self, played: Sequence[Round], rows: Numbers, reached: Values
    ) -> tuple[Turn, Trace]:
        """Draw an action in each round, some raises by equal chance, and do it."""
        choices = [three.Choice(each.legal(), each.seen()) for each in played]
        cups = [[each.cups[seat] for seat in each.around()] for each in played]
        views = seen([(choice, cup[:1]) for choice, cup in zip(choices, cups, strict=True)])
        found, trace = chances(self.policy.parts, views)
        inputs = np.zeros((len(played), CRITIC_INPUTS), np.float32)
        inputs[:, : views.inputs.shape[1]] = views.inputs
        own = np.array([each.turn for each in played])
        for row, each in enumerate(played):
            missing = each.missing(each.cups)
            inputs[row, critic_inputs(choices[row].seen, cups[row][1:], missing)] = 1
        values, critic_trace = forward(self.critic.parts, inputs)
        raised = np.zeros_like(values)
        np.put_along_axis(raised, _seats(own), np.tanh(values), axis=1)
        actions, sampled = self._drawn(found, views.legal)
        all_rows = np.arange(len(played))
        counts = reached[rows].prod(axis=1) / reached[rows, own]
        turn = Turn(
            rows, own, np.minimum(counts, _MOST_REACHED), found, actions, sampled,
            _doubted(played), raised, views, trace,
        )  # fmt: skip
        reached[rows, own] *= found[all_rows, actions] / sampled
        for each, choice, action in zip(played, choices, actions, strict=True):
            if action != DOUBT:
                place = choice.numbers.index(int(action))
                each.bid(choice.raises[place].bid)
        return turn, critic_trace

    def _drawn(self, found: Values, legal: Flags) -> tuple[Numbers, Values]:
        """An action for each row, and the chance with which it was drawn."""
        raises = legal[:, :DOUBT].sum(axis=1)
        strayed = np.where(raises > 0, STRAYED, 0)[:, None]
        sampled = found * (1 - strayed)
        sampled[:, :DOUBT] += strayed * legal[:, :DOUBT] / np.maximum(raises, 1)[:, None]
        sums = sampled.cumsum(axis=1)
        drawn = self.chance.random(len(found)) * sums[:, -1]
        actions = np.minimum((sums <= drawn[:, None]).sum(axis=1), DOUBT)
        all_rows = np.arange(len(found))
        wrong = ~legal[all_rows, actions]  # by rounding
        actions[wrong] = found[wrong].argmax(axis=1)
        return actions, sampled[all_rows, actions].astype(np.float32)


def _seats(turns: Numbers) -> Numbers:
    """The seats by their places, as the player of each turn counts them."""
    found: Numbers = (turns[:, None] + np.arange(PLAYERS)) % PLAYERS
    return found


def _doubted(played: Sequence[Round]) -> Values:
    """What the doubt is worth for each seat in these rounds, as all cups show it."""
    found = np.zeros((len(played), PLAYERS), np.float32)
    for row, each in enumerate(played):
        if each.bids:
            is_false = np.array([each.missing(each.cups) > 0], np.float32)
            found[row] = payoff(each.turn, is_false)[0]
    return found


def file(
    iterations: int = ITERATIONS,
    seed: int = SEED,
    phases: Sequence[Phase] = PHASES,
) -> bytes:
    """The file of the network after so many iterations."""
    training = Training(seed)
    for phase in phases:
        number = max(1, round(iterations * phase.share))
        training.begin(phase)
        for done in range(1, number + 1):
            training.step(done / number)
    return written(training.mean)
