"""The house's usual player: heeds what the others bid, and asks what the next one will do.

Every choice has a value in dice: losing one is -1, another's loss is worth a share of that.  A
raise is worth what the next player's doubt would bring, as often as that player would doubt.
"""

from __future__ import annotations

from collections.abc import Iterable

from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.events import Action, Call, Raise
from pbmserv.games.perudo.house.belief import Belief, at_least, binomial, tails, wild_for
from pbmserv.games.perudo.house.threshold import DOUBTS_BELOW
from pbmserv.games.perudo.view import View, legal_bids, legal_calls

# The weight of one bid beside that of a face, which is 1.  Where ones are wild a bid on a face
# tells less of it; of the weights 0.5, 1, 2 and 4 these won most in 300 games each.
EVIDENCE, EVIDENCE_WITH_WILD = 4.0, 1.0
STEPS = 3  # raises of each face that are looked at
_OTHERS_LOSS = 0.9  # what the loss of the only opponent is worth; of several it is a share


def choose(view: View) -> Action:
    """The choice of the best value; of equals the doubt, then the lower bid."""
    belief = Belief(view, EVIDENCE_WITH_WILD if view.rules.wild else EVIDENCE)
    values = dict(_calls(view, belief))
    for bid in _few(legal_bids(view)):
        values[Raise(bid)] = _raising(view, belief, bid)
    return max(values, key=lambda action: values[action])


def _gain(belief: Belief) -> float:
    """What another player's loss of a die is worth."""
    return _OTHERS_LOSS / len(list(belief.others()))


def _calls(view: View, belief: Belief) -> Iterable[tuple[Action, float]]:
    if not view.bids:
        return
    last = view.bids[-1][1]
    holds, gain = belief.holds(last), _gain(belief)
    for word in legal_calls(view, belief.seat):
        if word == "dudo":
            value = (1 - holds) * gain - holds
        elif word == "pacao":
            value = holds * gain - (1 - holds)
        else:
            right = belief.is_exact(last)
            full = view.counts[belief.seat] == view.rules.dice
            value = (0.0 if full else right) - (1 - right)
        yield Call(word), value


def _few(bids: Iterable[Bid]) -> Iterable[Bid]:
    """The least raises of each face."""
    found: dict[int, int] = {}
    for bid in bids:
        found[bid.face] = found.get(bid.face, 0) + 1
        if found[bid.face] <= STEPS:
            yield bid


def _raising(view: View, belief: Belief, bid: Bid) -> float:
    """What a raise brings, by what the next player may hold and would then think of it.

    That player is taken for one with a threshold who thinks of our dice as of anybody's.
    """
    follower = next(iter(belief.others()))
    mine = belief.own(bid.face)
    rest = tails(belief.odds(bid.face, but=follower))
    threshold = DOUBTS_BELOW[view.rules.name]
    thinks = _thinks(view, belief, bid, follower)
    gain = _gain(belief)
    value = 0.0
    for held, chance in enumerate(belief.odds_of(follower, bid.face)):
        if at_least(thinks, bid.quantity - held) < threshold:
            wanted = bid.quantity - mine - held
            holds = 1.0 if wanted <= 0 else rest[wanted] if wanted < len(rest) else 0.0
            value += chance * (holds * gain - (1 - holds))
    return value


def _thinks(view: View, belief: Belief, bid: Bid, follower: int) -> tuple[float, ...]:
    """How many dice of all but his own the next player thinks to count for a bid."""
    faces = view.rules.faces
    chance = (2 if wild_for(view, bid.face) else 1) / faces
    mine = view.counts[belief.seat]
    assert mine is not None  # one's own dice are never hidden
    dice = mine + sum(belief.dice_of(seat) for seat in belief.others() if seat != follower)
    return binomial(dice, chance)
