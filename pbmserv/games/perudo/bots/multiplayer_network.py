"""The networks of three and four players: how the usual bot plays against two or three others.

A small network sees the cup and what each player has bid (`multiplayer_inputs`), and gives a weight
to each action.  The actions are the doubt and the least raises of each face.  Some rules have one
for three players, and one for four.  `scripts/train` trains them by play against themselves and a
reader, and writes them into `weights/`.

The layers are those of `network`, with other inputs and actions.  All numbers are whole, too.  So
every machine finds the same mixture.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, cached_property
from pkgutil import get_data

from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.bots.hands import Counting
from pbmserv.games.perudo.bots.mixture import Policy
from pbmserv.games.perudo.bots.multiplayer_inputs import (
    FACES,
    KINDS,
    PLAYERS,
    Cells,
    RoundOfSeveral,
    cells,
    cup_inputs,
    layout,
    position,
    public_inputs,
)
from pbmserv.games.perudo.bots.network import (
    ONE,
    STEPS,
    UNITS,
    NetworkChoice,
    Row,
    Weights,
    sums_of,
    sums_without_cup,
    unpacked,
)
from pbmserv.games.perudo.bots.plain_levels import DUDO
from pbmserv.games.perudo.events import Action, Raise
from pbmserv.games.perudo.view import View, legal_bids

_WORDS = {3: "three", 4: "four"}
NAMES = {f"{kind}-{_WORDS[players]}": (kind, players) for kind in KINDS for players in PLAYERS}
"""The rules and players of each network, by its name."""
DOUBT = FACES * STEPS  # the number of the doubt; each face has the numbers of its least raises
ACTIONS = DOUBT + 1


def read(data: bytes, players: int) -> Weights:
    """Read the bytes of a file for so many players; `table` has both tables."""
    of, (one, two) = layout(players), UNITS
    shapes = (of.inputs, one), (1, one), (two, one), (1, two), (ACTIONS, two), (1, ACTIONS)
    return unpacked(data, (*shapes, (1, of.tables)))


@cache  # 2 MB each
def weights(kind: str, players: int) -> Weights:
    """The network of the package for these rules and players."""
    found = get_data(__package__, f"weights/{kind}-{_WORDS[players]}.z")
    assert found is not None  # it is a part of the package
    return read(found, players)


class Choice(NetworkChoice):
    """The choice of a network of three or four players."""

    def __init__(self, legal: Iterable[Bid], seen: RoundOfSeveral) -> None:
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
    def weights(self) -> Weights:
        """The network for this position."""
        return weights(self.seen.kind, len(self.seen.dice))

    @cached_property
    def begun(self) -> Row:
        """The sums of the first layer without the cup."""
        return sums_without_cup(self.weights, public_inputs(self.seen))

    def sums(self, own: Counting) -> list[int]:
        """The last sum of each action with this cup."""
        found, seen = self.weights, self.seen
        cup = cup_inputs(seen.layout, seen.last, seen.expected_of_last, own)
        last = sums_of(found, self.begun, cup, self.numbers)
        for number, each in enumerate(self.raises):
            places = each.of(own[each.bid.face - 1])
            last[number] += sum(found.table[place] for place in places) << ONE
        return last


def policy(view: View) -> Policy | None:
    """The network's policy of the player on turn; None if it does not play this round."""
    seen = position(view)
    return None if seen is None else Choice(legal_bids(view), seen).mixture
