"""Reading: what the bids of a round tell of the hands behind them.

Every hand that another player may hold gets a weight.  Each of his bids leaves its weight to a
hand with which one of the plain levels would have made that bid, and takes most of it from the
others: the more, the less likely the bid looked to its holder.  So players who bid by chance, or
bluff, are read as well, if less surely.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.events import Call
from pbmserv.games.perudo.house import honest, threshold
from pbmserv.games.perudo.house.belief import Odds, binomial, tail, tails
from pbmserv.games.perudo.house.outlook import (
    MOST_HANDS,
    Counting,
    Outlook,
    Stand,
    chance_of,
    hands,
    outlooks,
    stand_of,
)
from pbmserv.games.perudo.rules import Rules
from pbmserv.games.perudo.view import View

Plain = Callable[[Outlook, Rules], Bid | Call]

PLAIN: tuple[Plain, ...] = (threshold.answer_to, honest.answer_to)
"""How another player may think; each as likely as the other before he has bid."""

# What remains of the weight of a hand that bids unlike any plain level: this share, as often as
# the bid looked true to its holder; and a little of it where it never did.
_UNLIKE, _BLUFF = 0.3, 0.02

_BIDS_READ = 3  # of each player, the last ones; so a long round costs no more time

# The share of the weight below which a hand is not looked at any more.  It leaves some hand,
# as each counts for at most two kinds of player.
_NEGLIGIBLE = 0.3 / MOST_HANDS


class Hand(NamedTuple):
    """A hand that a player may hold, how he thinks, and how likely that is."""

    hand: Counting
    plain: Plain
    chance: float


def read(view: View, seat: int) -> tuple[Hand, ...]:
    """The hands that a seat may hold, after what it has bid in this round."""
    now = stand_of(view, seat, 0)
    likely = hands(now.rules, now.palifico, now.dice)
    weights = [(hand, plain, chance) for hand, chance in likely for plain in PLAIN]
    made = [number for number, (bidder, _) in enumerate(view.bids) if bidder == seat]
    for number in made[-_BIDS_READ:]:
        weights = _after(weights, stand_of(view, seat, number), view.bids[number][1])
    least = _NEGLIGIBLE * sum(weight for _, _, weight in weights)
    kept = [each for each in weights if each[2] > least]
    total = sum(weight for _, _, weight in kept)
    return tuple(Hand(hand, plain, weight / total) for hand, plain, weight in kept)


def _after(
    weights: list[tuple[Counting, Plain, float]], stand: Stand, bid: Bid
) -> list[tuple[Counting, Plain, float]]:
    """The weights when the player who stood so has made a bid."""
    rules, looks, place = stand.rules, outlooks(stand), bid.face - 1
    others = tails(binomial(stand.others, chance_of(rules, stand.palifico, bid.face)))
    found = []
    for hand, plain, weight in weights:
        if plain(looks[hand], rules) != bid:
            looked = tail(others, bid.quantity - hand[place])
            found.append((hand, plain, weight * _UNLIKE * (looked + _BLUFF)))
        else:
            found.append((hand, plain, weight))
    return found


def odds(read: tuple[Hand, ...], dice: int, face: int) -> Odds:
    """How many of the dice of a player who is read so count for a face."""
    found, place = [0.0] * (dice + 1), face - 1
    for hand, _, chance in read:
        found[hand[place]] += chance
    return tuple(found)
