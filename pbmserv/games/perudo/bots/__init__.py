"""Bots (house players): the server's own players, which choose moves from a view alone.

    choose(view, level) -> Action      for the seat that reads the view and is on turn

`belief` computes the chances of the others' dice; each level has its own file.  Moves are
deterministic: the same view gives the same move, so a game can be replayed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pbmserv.games.perudo.bots import honest, shrewd, threshold
from pbmserv.games.perudo.events import Action
from pbmserv.games.perudo.view import View

LEVELS: Mapping[str, Callable[[View], Action]] = {
    "house": shrewd.choose,
    "honest": honest.choose,
    "threshold": threshold.choose,
}
"""Every level by its name, the default first."""


def choose(view: View, level: str = "house") -> Action:
    """The move of a house player of this level.

    The reader of the view must be on turn.  The move is legal by the view's rules.
    """
    return LEVELS[level](view)
