"""The choices of some rounds, and what the network learns from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pbmserv.games.perudo.bots.network_inputs import BIDS, DOUBT
from scripts.training_network_layers import Trace
from scripts.training_network_rules import Flags, Numbers, Values

TRUST = 0.8  # in what follows a raise, against the critic's prediction
MOST_ODDS = 8  # a raise that was drawn counts at most so often


@dataclass(frozen=True, slots=True)
class Turn:
    """One choice in each of some rounds, with what is needed to learn from it."""

    rows: Numbers
    reached: Values  # how much the choice counts: the chance of what the other did before
    chances: Values
    actions: Numbers
    sampled: Values  # the chance with which the action was drawn
    called: Values  # what the doubt and the other call are worth
    raised: Values  # the critic's value of a raise
    trace: Trace
    critic_trace: Trace

    @property
    def is_raise(self) -> Flags:
        """Where a bid was made."""
        found: Flags = self.actions < BIDS
        return found


def chances(sums: Values, legal: Flags) -> Values:
    """The probabilities of the legal actions."""
    lowered = np.where(legal, sums, -np.inf)
    found = np.exp(lowered - lowered.max(axis=1, keepdims=True))
    shares: Values = found / found.sum(axis=1, keepdims=True)
    return shares


def learned(turn: Turn, after: Values, temperature: float) -> tuple[Values, Values]:
    """The slopes of the policy's and the critic's last sums; `after` becomes this turn's."""
    found, raised, all_rows = turn.chances, turn.raised, np.arange(len(turn.rows))
    calls, is_raise = found[:, DOUBT:], turn.is_raise
    error = np.where(is_raise, -after[turn.rows] - raised, 0)
    odds = np.where(is_raise, found[all_rows, turn.actions] / turn.sampled, 0)
    odds = np.minimum(odds, MOST_ODDS)
    predicted = (calls * turn.called).sum(axis=1) + (1 - calls.sum(axis=1)) * raised
    values = found * raised[:, None]
    values[:, DOUBT:] = calls * turn.called
    values[all_rows[is_raise], turn.actions[is_raise]] += (odds * error)[is_raise]
    slope = values - found * (predicted + odds * error)[:, None]
    logs = np.log(np.maximum(found, 1e-12))
    entropy = -(found * logs).sum(axis=1, keepdims=True)
    slope -= temperature * found * (logs + entropy)
    after[turn.rows] = predicted + TRUST * odds * error
    critic, reached = -error * (1 - raised**2), turn.reached[:, None]
    return (-slope * reached).astype(np.float32), (critic[:, None] * reached).astype(np.float32)
