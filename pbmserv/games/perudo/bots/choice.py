"""The move of a bot: its level chooses a mixture of actions, and a chance draws from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pbmserv.games.perudo.bots import best_replies, habits, honest, shrewd, threshold
from pbmserv.games.perudo.bots.hands import counting
from pbmserv.games.perudo.bots.mixture import Policy, drawn, mixed
from pbmserv.games.perudo.events import Action
from pbmserv.games.perudo.opened_rounds import Opened
from pbmserv.games.perudo.view import View

DEFAULT = "house"

LEVELS: Mapping[str, Callable[[View], Policy]] = {
    DEFAULT: shrewd.policy,
    "honest": honest.policy,
    "threshold": threshold.policy,
}
"""Every level by its name, the default first."""


def choose(
    view: View, level: str = "house", chance: float = 0.0, opened: Sequence[Opened] = ()
) -> Action:
    """The move of a bot of this level.

    The reader of the view must be on turn.  The move is legal by the view's rules.  `chance` is
    equally likely to be anywhere from 0 to 1 (1 excluded), and decides between mixed actions.  The
    same arguments give the same move, so a game can be replayed.  The caller takes the chance from
    a secret key, so that no player can compute it.
    """
    assert view.reader == view.turn
    rules = view.rules
    wild = rules.counts_wild(2, view.palifico is not None)
    own = counting(view.cups[view.turn], rules.faces, wild)
    return drawn(policy(view, level, opened)(own), chance)


def policy(view: View, level: str = "house", opened: Sequence[Opened] = ()) -> Policy:
    """The probability of each action of a bot of this level, for each hand it may have.

    It reads no cup.  `opened` are the finished rounds of the game, whose cups all have seen.  All
    others with dice may have followed plain recipes in the `opened` rounds.  Then the usual player
    plays to win most from these, and hides nothing: against a single one at first only sometimes.
    """
    if level == DEFAULT and opened and looks_back(view, level):
        others = [seat for seat, out in enumerate(view.out) if not out and seat != view.turn]
        recipes = habits.recipes_of(others, opened)
        found = None if recipes is None else _against(view, recipes)
        if found is not None:
            return mixed(found, LEVELS[level](view), habits.trust(others, opened))
    return LEVELS[level](view)


def _against(view: View, recipes: Mapping[int, Sequence[habits.Recipe]]) -> Policy | None:
    """What wins most from players of these recipes; None if a bid of the round follows none."""
    if best_replies.are_known(view):
        return best_replies.policy(view, recipes)
    return shrewd.estimated(view)


def looks_back(view: View, level: str) -> bool:
    """Whether the finished rounds of the game matter: to the usual player, who knows plain ones."""
    return level == DEFAULT and (best_replies.are_known(view) or shrewd.is_veiled(view))
