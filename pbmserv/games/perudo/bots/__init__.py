"""Bots (house players): the server's own players, which choose moves from a view alone.

    policy(view, level) -> Policy           the probabilities of actions, for each hand
    choose(view, level, chance) -> Action   for the seat that reads the view and is on turn

`belief` computes the chances of the others' dice; each level has its own file.  A bot may mix its
actions: `chance` decides between them.  The same view and chance give the same move, so a game can
be replayed.  The caller takes the chance from a secret key, so that no player can compute it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pbmserv.games.perudo.bots import honest, shrewd, threshold
from pbmserv.games.perudo.bots.hands import counting
from pbmserv.games.perudo.bots.mixture import Policy, drawn
from pbmserv.games.perudo.events import Action
from pbmserv.games.perudo.view import View

LEVELS: Mapping[str, Callable[[View], Policy]] = {
    "house": shrewd.policy,
    "honest": honest.policy,
    "threshold": threshold.policy,
}
"""Every level by its name, the default first."""


def choose(view: View, level: str = "house", chance: float = 0.0) -> Action:
    """The move of a house player of this level.

    The reader of the view must be on turn.  The move is legal by the view's rules.  `chance` is
    equally likely to be anywhere from 0 to 1 (1 excluded).
    """
    assert view.reader == view.turn
    rules = view.rules
    wild = rules.counts_wild(2, view.palifico is not None)
    return drawn(policy(view, level)(counting(view.cups[view.turn], rules.faces, wild)), chance)


def policy(view: View, level: str = "house") -> Policy:
    """What a house player of this level on turn does with each hand; no cup is looked at."""
    return LEVELS[level](view)
