"""The player with a threshold: doubts what is too unlikely, else bids what is most probable."""

from __future__ import annotations

from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.events import Action, Call, Raise
from pbmserv.games.perudo.house.outlook import CALZA, DUDO, Outlook, own_outlook
from pbmserv.games.perudo.rules import Rules
from pbmserv.games.perudo.view import View

DOUBTS_BELOW = {"pbmserv": 0.22, "classic": 0.33, "bga": 0.33, "pyrudo": 0.33, "pacao": 0.33}
"""The chance below which a bid is doubted, for each rule set."""

CALZA_FROM = 0.5  # a wrong one costs a die as a wrong doubt does, and a right one gives one


def choose(view: View) -> Action:
    """What his own dice make probable enough."""
    answer = answer_to(own_outlook(view), view.rules)
    return answer if isinstance(answer, Call) else Raise(answer)


def answer_to(outlook: Outlook, rules: Rules) -> Bid | Call:
    """Doubt a bid below the threshold, call calza where it pays, else the most probable raise."""
    if outlook.best is None or outlook.holds < DOUBTS_BELOW[rules.name]:
        return DUDO
    return CALZA if outlook.exact >= CALZA_FROM else outlook.best
