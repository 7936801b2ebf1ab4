"""The player with a threshold: doubts what is too unlikely, else bids what is most probable."""

from __future__ import annotations

from pbmserv.games.perudo.events import Action, Call, Raise
from pbmserv.games.perudo.house.belief import Belief
from pbmserv.games.perudo.view import View, legal_bids, legal_calls

DOUBTS_BELOW = {"pbmserv": 0.22, "classic": 0.33, "bga": 0.33, "pyrudo": 0.33, "pacao": 0.33}
"""The chance below which a bid is doubted, for each rule set."""

CALZA_FROM = 0.5  # a wrong one costs a die as a wrong doubt does, and a right one gives one


def choose(view: View) -> Action:
    """Doubt a bid below the threshold, call calza where it pays, else the most probable raise."""
    belief = Belief(view)
    raises = legal_bids(view)
    if view.bids:
        last = view.bids[-1][1]
        if not raises or belief.holds(last) < DOUBTS_BELOW[view.rules.name]:
            return Call("dudo")
        calls = legal_calls(view, belief.seat)
        may_gain = view.counts[belief.seat] != view.rules.dice
        if "calza" in calls and may_gain and belief.is_exact(last) >= CALZA_FROM:
            return Call("calza")
    best = max(raises, key=lambda bid: (belief.holds(bid), bid.quantity, bid.face))
    return Raise(best)
