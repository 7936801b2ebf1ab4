"""The choices of the networks, and what they learn from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from scripts.training.layers import Flags, Numbers, Parts, Trace, Values, backward

TRUST = 0.8  # in what follows a raise, against the critic's prediction
MOST_ODDS = 8  # a raise that was drawn counts at most so often
STRAYED = 0.1  # the share of raises that are made by equal chance


class Turn(NamedTuple):
    """A choice in each of some rounds, or with each of some cups: a row for each.

    The raises come first among the actions, then the calls.  Values of dice have a column for each
    seat, or one for the player on turn only.
    """

    rows: Numbers
    own: Numbers  # the column of the player on turn
    reached: Values  # how much the choice counts: the chance of what the others did before
    chances: Values
    actions: Numbers
    sampled: Values  # the chance with which the action was drawn
    called: Values  # what each call (second axis) is worth in dice
    raised: Values  # the critic's value of a raise
    trace: Trace

    @property
    def raises(self) -> int:
        """The number of actions that are raises."""
        found: int = self.chances.shape[1] - self.called.shape[1]
        return found

    @property
    def is_raise(self) -> Flags:
        """Where a bid was made."""
        found: Flags = self.actions < self.raises
        return found


def chances(sums: Values, legal: Flags) -> Values:
    """The probabilities of the legal actions."""
    lowered = np.where(legal, sums, -np.inf)
    found = np.exp(lowered - lowered.max(axis=1, keepdims=True))
    shares: Values = found / found.sum(axis=1, keepdims=True)
    return shares


def drawn(
    chance: np.random.Generator, found: Values, legal: Flags, raises: int
) -> tuple[Numbers, Values]:
    """An action for each row, and the chance with which it was drawn; some raises are strays."""
    legal_raises = legal[:, :raises]
    number = legal_raises.sum(axis=1)
    strayed = np.where(number > 0, STRAYED, 0)[:, None]
    sampled = found * (1 - strayed)
    sampled[:, :raises] += strayed * legal_raises / np.maximum(number, 1)[:, None]
    sums, rows = sampled.cumsum(axis=1), np.arange(len(found))
    places = chance.random(len(found)) * sums[:, -1]
    actions = np.minimum((sums <= places[:, None]).sum(axis=1), found.shape[1] - 1)
    wrong = ~legal[rows, actions]  # by rounding
    actions[wrong] = found[wrong].argmax(axis=1)
    return actions, sampled[rows, actions].astype(np.float32)


def learned(turn: Turn, after: Values, temperature: float) -> tuple[Values, Values]:
    """The slopes of the last sums, and the errors of the critic; `after` becomes this turn's.

    `after` has what follows the turn, for each seat.
    """
    found, rows, is_raise = turn.chances, np.arange(len(turn.rows)), turn.is_raise
    calls = found[:, turn.raises :]
    error = np.where(is_raise[:, None], after[turn.rows] - turn.raised, 0)
    odds = np.minimum(found[rows, turn.actions] / turn.sampled, MOST_ODDS) * is_raise
    raising = 1 - calls.sum(axis=1)
    predicted = (calls[:, :, None] * turn.called).sum(axis=1) + raising[:, None] * turn.raised
    own_error = odds * error[rows, turn.own]
    values = found * turn.raised[rows, turn.own][:, None]
    values[:, turn.raises :] = calls * turn.called[rows, :, turn.own]
    values[rows[is_raise], turn.actions[is_raise]] += own_error[is_raise]
    slope = values - found * (predicted[rows, turn.own] + own_error)[:, None]
    logs = np.log(np.maximum(found, 1e-12))
    slope -= temperature * found * (logs - (found * logs).sum(axis=1, keepdims=True))
    after[turn.rows] = predicted + TRUST * odds[:, None] * error
    return (-slope * turn.reached[:, None]).astype(np.float32), error


class Played(NamedTuple):
    """A round against a reader: the network's turns with their seats, and what follows, by seat."""

    turns: Sequence[tuple[int, Turn]]
    after: Mapping[int, Values]

    def slopes(self, parts: Parts, temperature: float, weight: float) -> list[Parts]:
        """The slopes of all weights at each turn."""
        return [
            backward(
                parts,
                turn.trace,
                learned(turn, self.after[seat], temperature)[0] * np.float32(weight),
            )
            for seat, turn in reversed(self.turns)
        ]
