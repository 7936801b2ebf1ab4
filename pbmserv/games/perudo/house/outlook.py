"""The outlook: what a player on turn sees who counts his own dice and heeds no bid.

So the plain levels decide; and so the shrewd one asks what another would do with any hand that
he may hold.  Of a hand it is enough to know how many of its dice count for each face.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations_with_replacement
from math import comb, factorial, prod
from typing import NamedTuple

from pbmserv.games.perudo import bidding
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.events import Call
from pbmserv.games.perudo.house.belief import binomial, dice_of, exactly, tail, tails
from pbmserv.games.perudo.rules import Rules
from pbmserv.games.perudo.view import View, most_dice

Counting = tuple[int, ...]
"""How many dice of a hand count for each face, wild ones with them; face 1 first."""

DUDO, CALZA = Call("dudo"), Call("calza")

HOPELESS = 0.2
"""The chance below which every plain level doubts, and no raise need be thought of."""

MOST_HANDS = 300  # that are thought of one by one; five ordinary dice make 252


class Stand(NamedTuple):
    """What everybody sees when a player is on turn."""

    rules: Rules
    palifico: bool
    frozen: bool
    most: int
    """The most dice a bid may name."""
    dice: int
    """The dice of the player on turn."""
    others: int
    """The dice of all others."""
    bids: tuple[Bid, ...]


class Outlook(NamedTuple):
    """What a player on turn thinks of the last bid, and of his raises."""

    holds: float
    """The chance that the last bid holds; 1 where there is none."""
    exact: float
    """The chance that a calza would bring a die; 0 where it may not be called or brings none."""
    best: Bid | None
    """The most probable raise, of equals the most dice, then the highest face."""
    chance: float
    """The chance that this raise holds."""


def stand_of(view: View, seat: int, bids: int) -> Stand:
    """How things stood for a seat when so many bids of this round had been made."""
    dice = dice_of(view, seat)
    everybody = [each for each, out in enumerate(view.out) if not out]
    palifico = view.palifico is not None
    return Stand(
        rules=view.rules,
        palifico=palifico,
        frozen=palifico or (view.rules.palifico == "own" and dice == 1),
        most=most_dice(view),
        dice=dice,
        others=sum(dice_of(view, each) for each in everybody) - dice,
        bids=tuple(bid for _, bid in view.bids[:bids]),
    )


def counting(rules: Rules, palifico: bool, hand: Sequence[int]) -> Counting:
    """How many dice of a hand count for each face."""
    ones = hand.count(1)
    return tuple(
        hand.count(face) + (ones if rules.counts_wild(face, palifico) else 0)
        for face in range(1, rules.faces + 1)
    )


@lru_cache(maxsize=256)
def hands(rules: Rules, palifico: bool, dice: int) -> tuple[tuple[Counting, float], ...]:
    """The hands that so many dice may show, with the chance of each.

    Where there are too many, some that stand for all, each as likely as the next: those that a
    linear congruential generator makes (the constants are those of Numerical Recipes).
    """
    faces = rules.faces
    if comb(faces + dice - 1, dice) <= MOST_HANDS:
        thrown = list(combinations_with_replacement(range(1, faces + 1), dice))
        ways = [factorial(dice) / prod(map(factorial, Counter(hand).values())) for hand in thrown]
    else:
        state, thrown, ways = 1, [], [1.0] * MOST_HANDS
        for _ in range(MOST_HANDS):
            hand = []
            for _ in range(dice):
                state = (1664525 * state + 1013904223) % 2**32
                hand.append(state * faces // 2**32 + 1)
            thrown.append(tuple(hand))
    total = sum(ways)
    found = [counting(rules, palifico, hand) for hand in thrown]
    return tuple((hand, way / total) for hand, way in zip(found, ways, strict=True))


@lru_cache(maxsize=512)
def outlooks(stand: Stand) -> dict[Counting, Outlook]:
    """The outlook of each of the `hands`; never to be changed."""
    look = _Look(stand)
    return {hand: look.of(hand) for hand, _ in hands(stand.rules, stand.palifico, stand.dice)}


def outlook(stand: Stand, hand: Counting) -> Outlook:
    """The outlook of one hand."""
    return _Look(stand).of(hand)


_NO_RAISE: tuple[float, Bid | None] = (0.0, None)


class _Look:
    """What is the same for every hand, worked out once."""

    def __init__(self, stand: Stand) -> None:
        rules, bids = stand.rules, stand.bids
        self.last = bids[-1] if bids else None
        self.regains = rules.calza and stand.dice < rules.dice
        self.odds = [
            binomial(stand.others, chance_of(rules, stand.palifico, face))
            for face in range(1, rules.faces + 1)
        ]
        self.holding = tails(self.odds[self.last.face - 1]) if self.last else ()
        legal = bidding.raises(rules, stand.most, stand.frozen, self.last)
        made = set(bids) if rules.never_repeats else ()
        by_face: dict[int, list[Bid]] = {}
        for bid in legal:
            if bid not in made:
                by_face.setdefault(bid.face, []).append(bid)
        self.best = [
            (face - 1, [self._best(raises, own) for own in range(stand.dice + 1)])
            for face, raises in by_face.items()
        ]

    def _best(self, raises: Sequence[Bid], own: int) -> tuple[float, Bid]:
        """The most probable raise of a face with so many dice of it, and its chance."""
        sure = [bid for bid in raises[:own] if bid.quantity <= own]
        if sure:
            return 1.0, sure[-1]
        least = raises[0]
        return tail(tails(self.odds[least.face - 1]), least.quantity - own), least

    def of(self, hand: Counting) -> Outlook:
        last = self.last
        holds, exact = 1.0, 0.0
        if last is not None:
            wanted = last.quantity - hand[last.face - 1]
            holds = tail(self.holding, wanted)
            if holds < HOPELESS:
                return Outlook(holds, 0.0, None, 0.0)
            if self.regains:
                exact = exactly(self.odds[last.face - 1], wanted)
        chance, best = max([raises[hand[face]] for face, raises in self.best], default=_NO_RAISE)
        return Outlook(holds, exact, best, chance)


def chance_of(rules: Rules, palifico: bool, face: int) -> float:
    """The chance of a die that nobody has shown to count for a face."""
    return (2 if rules.counts_wild(face, palifico) else 1) / rules.faces


def own_outlook(view: View) -> Outlook:
    """The outlook of the reader of a view, who is on turn."""
    assert view.reader is not None  # a bystander plays no game
    stand = stand_of(view, view.reader, len(view.bids))
    return outlook(stand, counting(view.rules, stand.palifico, view.cups[view.reader]))
