"""The threshold bot: it doubts bids below a threshold, else makes the likeliest bid."""

from __future__ import annotations

from pbmserv.games.perudo.bots.mixture import Policy
from pbmserv.games.perudo.bots.plain_levels import CALZA, DUDO, plain_policy
from pbmserv.games.perudo.events import Call
from pbmserv.games.perudo.rules import Rules
from pbmserv.games.perudo.view import View

DOUBTS_BELOW = {"pbmserv": 0.10, "classic": 0.20, "bga": 0.20, "pyrudo": 0.25, "pacao": 0.10}
"""The chance below which a bid is doubted, for each rule set.

Each won most games, over 2, 4 and 6 players together.  Every seat drew a threshold between 0.10 and
0.50: `scripts/arena --thresholds`.
"""

CALZA_FROM = 0.5  # a wrong one costs a die as a wrong doubt does, and a right one wins one


def policy(view: View) -> Policy:
    """The moves that the player's own dice make probable enough."""
    return plain_policy(view, plain)


def plain(holds: float, exact: float, rules: Rules) -> float | Call:
    """Doubt a bid below the threshold, call calza if it pays, else make the most probable raise."""
    return plain_below(DOUBTS_BELOW[rules.name], holds, exact)


def plain_below(threshold: float, holds: float, exact: float) -> float | Call:
    """`plain` with any threshold."""
    if holds < threshold:
        return DUDO
    return CALZA if exact >= CALZA_FROM else 0.0
