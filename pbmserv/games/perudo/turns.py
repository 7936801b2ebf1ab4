"""Whose turn is next: after a bid, and at the beginning of the next round."""

from __future__ import annotations

from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.events import Cups
from pbmserv.games.perudo.rules import Rules


def next_living(cups: Cups, seat: int) -> int:
    """The next seat on the left of `seat` that has dice (`seat` itself, if no other has).

    It is on turn after a bid of `seat`, and opens the next round if `seat` has resigned.
    """
    seats = len(cups)
    while True:
        seat += 1
        if seat == seats:
            seat = 0
        if cups[seat]:
            return seat


def living(cups: Cups) -> int:
    """How many seats have dice."""
    return len(cups) - cups.count(())


def opener_after_loss(rules: Rules, cups: Cups, loser: int, winner: int) -> int:
    """Who opens the round after `loser` gives up a die of these cups: the document's rule.

    `winner` was right about the bid.  If the starter by that rule is out, the next living player on
    the left opens.  The documents bga and pacao say so, and classic's code does it. pbmserv's
    winner is never out.
    """
    # The caller of calza opens the next round, right or wrong: here both `loser` and `winner`.
    starter = winner if rules.starter == "winner" else loser
    is_out = starter == loser and len(cups[loser]) == 1
    return next_living(cups, loser) if rules.starter == "after_loser" or is_out else starter


def opener_again(bids: tuple[tuple[int, Bid], ...], turn: int) -> int:
    """Who opened a round with these bids, and opens it again when it is rolled again."""
    return bids[0][0] if bids else turn
