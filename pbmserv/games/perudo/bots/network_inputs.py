"""The inputs of the network: what the player on turn sees, as numbers of 0 or 1.

Faces are 1 to 6.  Each bid has the number of `place`: by quantity, then face, from 0.

    first  inputs
        0       5  the player has 1, 2, ... 5 dice
        5       5  the other has so many
       10       6  the face of the last bid
       16      10  its quantity is at least 1, 2, ... 10
       26      60  the player has made this bid
       86      60  the other has made it
      146    6, 5  for each face: the player has bid at least 1, 2, ... 5 dice of it
      176    6, 5  for each face: the other has
      206       8  at least 1, 2, ... 8 bids were made
      214    6, 5  for each face: the cup has at least 1, 2, ... 5 dice of it
      244       9  the last bid needs -2 or less, -1, ... 6 or more dice beside the cup
      253       1  the round is a Palifico one

A wild one of the cup counts for every face.

A table adds a number to each raise.  Its row is the dice that the raise needs beside the cup
(`ROWS`).  Its column is the dice that it needs beyond the other's bids of its face (`COLUMNS`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.bots.endgames import TWO_PLAYERS, alike
from pbmserv.games.perudo.bots.hands import Counting
from pbmserv.games.perudo.bots.plain_levels import may_call_calza
from pbmserv.games.perudo.rules import RULE_SETS, with_options
from pbmserv.games.perudo.view import View

MOST_DICE, FACES = 5, 6
BIDS = 2 * MOST_DICE * FACES
DOUBT, OTHER_CALL = BIDS, BIDS + 1  # the numbers of the calls among the actions
ACTIONS = BIDS + 2
MOST_COUNTED = 8  # bids of a round
LEAST_NEED, MOST_NEED = -2, 6  # dice that the last bid needs beside the cup

# Where each kind of input begins.
OWN, OTHER, FACE, QUANTITY, MADE, HEARD = 0, 5, 10, 16, 26, 86
MOST_MADE, MOST_HEARD, NUMBER, CUP, NEED, PALIFICO, INPUTS = 146, 176, 206, 214, 244, 253, 254
# The table: rows by the dice that a raise needs beside the cup, columns by those beyond the bids.
ROWS, COLUMNS = (-1, 5), (-3, 4)
WIDTH = COLUMNS[1] - COLUMNS[0] + 1
TABLE = (ROWS[1] - ROWS[0] + 1) * WIDTH

KINDS = {
    **{name: RULE_SETS[name] for name in ("pbmserv", "pacao", "pyrudo")},
    "bga-calza": with_options(RULE_SETS["bga"], {"calza": "yes"}),
}
"""The rules that have networks, by the names of these."""

_KINDS = {
    (alike(rules, palifico), palifico): kind
    for kind, rules in KINDS.items()
    for palifico in (False, True)
    if not palifico or rules.palifico in {"every", "first"}
}


class RoundOfTwo(NamedTuple):
    """What both players know of a round, as the player on turn sees it."""

    kind: str
    """The rules, by their name in `KINDS`."""
    palifico: bool
    own: int
    other: int
    made: tuple[Bid, ...]
    heard: tuple[Bid, ...]
    last: Bid | None

    @property
    def is_wild(self) -> bool:
        """Whether ones count for the other faces."""
        return KINDS[self.kind].counts_wild(2, self.palifico)


def place(bid: Bid) -> int:
    """The number of a bid, from 0: by quantity, then face."""
    return (bid.quantity - 1) * FACES + bid.face - 1


def position(view: View) -> RoundOfTwo | None:
    """The position of the player on turn; None if the network does not play it."""
    living = [seat for seat, out in enumerate(view.out) if not out]
    palifico = view.palifico is not None
    kind = _KINDS.get((alike(view.rules, palifico), palifico))
    if kind is None or len(living) != TWO_PLAYERS or view.rules.hidden:
        return None
    if view.rules.calza and (view.rules.dice != MOST_DICE or not may_call_calza(view)):
        return None  # a right calza of a player with five dice would win a die, or another none
    own = len(view.cups[view.turn])
    other = sum(len(view.cups[seat]) for seat in living) - own
    if max(own, other) > MOST_DICE:
        return None
    made, heard = (
        tuple(bid for seat, bid in view.bids if (seat == view.turn) is mine)
        for mine in (True, False)
    )
    last = view.bids[-1][1] if view.bids else None
    return RoundOfTwo(kind, palifico, own, other, made, heard, last)


def most(bids: Iterable[Bid]) -> list[int]:
    """The most dice of each face in these bids; 0 where there is none."""
    found = [0] * FACES
    for bid in bids:
        found[bid.face - 1] = max(found[bid.face - 1], bid.quantity)
    return found


def _up_to(first: int, number: int, length: int) -> range:
    """The inputs of 'at least 1, 2, ...'."""
    return range(first, first + min(number, length))


def _by_face(first: int, numbers: Sequence[int]) -> Iterator[int]:
    for face, number in enumerate(numbers):
        yield from _up_to(first + face * MOST_DICE, number, MOST_DICE)


def public_inputs(seen: RoundOfTwo) -> list[int]:
    """The inputs that are 1 for every cup."""
    found = [OWN + seen.own - 1, OTHER + seen.other - 1]
    if seen.last is not None:
        found.append(FACE + seen.last.face - 1)
        found += _up_to(QUANTITY, seen.last.quantity, 2 * MOST_DICE)
    found += [MADE + place(bid) for bid in seen.made]
    found += [HEARD + place(bid) for bid in seen.heard]
    found += _by_face(MOST_MADE, most(seen.made))
    found += _by_face(MOST_HEARD, most(seen.heard))
    found += _up_to(NUMBER, len(seen.made) + len(seen.heard), MOST_COUNTED)
    return [*found, PALIFICO] if seen.palifico else found


def cup_inputs(own: Counting, last: Bid | None) -> list[int]:
    """The inputs of a cup that are 1."""
    found = [*_by_face(CUP, own)]
    if last is not None:
        need = last.quantity - own[last.face - 1]
        found.append(NEED + max(LEAST_NEED, min(MOST_NEED, need)) - LEAST_NEED)
    return found


def cell(bid: Bid, own: Counting, heard: Sequence[int]) -> int:
    """The place of a raise in the table; `heard` has the most dice of each face in the bids."""
    need = bid.quantity - own[bid.face - 1]
    row = max(ROWS[0], min(ROWS[1], need)) - ROWS[0]
    column = max(COLUMNS[0], min(COLUMNS[1], need - heard[bid.face - 1])) - COLUMNS[0]
    return row * WIDTH + column
