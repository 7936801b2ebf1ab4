"""The players of the arena: the bots' levels, and players from outside to measure them against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pbmserv.games.perudo import bots
from pbmserv.games.perudo.bots.estimate import CALZA, DUDO, outlook, stand_of
from pbmserv.games.perudo.bots.hands import counting
from pbmserv.games.perudo.opened_rounds import Opened
from pbmserv.games.perudo.table import Action, Raise, View
from scripts import arena_reader

OUTSIDE: Mapping[str, str] = {
    "expected": "chooses what is most probably true: a raise, the doubt or calza",
    "reader": "knows the code of the other players, and draws conclusions from their bids",
}
"""The players that are no level of the server, and what they do."""

NAMES = (*bots.LEVELS, *OUTSIDE)


def choose(
    view: View, name: str, of: str, chance: float = 0.0, opened: Sequence[Opened] = ()
) -> Action:
    """The action of a player at a table of bots of level `of`; the rest is as in `bots.choose`."""
    if name == "reader":
        return arena_reader.choose(view, of)
    if name == "expected":
        return expected(view)
    return bots.choose(view, name, chance, opened)


def expected(view: View) -> Action:
    """The action that is most probably right, from the player's own dice alone."""
    rules, stand = view.rules, stand_of(view, view.turn, len(view.bids))
    wild = rules.counts_wild(2, stand.palifico)
    own = counting(view.cups[view.turn], rules.faces, wild)
    place, last, raises = outlook(stand)
    holds, exact = last[own[place]]
    values: dict[Action, float] = {}
    if view.bids:
        values = {DUDO: 1 - holds, CALZA: exact}
    for face, chances, best in raises:
        values[Raise(best[own[face]])] = chances[own[face]]
    return max(values, key=lambda action: values[action])
