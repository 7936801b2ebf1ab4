"""The inputs of the networks of three and four players: what the player on turn sees, as 0 or 1.

Place 0 is the player on turn, place 1 the next one, and so on.  Players without dice do not count.
A `Layout` says where each of these begins, in this order:

    for each place: the player has 1, 2, ... 5 dice
    the others have at least 3, 4, ... dice (8 numbers at a table of three, 13 at one of four)
    the face of the last bid (6); its quantity is at least 1, 2, ... 12
    for each place: the face of the first bid (6); its quantity is at least 1, 2, ... 6
    for each place but the last: the same of the latest bid (6); at least 1, 2, ... 8
    for each place and face: a bid of at least 1, 2, ... 6 dice of it
    at least 1, 2, ... 10 bids were made
    the round is a Palifico one
    for each face: the cup has at least 1, 2, ... 5 dice of it
    the last bid needs -2 or less, -1, ... 9 or more dice beside the cup
    the same beyond what is expected of the others: -5 or less, -4, ... 5 or more

A wild one of the cup counts for every face.

Two tables add a number to each raise.  The first goes by the dice that the raise needs beside the
cup, and by those that are expected of the others.  The second goes by the number of others who bid
its face, and by the dice that it needs beyond the most of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.bots.endgames import alike
from pbmserv.games.perudo.bots.hands import Counting
from pbmserv.games.perudo.rules import RULE_SETS, Rules, with_options
from pbmserv.games.perudo.view import View

PLAYERS, MOST_DICE, FACES = (3, 4), 5, 6
FIRST_QUANTITY, LATEST_QUANTITY, MOST_QUANTITY = 6, 8, 6
LEAST_HIDDEN, _QUANTITIES, _BIDS = 3, 12, 10
NEEDS, BEYOND = (-2, 9), (-5, 5)
_FIRST_LENGTH, _LATEST_LENGTH = FACES + FIRST_QUANTITY, FACES + LATEST_QUANTITY
ROWS, COLUMNS, CLAIMED = (-1, 8), 6, (-3, 4)  # of the first table; columns of the second
CLAIMS = CLAIMED[1] - CLAIMED[0] + 1
SECOND = (ROWS[1] - ROWS[0] + 1) * COLUMNS  # where the second table begins


class Layout(NamedTuple):
    """Where each kind of input begins; the number of inputs, and of the places in both tables."""

    dice: int
    many: int
    face: int
    first: int
    latest: int
    most: int
    number: int
    palifico: int
    cup: int
    need: int
    over: int
    inputs: int
    tables: int


@cache
def layout(players: int) -> Layout:
    """The inputs at a table of so many players with dice."""
    lengths = (
        players * MOST_DICE,
        (players - 1) * MOST_DICE - LEAST_HIDDEN + 1,
        FACES + _QUANTITIES,
        players * _FIRST_LENGTH,
        (players - 1) * _LATEST_LENGTH,
        players * FACES * MOST_QUANTITY,
        _BIDS,
        1,
        FACES * MOST_DICE,
        NEEDS[1] - NEEDS[0] + 1,
        BEYOND[1] - BEYOND[0] + 1,
    )
    return Layout._make([*accumulate(lengths, initial=0), SECOND + players * CLAIMS])


KINDS = {
    "pbmserv": RULE_SETS["pbmserv"],
    "bga": RULE_SETS["bga"],
    "classic": with_options(RULE_SETS["classic"], {"palifico": "yes"}),
    "pacao": RULE_SETS["pacao"],
}
"""The rules that have networks, by the names of these.

