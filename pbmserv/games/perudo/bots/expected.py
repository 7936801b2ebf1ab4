"""The recipe of plain expected values: the action that is most probably right.

No bot of the server plays so.  Programs from outside often do, and `habits` recognizes them.
"""

from __future__ import annotations

from functools import lru_cache

from pbmserv.games.perudo.bots.hands import Counting, counting
from pbmserv.games.perudo.bots.plain_levels import (
    CALZA,
    DUDO,
    Stand,
    best_of,
    counts_of,
    outlook,
    stand_of,
)
from pbmserv.games.perudo.events import Action, Raise
from pbmserv.games.perudo.view import View


def values(view: View) -> dict[Action, float]:
    """The chance that each action is right, from the dice of the player on turn alone.

    A raise is there with its best quantity for each face.
    """
    stand = stand_of(view, view.turn, len(view.bids))
    wild = view.rules.counts_wild(2, stand.palifico)
    return _values_with(stand, counting(view.cups[view.turn], view.rules.faces, wild))


def _values_with(stand: Stand, own: Counting) -> dict[Action, float]:
    """The same in this situation, with a hand."""
    place, last, raises = outlook(stand)
    holds, exact = last[own[place]]
    found: dict[Action, float] = {}
    if stand.bids:
        found = {DUDO: 1 - holds, CALZA: exact}
    for face, chances, best in raises:
        found[Raise(best[own[face]])] = chances[own[face]]
    return found


@lru_cache(maxsize=256)
def answers(stand: Stand) -> tuple[Action, ...]:
    """The action with the best chance for each hand, in the order of `hands_of`."""
    place, last, raises = outlook(stand)
    likely = [
        (face, [(chance, -number, bid) for chance, bid in zip(chances, best, strict=True)])
        for number, (face, chances, best) in enumerate(raises)
    ]
    made = {bid: Raise(bid) for _, _, best in raises for bid in best}
    found: list[Action] = []
    for own, raised in zip(counts_of(stand, place), best_of(stand, likely), strict=True):
        holds, exact = last[own]
        if raised is None or (stand.bids and max(1 - holds, exact) >= raised[0]):
            found.append(DUDO if 1 - holds >= exact else CALZA)
        else:
            found.append(made[raised[2]])
    return tuple(found)
