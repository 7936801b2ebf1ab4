"""What the training of the networks of two must know of the rules: legal bids, calls, ones."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np

from pbmserv.games.perudo import bidding
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.bots.network_inputs import BIDS, FACES, KINDS, MOST_DICE
from pbmserv.games.perudo.rules import Rules
from scripts.training.layers import Flags, Numbers, Values

NONE = -1  # in place of the last bid
QUANTITY, FACE = np.arange(BIDS) // FACES + 1, np.arange(BIDS) % FACES
PALIFICO = 0.5  # how often a round with one die is a Palifico round, where the rules have these


class Kind(NamedTuple):
    """Rules of rounds, in arrays."""

    rules: Rules
    follows: Flags
    """Whether a bid may follow: by whether the face is kept, the last bid (or none), the bid."""
    palifico: float
    """How often a round with one die is a Palifico round."""

    def is_wild(self, palifico: Flags) -> Flags:
        """Whether ones count for the other faces."""
        by_round = [self.rules.counts_wild(2, each) for each in (False, True)]
        found: Flags = np.array(by_round)[palifico.astype(int)]
        return found

    def frozen(self, dice: Numbers, palifico: Flags) -> Flags:
        """Whether players with so many dice must keep the face."""
        found: Flags = palifico | (dice == 1) if self.rules.palifico == "own" else palifico
        return found

    def has_other_call(self, dice: Numbers) -> Flags:
        """Whether players with so many dice have a call beside the doubt: calza or pacao."""
        found: Flags = (dice > 0) & self.rules.calza | (dice == 1) & self.rules.pacao
        return found

    def called(self, missing: Numbers, dice: Numbers) -> Values:
        """What the doubt and the other call win, by the missing dice of the bid and the caller's.

        A right calza wins no die of a player with five.
        """
        doubt = np.where(missing > 0, 1, -1)
        calza = np.where(missing == 0, np.where(dice == MOST_DICE, 0, 1), -1)
        found: Values = np.stack([doubt, calza if self.rules.calza else -doubt], axis=-1)
        return found.astype(np.float32)


@cache
def kind(name: str) -> Kind:
    """The rules of a network, by their name in `network_inputs.KINDS`."""
    rules = KINDS[name]
    bids = [Bid(place // FACES + 1, place % FACES + 1) for place in range(BIDS)]
    follows = [
        not bidding.objection(rules, 2 * MOST_DICE, frozen, last, bid)
        for frozen, last, bid in product((False, True), (*bids, None), bids)
    ]
    has_palifico = rules.palifico in {"every", "first"} and rules.palifico_of_two
    return Kind(
        rules, np.array(follows).reshape(2, BIDS + 1, BIDS), PALIFICO if has_palifico else 0
    )
