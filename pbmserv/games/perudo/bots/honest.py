"""The honest house player: it raises or doubts by the odds."""

from __future__ import annotations

from pbmserv.games.perudo.bots.estimate import DUDO, answer
from pbmserv.games.perudo.events import Action, Call, Raise
from pbmserv.games.perudo.rules import Rules
from pbmserv.games.perudo.view import View

_HALF = 0.5


def choose(view: View) -> Action:
    """The move that the player's own dice and the odds of the unseen dice support."""
    found = answer(view, plain)
    return found if isinstance(found, Call) else Raise(found)


def plain(holds: float, _: float, rules: Rules) -> float | Call:
    """Doubt a bid that is less likely than not; else raise, unless the doubt has better odds."""
    return DUDO if holds < _HALF else 1 - holds
