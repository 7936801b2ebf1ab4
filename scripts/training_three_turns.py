"""The choices of the network of three players, and what it learns from them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pbmserv.games.perudo.bots.three import DOUBT
from pbmserv.games.perudo.bots.three_inputs import PLAYERS
from scripts.training_network_layers import Trace
from scripts.training_network_rules import Flags, Numbers, Values
from scripts.training_network_turns import MOST_ODDS, TRUST
from scripts.training_three_rounds import Seen


class Turn(NamedTuple):
    """A choice in each of some rounds, or with each of some cups: a row for each.

    Values have a column for each seat, or one for the player on turn only.  `own` is the column of
    the player on turn.
    """

    rows: Numbers
    own: Numbers
    reached: Values  # how much the choice counts
    chances: Values
    actions: Numbers
    sampled: Values  # the chance with which the action was drawn
    doubted: Values  # what the doubt is worth in dice
    raised: Values  # the critic's value of a raise
    seen: Seen
    trace: Trace

    @property
    def is_raise(self) -> Flags:
        """Where a bid was made."""
        found: Flags = self.actions != DOUBT
        return found


def payoff(doubter: int, false: Values) -> Values:
    """What each seat wins by a doubt (columns) of a bid that is false so probably (rows).

    Who loses the doubt loses a die.  The others share its worth.
    """
    gain = 1 / (PLAYERS - 1)
    found = np.full((len(false), PLAYERS), gain, np.float32)
    found[:, doubter] = false * gain - (1 - false)
    found[:, doubter - 1] = (1 - false) * gain - false
    return found


def learned(turn: Turn, after: Values, temperature: float) -> tuple[Values, Values]:
    """The slopes of the last sums, and the errors of the critic; `after` becomes this turn's.

    `after` has what follows the turn, for each seat.
    """
    found, rows = turn.chances, np.arange(len(turn.rows))
    is_raise = turn.is_raise
    doubts = found[:, DOUBT]
    error = np.where(is_raise[:, None], after[turn.rows] - turn.raised, 0)
    odds = np.minimum(found[rows, turn.actions] / turn.sampled, MOST_ODDS) * is_raise
    predicted = doubts[:, None] * turn.doubted + (1 - doubts)[:, None] * turn.raised
    own_raised, own_error = turn.raised[rows, turn.own], odds * error[rows, turn.own]
    values = found * own_raised[:, None]
    values[:, DOUBT] = doubts * turn.doubted[rows, turn.own]
    values[rows[is_raise], turn.actions[is_raise]] += own_error[is_raise]
    slope = values - found * (predicted[rows, turn.own] + own_error)[:, None]
    logs = np.log(np.maximum(found, 1e-12))
    slope -= temperature * found * (logs - (found * logs).sum(axis=1, keepdims=True))
    after[turn.rows] = predicted + TRUST * odds[:, None] * error
    return (-slope * turn.reached[:, None]).astype(np.float32), error
