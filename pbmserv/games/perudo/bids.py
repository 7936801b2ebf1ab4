"""A bid, and the ways in which one bid can raise another.

This module has the bid itself and the general raise of each document.  `bidding` checks the other
rules (range, most dice, Palifico, ones).  Q dice of face F are written `Q-Fs`.
"""

from __future__ import annotations

from typing import NamedTuple


class Bid(NamedTuple):
    """`quantity` dice (from 1) show `face` (1-6 with ordinary dice, at most 20)."""

    quantity: int
    face: int

    def __str__(self) -> str:
        """The notation of gamerz.net's help page: `4-2s`."""
        return f"{self.quantity}-{self.face}s"


def rises(raising: str, last: Bid, bid: Bid) -> bool:
    """Whether `bid` is a general raise over `last`, without the special rules for ones.

    The readings, named as in the `raise` option of a challenge:

    - `literal`: one number goes up, and the other may do anything. The document says: "As long as
      one of the numbers in the bid goes up, the bid is legal".
    - `quantity`: more dice of any face, or as many of a higher face. pacao says "more, at any
      value".  This is the ordinary reading of Perudo, OpenSpiel's "reset-face".
    - `strict`, `one_or_both`: no number falls and at least one rises (TextArena's reading of
      pbmserv; classic's printed example 8x4 -> 9x5).
    - `single`: exactly one number rises, the other stays (classic: "A bet cannot raise both";
      pyrudo, bga: "same value ... same number").
    """
    quantity, face = last
    more = bid.quantity - quantity
    higher = bid.face - face
    if raising == "literal":
        return more > 0 or higher > 0
    if raising == "quantity":
        return more > 0 or (more == 0 and higher > 0)
    if raising == "single":
        return (more > 0 and higher == 0) or (more == 0 and higher > 0)
    return more >= 0 and higher >= 0 and more + higher > 0
