"""The honest bot: it raises or doubts by the odds."""

from __future__ import annotations

from pbmserv.games.perudo.bots.mixture import Policy
from pbmserv.games.perudo.bots.plain_levels import DUDO, plain_policy
from pbmserv.games.perudo.events import Call
from pbmserv.games.perudo.rules import Rules
from pbmserv.games.perudo.view import View

_HALF = 0.5


def policy(view: View) -> Policy:
    """The moves that the player's own dice and the odds of the unseen dice support."""
    return plain_policy(view, plain)


def plain(holds: float, _: float, rules: Rules) -> float | Call:
    """Doubt a bid that is less likely than not; else raise, unless the doubt has better odds."""
    return DUDO if holds < _HALF else 1 - holds
