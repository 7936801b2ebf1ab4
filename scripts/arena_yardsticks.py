"""The players of the arena: the bots' levels, and players from outside to measure them against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pbmserv.games.perudo import bots
from pbmserv.games.perudo.bots import habits
from pbmserv.games.perudo.bots.expected import values
from pbmserv.games.perudo.opened_rounds import Opened
from pbmserv.games.perudo.table import Action, View
from scripts import arena_reader

OUTSIDE: Mapping[str, str] = {
    "expected": "chooses what is most probably true: a raise, the doubt or calza",
    "feigner": "is a reader, who moves like threshold until the others believe it",
    "reader": "knows the code of the other players, and draws conclusions from their bids",
}
"""The players that are not a level of the server, and what they do."""

NAMES = (*bots.LEVELS, *OUTSIDE)


def choose(
    view: View, name: str, of: str, chance: float = 0.0, opened: Sequence[Opened] = ()
) -> Action:
    """The action of a player at a table of bots of level `of`; the rest is as in `bots.choose`."""
    if name == "reader":
        return arena_reader.choose(view, of)
    if name == "feigner":
        return feigning(view, of, opened)
    if name == "expected":
        return expected(view)
    return bots.choose(view, name, chance, opened)


def expected(view: View) -> Action:
    """The action that is most probably right, from the player's own dice alone."""
    found = values(view)
    return max(found, key=lambda action: found[action])


def feigning(view: View, of: str, opened: Sequence[Opened]) -> Action:
    """The reader who first moves as `threshold` does, and reads when it is taken for that."""
    recipes, trust = habits.recipes_of((view.turn,), opened), habits.trust((view.turn,), opened)
    if recipes is not None:
        return arena_reader.choose(view, arena_reader.Supposed(recipes[view.turn], trust))
    if habits.may_be_plain(view.turn, opened):
        return bots.choose(view, "threshold")
    return arena_reader.choose(view, of)
