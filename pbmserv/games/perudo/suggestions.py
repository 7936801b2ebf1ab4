"""Bids to offer to a player, chosen from what everybody knows.

They never depend on a cup, so that a player who takes one of them tells nothing by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pbmserv.games.perudo.bids import Bid, rises
from pbmserv.games.perudo.position import Position
from pbmserv.games.perudo.view import dice_in_play, legal_bids

MOST = 6  # bids offered: a least raise for each face of an ordinary die
_CAUTION = (2, 3)  # of the expected number among the other dice: more likely true than not


def offered_bids(position: Position) -> tuple[Bid, ...]:
    """At most six bids to offer to the player on turn; none if that player must call.

    After a bid these are the least raise of each face.  The same face comes first, then higher
    faces, lower faces, and ones.  Where a lower number of dice is a raise, too, bids are offered
    that are higher by all other rules.  So 4-3s follows 4-2s, and not 1-3s.  If there is no such
    bid, all are offered.

    At the beginning of a round each face is offered.  Its number of dice is likely to be on the
    table if its bidder has one of them.
    """
    legal = legal_bids(position)
    if not position.bids:
        return tuple(_openings(position, legal))
    last, rules = position.bids[-1][1], position.rules
    found: Sequence[Bid] = ()
    if rules.raising == "literal":
        higher = (bid for bid in legal if rises("quantity", last, bid))
        found = _least_of_each_face(higher, rules.faces)
    found = found or _least_of_each_face(legal, rules.faces)
    return tuple(sorted(found, key=lambda bid: _distance(bid.face, last.face))[:MOST])


def _least_of_each_face(bids: Iterable[Bid], faces: int) -> Sequence[Bid]:
    """The least bid of each face; `bids` are sorted by quantity, and dice have so many `faces`."""
    least: dict[int, Bid] = {}
    for bid in bids:
        least.setdefault(bid.face, bid)
        if len(least) == faces:
            break
    return list(least.values())


def _distance(face: int, last: int) -> tuple[int, int]:
    """The order in which raises are offered: the same face, higher ones, lower ones, and ones."""
    if face == last:
        return (0, 0)
    if face == 1:
        return (3, 0)
    return (1, face) if face > last else (2, -face)


def _openings(position: Position, legal: tuple[Bid, ...]) -> Iterable[Bid]:
    rules = position.rules
    # Where counts are hidden, everybody who is still in has one die at least.
    total = dice_in_play(position) or len(position.counts) - position.counts.count(0)
    allowed = frozenset(legal)
    is_wild = rules.counts_wild(2, position.palifico is not None)
    first = 2 if is_wild else 1  # wild ones are worth more as help for another face
    faces = [face for face in range(first, rules.faces + 1) if Bid(1, face) in allowed]
    for face in faces[-MOST:]:
        counting = 2 if rules.counts_wild(face, position.palifico is not None) else 1
        part, whole = _CAUTION
        likely = 1 + round((total - 1) * counting * part / (rules.faces * whole))
        yield max(bid for bid in legal if bid.face == face and bid.quantity <= likely)