The network of `classic` plays `pyrudo`, too: without calza its rounds are the same.
"""


def _situation(rules: Rules, palifico: bool) -> tuple[Rules, bool]:
    """What the rounds of rules depend on, and Palifico; no network calls calza."""
    return alike(rules, palifico)._replace(calza=False), palifico


_KINDS = {
    _situation(rules, palifico): kind
    for kind, rules in KINDS.items()
    for palifico in ((False, True) if rules.palifico == "every" else (False,))
}


class RoundOfSeveral(NamedTuple):
    """What all know of a round, by the places of the players."""

    kind: str
    """The rules, by their name in `KINDS`."""
    palifico: bool
    dice: tuple[int, ...]
    bids: tuple[tuple[Bid, ...], ...]
    last: Bid | None

    @property
    def layout(self) -> Layout:
        """Where the inputs begin."""
        return layout(len(self.dice))

    @property
    def hidden(self) -> int:
        """The dice of the others."""
        return sum(self.dice[1:])

    @property
    def is_wild(self) -> bool:
        """Whether ones count for the other faces."""
        return KINDS[self.kind].counts_wild(2, self.palifico)

    def expected(self, face: int) -> int:
        """The dice that are expected of the others to count for a face, rounded."""
        faces = 2 if self.is_wild and face != 1 else 1
        return (2 * faces * self.hidden + FACES) // (2 * FACES)

    @property
    def expected_of_last(self) -> int:
        """The same for the face of the last bid; 0 if there is none."""
        return 0 if self.last is None else self.expected(self.last.face)


def position(view: View) -> RoundOfSeveral | None:
    """The position of the player on turn; None if the network does not play it."""
    seats = len(view.out)
    around = [(view.turn + step) % seats for step in range(seats)]
    living = [seat for seat in around if not view.out[seat]]
    palifico = view.palifico is not None
    kind = _KINDS.get(_situation(view.rules, palifico))
    if kind is None or len(living) not in PLAYERS:
        return None
    dice = tuple(len(view.cups[seat]) for seat in living)
    if max(dice) > MOST_DICE:
        return None
    bids = tuple(tuple(bid for seat, bid in view.bids if seat == each) for each in living)
    return RoundOfSeveral(kind, palifico, dice, bids, view.bids[-1][1] if view.bids else None)


def _up_to(first: int, number: int, length: int) -> range:
    """The inputs of 'at least 1, 2, ...'."""
    return range(first, first + max(0, min(number, length)))


def _bid(first: int, bid: Bid, length: int) -> Iterator[int]:
    """The inputs of a face and its quantity."""
    yield first + bid.face - 1
    yield from _up_to(first + FACES, bid.quantity, length)


def _most(bids: Sequence[Bid], face: int) -> int:
    """The most dice of a face that were bid."""
    return max([bid.quantity for bid in bids if bid.face == face], default=0)


def public_inputs(seen: RoundOfSeveral) -> list[int]:
    """The inputs that are 1 for every cup."""
    found: list[int] = []
    at, before = seen.layout, len(seen.dice) - 1  # the place of the player before
    for place, (dice, bids) in enumerate(zip(seen.dice, seen.bids, strict=True)):
        found.append(at.dice + place * MOST_DICE + dice - 1)
        if bids:
            found += _bid(at.first + place * _FIRST_LENGTH, bids[0], FIRST_QUANTITY)
            if place != before:  # the latest bid of the player before is the last one
                found += _bid(at.latest + place * _LATEST_LENGTH, bids[-1], LATEST_QUANTITY)
        for face in range(1, FACES + 1):
            first = at.most + (place * FACES + face - 1) * MOST_QUANTITY
            found += _up_to(first, _most(bids, face), MOST_QUANTITY)
    found += _up_to(at.many, seen.hidden - LEAST_HIDDEN + 1, at.face - at.many)
    if seen.last is not None:
        found += _bid(at.face, seen.last, _QUANTITIES)
    found += _up_to(at.number, sum(map(len, seen.bids)), _BIDS)
    return [*found, at.palifico] if seen.palifico else found


def _within(number: int, limits: tuple[int, int]) -> int:
    """The place of a number between limits, from 0."""
    return max(limits[0], min(limits[1], number)) - limits[0]


def cup_inputs(at: Layout, last: Bid | None, expected: int, own: Counting) -> list[int]:
    """The inputs of a cup that are 1; `expected` are the others' dice for the last bid."""
    found: list[int] = []
    for face, number in enumerate(own):
        found += _up_to(at.cup + face * MOST_DICE, number, MOST_DICE)
    if last is not None:
        need = last.quantity - own[last.face - 1]
        found.append(at.need + _within(need, NEEDS))
        found.append(at.over + _within(need - expected, BEYOND))
    return found


class Cells(NamedTuple):
    """Where a raise stands in the tables, but for the cup."""

    bid: Bid
    column: int
    row: int
    claimed: int

    def of(self, own: int) -> tuple[int, int]:
        """The places of the raise in the tables with so many dice of its face in the cup."""
        need = self.bid.quantity - own
        return (
            _within(need, ROWS) * COLUMNS + self.column,
            SECOND + self.row * CLAIMS + _within(need - self.claimed, CLAIMED),
        )


def cells(seen: RoundOfSeveral, bid: Bid) -> Cells:
    """Where this raise stands in the tables."""
    claims = [claim for each in seen.bids[1:] if (claim := _most(each, bid.face))]
    column = min(seen.expected(bid.face), COLUMNS - 1)
    return Cells(bid, column, len(claims), max(claims, default=0))
