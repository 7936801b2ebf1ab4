"""Best replies: how the usual bot plays against players who follow plain recipes (`habits`).

It keeps the hands with which their recipes make their bids of the round.  It knows what the next
player does with each of these hands after a raise.  Against a single opponent it looks one move
further: at the best call of the opponent's raise.

A bid that no recipe makes ends this.  Then the bot hides its own cup again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import comb

from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.bots.habits import Recipe
from pbmserv.games.perudo.bots.hands import MOST_HANDS, Counting, Held
from pbmserv.games.perudo.bots.mixture import Mixture, Policy
from pbmserv.games.perudo.bots.plain_levels import CALZA, DUDO, hands_of, stand_of
from pbmserv.games.perudo.bots.probabilities import at_least, exactly
from pbmserv.games.perudo.bots.shrewd import TableEstimate, few_of, others_of
from pbmserv.games.perudo.events import Action, Raise
from pbmserv.games.perudo.view import View, legal_bids

GOES_ON = 0.1  # at least the value of a turn after the only opponent has raised
PASSED_ON = 0.08  # the value of a raise that the next of several opponents raises again


def are_known(view: View) -> bool:
    """Whether all hands of the others can be considered."""
    faces = view.rules.faces
    return not view.rules.hidden and all(
        comb(faces + len(view.cups[seat]) - 1, len(view.cups[seat])) <= MOST_HANDS
        for seat in others_of(view)
    )


def policy(view: View, recipes: Mapping[int, Sequence[Recipe]]) -> Policy | None:
    """The action of most value against players of these recipes, for each hand.

    None if no hand explains a player's bids of this round.
    """
    believed = {seat: _believed(view, seat, recipes[seat]) for seat in others_of(view)}
    if not all(believed.values()):
        return None
    table, legal = _Known(view, believed), legal_bids(view)

    def mixture(own: Counting) -> Mixture:
        values = dict(table.calls(own))
        for bid in few_of(legal, own):
            values[Raise(bid)] = table.raising(bid, own)
        return {max(values, key=lambda action: values[action]): 1.0}

    return mixture


Believed = Sequence[tuple[Recipe, Sequence[Held]]]
"""The hands that a player may hold for each recipe; all their chances add up to 1."""


def _believed(view: View, seat: int, recipes: Iterable[Recipe]) -> Believed:
    """The hands with which each recipe makes this seat's bids of the round; none at all is ()."""
    found = []
    for recipe in recipes:
        held: Sequence[Held] = hands_of(stand_of(view, seat, 0)).held
        for number, (bidder, bid) in enumerate(view.bids):
            if bidder == seat:
                said = recipe.answers(stand_of(view, seat, number))
                held = [each for each in held if said[each[0].bit_length() - 1] == Raise(bid)]
        if held:
            found.append((recipe, held))
    total = sum(chance for _, held in found for _, _, chance in held)
    return tuple(
        (recipe, tuple((bit, own, chance / total) for bit, own, chance in held))
        for recipe, held in found
    )


class _Known(TableEstimate):
    """The estimates where the others' recipes are known."""

    def __init__(self, view: View, believed: Mapping[int, Believed]) -> None:
        super().__init__(view, believed)
        self.following = believed[self.follower]

    def raising(self, bid: Bid, own: Counting) -> float:
        """The value of a raise with this hand, from the next player's replies."""
        stand = stand_of(self.view, self.follower, len(self.view.bids))
        kept = stand.bids if self.view.rules.never_repeats else ()
        stand = stand._replace(bids=(*kept, bid))
        place = bid.face - 1
        called = self._called(bid.quantity - own[place], bid.face)
        value, passed = 0.0, 0.0
        raised: dict[Bid, list[tuple[Counting, float]]] = {}
        for recipe, held in self.following:
            said = recipe.answers(stand)
            for bit, counts, chance in held:
                action = said[bit.bit_length() - 1]
                if not isinstance(action, Raise):
                    value += chance * called[action][counts[place]]
                elif self.rest:
                    passed += chance
                else:
                    raised.setdefault(action.bid, []).append((counts, chance))
        return value + passed * PASSED_ON + sum(_answered(own, *each) for each in raised.items())

    def _called(self, wanted: int, face: int) -> Mapping[Action, Sequence[float]]:
        """What the next player's calls of a bid are worth, by the dice of its face in their hand.

        The others must have so many dice of it.
        """
        odds = self.rest_odds(face)
        lacks = [wanted - count for count in range(self.dice[self.follower] + 1)]
        true, exact = (
            [at_least(odds, each) for each in lacks],
            [exactly(odds, each) for each in lacks],
        )
        return {
            DUDO: [each * self.gain - (1 - each) for each in true],
            CALZA: [(1 - 2 * each) * self.gain for each in exact],
        }


def _answered(own: Counting, bid: Bid, held: Iterable[tuple[Counting, float]]) -> float:
    """The value of the only opponent's raise with these hands, times their chances."""
    place, total, true = bid.face - 1, 0.0, 0.0
    for counts, chance in held:
        total += chance
        if own[place] + counts[place] >= bid.quantity:
            true += chance
    return max(total * GOES_ON, total - 2 * true)
