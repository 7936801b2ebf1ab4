"""The endgames: solved rounds of two players with at most two dice each.

`scripts/train` solves them, and writes a file for each situation into `solved/`.  Such a file has a
byte for the probability of each action, for each sequence of bids and each hand. The byte 255 is
certain.  Sequences are in the order of a walk through the tree.  First comes a sequence itself,
hand by hand, then each of its raises with all that follows it.  So the place of a sequence can be
computed, and no sequence is written.  Where all bytes of a hand are 0, the bot never comes there
with this hand.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from functools import cache, cached_property, lru_cache
from itertools import combinations_with_replacement, product
from math import comb
from pkgutil import get_data
from typing import NamedTuple, TypeAlias

from pbmserv.games.perudo import bidding
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.bots.estimate import may_call_calza
from pbmserv.games.perudo.bots.hands import Counting, counting
from pbmserv.games.perudo.bots.mixture import Mixture, Policy
from pbmserv.games.perudo.events import Action, Call, Raise
from pbmserv.games.perudo.rules import RULE_SETS, Rules, with_options
from pbmserv.games.perudo.view import View

MOST_DICE = 2  # of each player
TWO_PLAYERS = 2
_COUNTS = ((1, 1), (2, 1), (1, 2), (2, 2))
_MOST_BYTES = 2**24  # of a file before it is compressed

Last: TypeAlias = Bid | None
"""The last bid; None before the first one."""


class Situation(NamedTuple):
    """The beginning of a round: the rules, the dice of the starter and of the other, Palifico.

    Only the fields of `rules` matter that a round depends on: `alike`.
    """

    rules: Rules
    counts: tuple[int, int]
    palifico: bool


def alike(rules: Rules, palifico: bool) -> Rules:
    """The rules, without the differences on which such a round does not depend."""
    return rules._replace(
        name="",
        starter="",
        calza_by_anyone=False,
        palifico="own" if rules.palifico == "own" else "",
        opens_on_ones=palifico or rules.opens_on_ones,
        palifico_wild=palifico and rules.palifico_wild,
        palifico_of_two=True,
        dice=0,
    )


class Shape:
    """The tree of a situation, and the place of each sequence of bids in its file."""

    def __init__(self, situation: Situation) -> None:
        self._rules, self.counts, self._palifico = situation
        own = self._rules.palifico == "own"
        self._frozen = [self._palifico or (own and each == 1) for each in self.counts]
        self._sizes: dict[tuple[Last, int], int] = {}

    @cached_property
    def hands(self) -> tuple[dict[Counting, int], ...]:
        """The hands of the starter and of the other, with their places."""
        faces = range(1, self._rules.faces + 1)
        wild = self._rules.counts_wild(2, self._palifico)
        return tuple(
            {
                counting(hand, self._rules.faces, wild): place
                for place, hand in enumerate(combinations_with_replacement(faces, count))
            }
            for count in self.counts
        )

    def raises(self, last: Last, turn: int) -> tuple[Bid, ...]:
        """The bids that may follow; `turn` is 0 for the starter, 1 for the other."""
        return bidding.raises(self._rules, sum(self.counts), self._frozen[turn], last)

    def calls(self, last: Last, turn: int) -> tuple[Call, ...]:
        """The calls of a bid."""
        if last is None:
            return ()
        words = ["dudo"]
        if self._rules.calza:
            words.append("calza")
        elif self._rules.pacao and self.counts[turn] == 1:
            words.append("pacao")
        return tuple(map(Call, words))

    def actions(self, last: Last, turn: int) -> tuple[Action, ...]:
        """All actions, raises first."""
        return (*map(Raise, self.raises(last, turn)), *self.calls(last, turn))

    def own_size(self, last: Last, turn: int) -> int:
        """The bytes of a sequence itself."""
        hands = comb(self._rules.faces + self.counts[turn] - 1, self.counts[turn])
        return hands * (len(self.raises(last, turn)) + len(self.calls(last, turn)))

    def size(self, last: Last, turn: int) -> int:
        """The bytes of a sequence and of all that follows it."""
        if (last, turn) not in self._sizes:
            following = [self.size(bid, 1 - turn) for bid in self.raises(last, turn)]
            self._sizes[last, turn] = self.own_size(last, turn) + sum(following)
        return self._sizes[last, turn]

    def children(self, last: Last, turn: int, offset: int) -> Iterator[tuple[Bid, int]]:
        """The raises of the sequence at this offset, and theirs."""
        offset += self.own_size(last, turn)
        for bid in self.raises(last, turn):
            yield bid, offset
            offset += self.size(bid, 1 - turn)


shape = lru_cache(maxsize=16)(Shape)


@cache  # made at its first use, because it takes 25 ms
def stored() -> Mapping[Situation, str]:
    """The situations that have files, and the names of these."""
    found: dict[Situation, str] = {}
    kinds = [*RULE_SETS.items(), ("bga-calza", with_options(RULE_SETS["bga"], {"calza": "yes"}))]
    for kind, rules in kinds:
        for counts, palifico in product(_COUNTS, (False, True)):
            situation = Situation(alike(rules, palifico), counts, palifico)
            is_there = not palifico or (rules.palifico in {"every", "first"} and 1 in counts)
            # Literal raises can go down, too: no tree of ours has them.
            if is_there and not rules.never_repeats and _is_small(situation):
                special = "-palifico" if palifico else ""
                found.setdefault(situation, f"{kind}-{counts[0]}-{counts[1]}{special}")
    return found


def _is_small(situation: Situation) -> bool:
    return Shape(situation).size(None, 0) <= _MOST_BYTES


@lru_cache(maxsize=2)  # a large one takes 11 MB
def _file(name: str) -> bytes:
    """The bytes of a file."""
    found = get_data(__package__, f"solved/{name}.z")
    assert found is not None  # it is a part of the package
    return zlib.decompress(found)


def policy(view: View) -> Policy | None:
    """The solved policy of the player on turn; None if the round is not solved.

    For a hand with which the bot never comes here, the policy gives no action at all.
    """
    situation = _situation(view)
    if situation is None or situation not in stored():
        return None
    place, data = shape(situation), _file(stored()[situation])
    last: Last = None
    turn = offset = 0
    for _, bid in view.bids:
        offset = next(
            start for raised, start in place.children(last, turn, offset) if raised == bid
        )
        last, turn = bid, 1 - turn
    actions = place.actions(last, turn)

    def mixture(own: Counting) -> Mixture:
        first = offset + place.hands[turn][own] * len(actions)
        found = data[first : first + len(actions)]
        total = sum(found)
        return {action: each / total for action, each in zip(actions, found, strict=True) if each}

    return mixture


def _situation(view: View) -> Situation | None:
    """The situation at the beginning of a view's round, if it is small enough."""
    rules, living = view.rules, [seat for seat, out in enumerate(view.out) if not out]
    if len(living) != TWO_PLAYERS or rules.hidden:
        return None
    if rules.calza and (rules.dice <= MOST_DICE or not may_call_calza(view)):
        return None  # a right calza would not win a die
    starter = view.bids[0][0] if view.bids else view.turn
    counts = [len(view.cups[seat]) for seat in sorted(living, key=lambda seat: seat != starter)]
    palifico = view.palifico is not None
    if max(counts) > MOST_DICE:
        return None
    return Situation(alike(rules, palifico), (counts[0], counts[1]), palifico)
