"""Statistics of a player's bids, calls and dice, from opened records.

The statistics are compared with chance from the player's view: their own cup known, every other die
fair.  The manual's page `stats` explains it in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from math import sqrt

from pbmserv.fast_dataclasses import dataclass
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.bots.probabilities import at_least, binomial, exactly
from pbmserv.games.perudo.events import Bade, Called, Cups, Dealt, Drawn, Event, Restored, Revealed
from pbmserv.games.perudo.rules import Rules

_HALF = 0.5


@dataclass(frozen=True, slots=True)
class Counts:
    """The counts of one player, in any number of games; add them up with `+`.

    `expected_` is the sum of the chances, `_variance` that of the variances.  `matches` are the
    player's own dice that counted for another player's first bid, minus those expected.
    """

    bids: int = 0
    true: int = 0
    expected_true: float = 0.0
    bluffs: int = 0
    calls: int = 0
    right: int = 0
    expected_right: float = 0.0
    right_variance: float = 0.0
    matches: float = 0.0
    matches_variance: float = 0.0

    def __add__(self, other: Counts) -> Counts:
        names = [each.name for each in fields(self)]
        return Counts(*(getattr(self, name) + getattr(other, name) for name in names))

    @property
    def call_luck(self) -> float | None:
        """Right calls beyond chance, in standard deviations; None without a risky call."""
        return _deviations(self.right - self.expected_right, self.right_variance)

    @property
    def dice_luck(self) -> float | None:
        """Dice that matched beyond chance, in standard deviations; None where none counted."""
        return _deviations(self.matches, self.matches_variance)


def _deviations(difference: float, variance: float) -> float | None:
    return difference / sqrt(variance) if variance > 0 else None


@dataclass(frozen=True, slots=True)
class _Round:
    """A round whose cups were opened."""

    rules: Rules
    palifico: bool
    bids: Sequence[tuple[int, Bid]]
    call: Called | None
    cups: Cups

    def chance_of_die(self, face: int) -> float:
        """The chance that a fair die counts for a face."""
        return (2 if self.rules.counts_wild(face, self.palifico) else 1) / self.rules.faces

    def counting(self, seat: int, face: int) -> int:
        """How many of a seat's dice count for a face."""
        cup = self.cups[seat]
        ones = cup.count(1) if self.rules.counts_wild(face, self.palifico) else 0
        return cup.count(face) + ones

    def count(self, face: int) -> int:
        """How many of all dice count for a face."""
        return sum(self.counting(seat, face) for seat in range(len(self.cups)))

    def odds(self, seat: int, bid: Bid) -> tuple[float, float]:
        """The chance that a bid holds, and that it is exact, seen from this seat."""
        others = sum(map(len, self.cups)) - len(self.cups[seat])
        odds = binomial(others, self.chance_of_die(bid.face))
        wanted = bid.quantity - self.counting(seat, bid.face)
        return at_least(odds, wanted), exactly(odds, wanted)


def statistics(rules: Rules, events: Iterable[Event], players: int) -> tuple[Counts, ...]:
    """The statistics of every seat in a game's record; unopened rounds do not count."""
    found = [Counts()] * players
    for each in _rounds(rules, events):
        for seat, cup in enumerate(each.cups):
            if cup:
                found[seat] += _of_bids(each, seat) + _of_call(each, seat) + _of_dice(each, seat)
    return tuple(found)


def _rounds(rules: Rules, events: Iterable[Event]) -> Iterable[_Round]:
    palifico = False
    bids: list[tuple[int, Bid]] = []
    call: Called | None = None
    for event in events:
        if isinstance(event, Dealt):
            palifico, bids, call = event.palifico is not None, [], None
        elif isinstance(event, Bade):
            bids.append((event.seat, event.bid))
        elif isinstance(event, Called):
            call = event
        elif isinstance(event, Drawn | Restored):  # a call that waited for the beacon is void
            call = None
        elif isinstance(event, Revealed):
            yield _Round(rules, palifico, bids, call, event.cups)


def _of_bids(each: _Round, seat: int) -> Counts:
    total = Counts()
    for bidder, bid in each.bids:
        if bidder == seat:
            holds, _ = each.odds(seat, bid)
            is_true = each.count(bid.face) >= bid.quantity
            total += Counts(1, int(is_true), holds, int(holds < _HALF))
    return total


def _of_call(each: _Round, seat: int) -> Counts:
    if each.call is None or each.call.seat != seat:
        return Counts()
    _, bid = each.bids[-1]
    holds, exact = each.odds(seat, bid)
    count = each.count(bid.face)
    chance, is_right = {
        "dudo": (1 - holds, count < bid.quantity),
        "calza": (exact, count == bid.quantity),
        "pacao": (holds, count >= bid.quantity),
    }[each.call.call]
    return Counts(
        calls=1,
        right=int(is_right),
        expected_right=chance,
        right_variance=chance * (1 - chance),
    )


def _of_dice(each: _Round, seat: int) -> Counts:
    """The seat's own dice that count for the round's first bid, if another player made it.

    That player does not know these dice, and they were rolled before the bid.  So their expectation
    is that of fair dice, independent of how anybody plays.
    """
    if not each.bids or each.bids[0][0] == seat:
        return Counts()
    face = each.bids[0][1].face
    dice, chance = len(each.cups[seat]), each.chance_of_die(face)
    return Counts(
        matches=each.counting(seat, face) - dice * chance,
        matches_variance=dice * chance * (1 - chance),
    )
