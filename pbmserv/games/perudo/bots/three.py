"""The networks of three players: how the usual bot plays a round against two others.

A small network sees the cup and what each player has bid (`three_inputs`), and gives a weight to
each action.  The actions are the doubt and the least raises of each face.  There is one for each of
some rule sets.  `scripts/train` trains them by play against themselves and a reader, and writes
them into `weights/`.

The layers are those of `network`, with other inputs and actions.  All numbers are whole, too.  So
every machine finds the same mixture.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, cached_property
from pkgutil import get_data

from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.bots.hands import Counting
from pbmserv.games.perudo.bots.mixture import Mixture, Policy
from pbmserv.games.perudo.bots.network import (
    ONE,
    STEPS,
    UNITS,
    Row,
    Weights,
    shares,
    sums_of,
    unpacked,
)
from pbmserv.games.perudo.bots.plain_levels import DUDO
from pbmserv.games.perudo.bots.three_inputs import (
    FACES,
    INPUTS,
    KINDS,
    TABLES,
    Cells,
    Position,
    cells,
    cup_inputs,
    position,
    public_inputs,
)
from pbmserv.games.perudo.events import Action, Raise
from pbmserv.games.perudo.view import View, legal_bids

NAMES = {f"{kind}-three": kind for kind in KINDS}
"""The rules of each network, by its name."""
DOUBT = FACES * STEPS  # the number of the doubt; each face has the numbers of its least raises
ACTIONS = DOUBT + 1


SHAPES = (
    (INPUTS, UNITS[0]), (1, UNITS[0]), (UNITS[1], UNITS[0]), (1, UNITS[1]),
    (ACTIONS, UNITS[1]), (1, ACTIONS), (1, TABLES),
)  # fmt: skip
"""Rows and columns of each field of the weights."""


def read(data: bytes) -> Weights:
    """Read the bytes of a file; `table` has both tables."""
    return unpacked(data, SHAPES)


@cache  # 2 MB each
def weights(kind: str) -> Weights:
    """The network of the package for these rules."""
    found = get_data(__package__, f"weights/{kind}-three.z")
    assert found is not None  # it is a part of the package
    return read(found)


class Choice:
    """The network's choice in one position, for each cup."""

    def __init__(self, legal: Iterable[Bid], seen: Position) -> None:
        self.seen, steps = seen, [0] * FACES
        self.raises: list[Cells] = []
        self.numbers: list[int] = []
        for bid in legal:
            step = steps[bid.face - 1]
            if step < STEPS:
                self.raises.append(cells(seen, bid))
                self.numbers.append((bid.face - 1) * STEPS + step)
                steps[bid.face - 1] += 1
        self.actions: list[Action] = [Raise(each.bid) for each in self.raises]
        if seen.last is not None:
            self.actions.append(DUDO)
            self.numbers.append(DOUBT)

    @cached_property
    def begun(self) -> Row:
        """The sums of the first layer without the cup."""
        found = weights(self.seen.kind)
        rows = [found.first[each] for each in public_inputs(self.seen)]
        return tuple(map(sum, zip(found.first_bias, *rows, strict=True)))

    def sums(self, own: Counting) -> list[int]:
        """The last sum of each action with this cup."""
        found, seen = weights(self.seen.kind), self.seen
        cup = cup_inputs(seen.last, seen.expected_of_last, own)
        last = sums_of(found, self.begun, cup, self.numbers)
        for number, each in enumerate(self.raises):
            places = each.of(own[each.bid.face - 1])
            last[number] += sum(found.table[place] for place in places) << ONE
        return last

    def mixture(self, own: Counting) -> Mixture:
        """The probabilities of the actions with this cup."""
        parts = zip(self.actions, shares(self.sums(own)), strict=True)
        return {action: part for action, part in parts if part}


def policy(view: View) -> Policy | None:
    """The network's policy of the player on turn; None if it does not play this round."""
    seen = position(view)
    return None if seen is None else Choice(legal_bids(view), seen).mixture
