"""Infer from the bids of a round which hands the other players may hold.

Every possible hand of another player gets a weight.  A bid keeps the weight of each hand with which
one of the plain levels would make it.  It reduces the weight of the others: the more, the less
likely the bid seemed to its holder.  So bids by chance and bluffs are interpreted as well, with
less certainty.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.bots import honest, threshold
from pbmserv.games.perudo.bots.hands import MOST_HANDS, Held, Some
from pbmserv.games.perudo.bots.plain_levels import (
    Plain,
    Stand,
    bidders,
    chance_of,
    hands_of,
    stand_of,
)
from pbmserv.games.perudo.bots.probabilities import Odds, binomial_tails, tail
from pbmserv.games.perudo.view import View

PLAIN: tuple[Plain, ...] = (threshold.plain, honest.plain)
"""The plain levels that another player may follow; equally likely before the player has bid."""

# What remains of the weight of a hand that bids unlike any plain level.  It keeps this share, times
# the probability of the bid for its holder, plus a little for bluffs.
_UNLIKE, _BLUFF = 0.3, 0.02

_BIDS_READ = 3  # the last ones of each player, so that a long round takes no more time

# The share of the weight below which a hand is dropped.  Some hand always remains, because each
# counts for at most two kinds of player.
_NEGLIGIBLE = 0.3 / MOST_HANDS


Reading = tuple[tuple[Plain, tuple[Held, ...]], ...]
"""The possible hands of a player for each plain level; all their probabilities add up to 1."""


def read(view: View, seat: int) -> Reading:
    """The hands that a seat may hold, after its bids in this round."""
    found: list[Sequence[Held]] = [hands_of(stand_of(view, seat, 0)).held for _ in PLAIN]
    made = [number for number, (bidder, _) in enumerate(view.bids) if bidder == seat]
    for number in made[-_BIDS_READ:]:
        stand, bid = stand_of(view, seat, number), view.bids[number][1]
        kept, place = _kept(stand, bid), bid.face - 1
        for which, plain in enumerate(PLAIN):
            alike = bidders(stand, plain, bid)
            found[which] = [
                (bit, counts, weight if bit & alike else weight * kept[counts[place]])
                for bit, counts, weight in found[which]
            ]
    least = _NEGLIGIBLE * _together(found)
    found = [[held for held in some if held[2] > least] for some in found]
    total = _together(found)
    return tuple(
        (plain, tuple((bit, counts, weight / total) for bit, counts, weight in some))
        for plain, some in zip(PLAIN, found, strict=True)
    )


def _together(found: Iterable[Sequence[Held]]) -> float:
    """The sum of the weights."""
    return sum(sum([weight for _, _, weight in some]) for some in found)


def _kept(stand: Stand, bid: Bid) -> list[float]:
    """The share of its weight that a hand with another bid keeps, by its dice of the face."""
    others = binomial_tails(stand.others, chance_of(stand.rules, stand.palifico, bid.face))
    return [_UNLIKE * (tail(others, bid.quantity - own) + _BLUFF) for own in range(stand.dice + 1)]


def odds(reading: Iterable[tuple[object, Iterable[Held]]], dice: int, face: int) -> Odds:
    """How many dice of a player with this reading count for a face, as a distribution."""
    found, place = [0.0] * (dice + 1), face - 1
    for _, some in reading:
        for _, counts, chance in some:
            found[counts[place]] += chance
    return tuple(found)


ByOwn = list[list[tuple[Some, float]]]
"""Hands and their probabilities: those with none of a face, with one, ..."""


def by_own(held: Iterable[Held], dice: int, face: int) -> ByOwn:
    """The possible hands, by how many of their dice count for a face."""
    found: ByOwn = [[] for _ in range(dice + 1)]
    for bit, counts, chance in held:
        found[counts[face - 1]].append((bit, chance))
    return found
