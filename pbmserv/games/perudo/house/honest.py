"""The honest player: raises what the odds support, and doubts what they do not."""

from __future__ import annotations

from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.events import Action, Call, Raise
from pbmserv.games.perudo.house.outlook import DUDO, Outlook, own_outlook
from pbmserv.games.perudo.rules import Rules
from pbmserv.games.perudo.view import View

_HALF = 0.5


def choose(view: View) -> Action:
    """What the odds of his own dice and of those he does not see support."""
    answer = answer_to(own_outlook(view), view.rules)
    return answer if isinstance(answer, Call) else Raise(answer)


def answer_to(outlook: Outlook, _: Rules) -> Bid | Call:
    """Doubt a bid that is less likely than not; else make the most probable raise.

    Where that raise would be a worse bet than the doubt, doubt after all.
    """
    best = outlook.best
    if best is None or outlook.holds < _HALF:
        return DUDO
    return DUDO if outlook.chance < 1 - outlook.holds else best
