"""The honest player: raises what the odds support, and doubts what they do not."""

from __future__ import annotations

from pbmserv.games.perudo.events import Action, Call, Raise
from pbmserv.games.perudo.house.belief import Belief
from pbmserv.games.perudo.view import View, legal_bids

_HALF = 0.5


def choose(view: View) -> Action:
    """Doubt a bid that is less likely than not; else make the most probable raise.

    Where that raise would be a worse bet than the doubt, doubt after all.
    """
    belief = Belief(view)
    last = view.bids[-1][1] if view.bids else None
    holds = belief.holds(last) if last else 1.0
    raises = legal_bids(view)
    if last and (holds < _HALF or not raises):
        return Call("dudo")
    best = max(raises, key=lambda bid: (belief.holds(bid), bid.quantity, bid.face))
    if last and belief.holds(best) < 1 - holds:
        return Call("dudo")
    return Raise(best)
