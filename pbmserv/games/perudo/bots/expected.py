"""The recipe of plain expected values: the action that is most probably right.

No bot of the server plays so.  Programs from outside often do, and `habits` recognizes them.
"""

from __future__ import annotations

from pbmserv.games.perudo.bots.hands import counting
from pbmserv.games.perudo.bots.plain_levels import CALZA, DUDO, outlook, stand_of
from pbmserv.games.perudo.events import Action, Raise
from pbmserv.games.perudo.view import View


def values(view: View) -> dict[Action, float]:
    """The chance that each action is right, from the dice of the player on turn alone.

    A raise is there with its best quantity for each face.
    """
    rules, stand = view.rules, stand_of(view, view.turn, len(view.bids))
    wild = rules.counts_wild(2, stand.palifico)
    own = counting(view.cups[view.turn], rules.faces, wild)
    place, last, raises = outlook(stand)
    holds, exact = last[own[place]]
    found: dict[Action, float] = {}
    if view.bids:
        found = {DUDO: 1 - holds, CALZA: exact}
    for face, chances, best in raises:
        found[Raise(best[own[face]])] = chances[own[face]]
    return found
