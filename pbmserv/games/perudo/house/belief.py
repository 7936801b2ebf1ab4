"""Belief: how likely it is that a bid holds, for somebody who sees his own cup alone.

The others' dice are independent.  Without evidence every face is as likely as any other; what
a player has bid in this round speaks for the faces that were named.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.view import View

Odds = tuple[float, ...]
"""The chance of each number of dice, from none on."""


@lru_cache(maxsize=4096)
def binomial(dice: int, chance: float) -> Odds:
    """How many of so many dice match, each with the same chance."""
    odds: Odds = (1.0,)
    for _ in range(dice):
        odds = _with_die(odds, chance)
    return odds


def _with_die(odds: Odds, chance: float) -> Odds:
    missed, hit = (*odds, 0.0), (0.0, *odds)
    return tuple([a * (1 - chance) + b * chance for a, b in zip(missed, hit, strict=True)])


@lru_cache(maxsize=4096)
def together(parts: tuple[tuple[float, int], ...]) -> Odds:
    """How many match in all: for each chance the number of dice that have it."""
    odds: Odds = (1.0,)
    for chance, dice in parts:
        odds = _both(odds, binomial(dice, chance))
    return odds


def _both(one: Odds, other: Odds) -> Odds:
    found = [0.0] * (len(one) + len(other) - 1)
    for few, chance in enumerate(one):
        for more, also in enumerate(other):
            found[few + more] += chance * also
    return tuple(found)


def at_least(odds: Odds, wanted: int) -> float:
    """The chance that so many match, or more."""
    return 1.0 if wanted <= 0 else min(1.0, sum(odds[wanted:]))


def exactly(odds: Odds, wanted: int) -> float:
    """The chance that just so many match."""
    return odds[wanted] if 0 <= wanted < len(odds) else 0.0


@dataclass(frozen=True, slots=True)
class Belief:
    """What the reader of a view believes.

    `evidence` is the weight that one bid on a face adds to that face in the belief about its
    bidder's dice, where 1 is the weight of every face before; 0 heeds no bid.
    """

    view: View
    evidence: float = 0.0

    @property
    def seat(self) -> int:
        """The reader's own seat."""
        assert self.view.reader is not None  # a bystander plays no game
        return self.view.reader

    def others(self) -> Iterable[int]:
        """The seats of the others who have dice, in order of play from the reader's left."""
        seats = len(self.view.cups)
        around = [(self.seat + step) % seats for step in range(1, seats)]
        return [seat for seat in around if not self.view.out[seat]]

    def dice_of(self, seat: int) -> int:
        """How many dice a seat has; where that is hidden, what the rounds so far leave on average.

        Every round costs somebody a die, but for the few that calza gives back.
        """
        count = self.view.counts[seat]
        if count is not None:
            return count
        rules, counts = self.view.rules, self.view.counts
        known = sum(each for each in counts if each is not None)
        hidden = [place for place, each in enumerate(counts) if each is None]
        total = rules.dice * len(counts) - (self.view.round - 1)
        return max(1, min(rules.dice, round((total - known) / len(hidden))))

    def own(self, face: int) -> int:
        """How many of the reader's own dice count for a face."""
        return counting(self.view, self.view.cups[self.seat], face)

    def odds_of(self, seat: int, face: int) -> Odds:
        """How many of a seat's dice count for a face."""
        return binomial(self.dice_of(seat), self._chance(seat, face))

    def odds(self, face: int, but: int | None = None) -> Odds:
        """How many of the others' dice count for a face; `but` leaves one of them out."""
        dice: dict[float, int] = {}
        for seat in self.others():
            if seat != but:
                chance = self._chance(seat, face)
                dice[chance] = dice.get(chance, 0) + self.dice_of(seat)
        return together(tuple(sorted(dice.items())))

    def holds(self, bid: Bid) -> float:
        """The chance that a bid holds."""
        return at_least(self.odds(bid.face), bid.quantity - self.own(bid.face))

    def is_exact(self, bid: Bid) -> float:
        """The chance that a bid is exactly right."""
        return exactly(self.odds(bid.face), bid.quantity - self.own(bid.face))

    def _chance(self, seat: int, face: int) -> float:
        """The chance of one die of a seat to count for a face."""
        weights = self._weights(seat)
        counted = weights[face - 1]
        if wild_for(self.view, face):
            counted += weights[0]
        return counted / sum(weights)

    def _weights(self, seat: int) -> Sequence[float]:
        """How much speaks for each face of a seat's dice.

        A bid speaks half as much for ones where they are wild: they may be what it counts on.
        """
        weights = [1.0] * self.view.rules.faces
        for bidder, bid in self.view.bids:
            if bidder == seat:
                weights[bid.face - 1] += self.evidence
                if wild_for(self.view, bid.face):
                    weights[0] += self.evidence / 2
        return weights


def wild_for(view: View, face: int) -> bool:
    """Whether ones count for bids on this face, too."""
    return view.rules.counts_wild(face, view.palifico is not None)


def counting(view: View, cup: Sequence[int], face: int) -> int:
    """How many dice of a cup count for a face."""
    return cup.count(face) + (cup.count(1) if wild_for(view, face) else 0)


def tails(odds: Odds) -> Odds:
    """The chance of each number of dice or more, from none on."""
    return tuple(accumulate(reversed(odds)))[::-1]
