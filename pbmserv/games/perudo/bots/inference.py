"""Reading: what the bids of a round tell of the hands behind them.

Every hand that another player may hold gets a weight.  Each of his bids leaves its weight to a
hand with which one of the plain levels would have made that bid, and takes most of it from the
others: the more, the less likely the bid looked to its holder.  So players who bid by chance, or
bluff, are read as well, if less surely.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.bots import honest, threshold
from pbmserv.games.perudo.bots.belief import Odds, binomial_tails, tail
from pbmserv.games.perudo.bots.estimate import Plain, Stand, bidders, chance_of, hands_of, stand_of
from pbmserv.games.perudo.bots.hands import MOST_HANDS, Held, Some
from pbmserv.games.perudo.view import View

PLAIN: tuple[Plain, ...] = (threshold.plain, honest.plain)
"""How another player may think; each as likely as the other before he has bid."""

# What remains of the weight of a hand that bids unlike any plain level: this share, as often as
# the bid looked true to its holder; and a little of it where it never did.
_UNLIKE, _BLUFF = 0.3, 0.02

_BIDS_READ = 3  # of each player, the last ones; so a long round costs no more time

# The share of the weight below which a hand is not looked at any more.  It leaves some hand,
# as each counts for at most two kinds of player.
_NEGLIGIBLE = 0.3 / MOST_HANDS


Reading = tuple[tuple[Plain, tuple[Held, ...]], ...]
"""For each way to think the hands that a player may hold; all their chances together are 1."""


def read(view: View, seat: int) -> Reading:
    """The hands that a seat may hold, after what it has bid in this round."""
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
    """All the weights."""
    return sum(sum([weight for _, _, weight in some]) for some in found)


def _kept(stand: Stand, bid: Bid) -> list[float]:
    """The share of its weight that a hand keeps which bids otherwise, by its dice of the face."""
    others = binomial_tails(stand.others, chance_of(stand.rules, stand.palifico, bid.face))
    return [_UNLIKE * (tail(others, bid.quantity - own) + _BLUFF) for own in range(stand.dice + 1)]


def odds(reading: Reading, dice: int, face: int) -> Odds:
    """How many of the dice of a player who is read so count for a face."""
    found, place = [0.0] * (dice + 1), face - 1
    for _, some in reading:
        for _, counts, chance in some:
            found[counts[place]] += chance
    return tuple(found)


ByOwn = list[list[tuple[Some, float]]]
"""Hands and their chances: those with none of a face, with one, ..."""


def by_own(held: Iterable[Held], dice: int, face: int) -> ByOwn:
    """The hands that may be held, by how many of their dice count for a face."""
    found: ByOwn = [[] for _ in range(dice + 1)]
    for bit, counts, chance in held:
        found[counts[face - 1]].append((bit, chance))
    return found
