"""Decide whether a bid is legal, and list the legal bids.

One function, `objection`, decides.  The lists of legal bids are made by calling it, so they cannot
disagree with it.  It checks in this order: range, most dice, Palifico, ones, general raise.  `play`
checks whose turn it is.
"""

from __future__ import annotations

from functools import cache, lru_cache

from pbmserv.games.perudo.bids import Bid, rises
from pbmserv.games.perudo.rules import Rules


def objection(rules: Rules, most: int, frozen: bool, last: Bid | None, bid: Bid) -> str:
    """Why `bid` may not follow `last` (None: it opens the round); "" when it may.

    `most` is the most dice a bid may name.  `frozen` says that Palifico restricts the bidder.  The
    answer is the code of a refusal: bid_range, over_cap, opening_ones, palifico_face, to_ones,
    from_ones, both_raised or not_a_raise.  This function does not check for repeated bids.
    """
    quantity, face = bid
    if quantity < 1 or face < 1 or face > rules.faces:
        return "bid_range"
    if quantity > most:  # pacao says so; elsewhere it keeps every round finite
        return "over_cap"
    if last is None:
        # bga: "can never begin with pacos, unless a player is Palifico"
        return "opening_ones" if face == 1 and not (rules.opens_on_ones or frozen) else ""
    last_quantity, last_face = last
    if frozen:  # all four documents: the face stays, so ones are not converted either
        if face != last_face:
            return "palifico_face"
        return "" if quantity > last_quantity else "not_a_raise"
    if (face == 1 or last_face == 1) and rules.to_ones != "none":
        return _objection_on_ones(rules, last, bid)
    if rises(rules.raising, last, bid):
        return ""
    both = rules.raising == "single" and quantity > last_quantity and face > last_face
    return "both_raised" if both else "not_a_raise"


def _objection_on_ones(rules: Rules, last: Bid, bid: Bid) -> str:
    """The raises to and from wild ones, equal in pyrudo, classic, bga and pacao."""
    if last.face != 1:
        exact = rules.to_ones == "exact"
        least = least_ones(last)
        return "" if bid.quantity == least or (bid.quantity > least and not exact) else "to_ones"
    if bid.face != 1:
        return "" if bid.quantity >= least_from_ones(last) else "from_ones"
    return "" if bid.quantity > last.quantity else "not_a_raise"


def least_ones(last: Bid) -> int:
    """The fewest ones that answer `last`: half its dice, rounded up (9 threes -> 5 ones)."""
    return (last.quantity + 1) // 2


def least_from_ones(last: Bid) -> int:
    """The fewest dice of another face that answer ones: twice as many and one more (4 -> 9)."""
    return 2 * last.quantity + 1


_one_bid = cache(Bid)  # at most 60 dice of 20 faces: the cached lists share their bids


@lru_cache(maxsize=1024)
def raises(rules: Rules, most: int, frozen: bool, last: Bid | None) -> tuple[Bid, ...]:
    """All bids that may follow `last`, by quantity, then face; cached for speed."""
    return tuple(
        bid
        for quantity in range(1, most + 1)
        for face in range(1, rules.faces + 1)
        if not objection(rules, most, frozen, last, bid := _one_bid(quantity, face))
    )


@lru_cache(maxsize=1024)
def allowed(rules: Rules, most: int, frozen: bool, last: Bid | None) -> frozenset[Bid]:
    """The bids of `raises` as a set."""
    return frozenset(raises(rules, most, frozen, last))


def smallest(rules: Rules, last: Bid | None, legal: tuple[Bid, ...]) -> tuple[Bid, ...]:
    """A few of the `legal` bids to show to a player, at most three.

    These are the smallest of the same face and the smallest of the other faces.  Where ones are
    special, the smallest on ones is added.
    """
    found: dict[str, Bid] = {}
    for bid in legal:  # they are sorted by quantity, then face
        if last is not None and bid.face == last.face:
            found.setdefault("same", bid)
        elif bid.face == 1 and rules.to_ones != "none":
            found.setdefault("ones", bid)
        else:
            found.setdefault("other", bid)
    return tuple(found[kind] for kind in ("same", "other", "ones") if kind in found)
