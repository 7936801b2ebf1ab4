"""The endgames: solved rounds of two players with at most two dice each.

`scripts/train` solves them, and writes a file for each situation into `solved/`.  Such a file has a
byte for the probability of each action, for each sequence of bids and each hand. The byte 255 is
certain.  Sequences are in the order of a walk through the tree.  First comes a sequence itself,
hand by hand, then each of its raises with all that follows it.  So the place of a sequence can be
computed, and no sequence is written.  Where all bytes of a hand are 0, the bot never comes there
with this hand.

With some rules there are too many sequences.  There the bot makes only a few bids in a
round, and the other player all that are legal.  Such a situation has a file for each of the bot's
two seats.  The file has the sequences after which the bot has a choice.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property, lru_cache
from itertools import combinations_with_replacement, product
from math import comb
from pkgutil import get_data
from typing import NamedTuple, TypeAlias

from pbmserv.games.perudo import bidding
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.bots.hands import Counting, counting
from pbmserv.games.perudo.bots.mixture import Mixture, Policy
from pbmserv.games.perudo.bots.plain_levels import may_call_calza
from pbmserv.games.perudo.events import Action, Call, Raise
from pbmserv.games.perudo.rules import RULE_SETS, Rules, with_options
from pbmserv.games.perudo.view import View

MOST_DICE = 2  # of each player
TWO_PLAYERS = 2
_COUNTS = ((1, 1), (2, 1), (1, 2), (2, 2))
_MOST_BYTES = 2**24  # of a file before it is compressed
# Bids of the bot in a round, where the file has one seat; fewer where a raise can go down.
MOST_BIDS, MOST_BIDS_DOWN = 3, 2
SEATS = "first", "second"
_MOST_DOWN = 4  # dice; with so many, there is no file where a raise can go down

Last: TypeAlias = Bid | None
"""The last bid; None before the first one."""


class Situation(NamedTuple):
    """The beginning of a round: the rules, the dice of the starter and of the other, Palifico.

    Only the fields of `rules` matter that a round depends on: `alike`.
    """

    rules: Rules
    counts: tuple[int, int]
    palifico: bool
    bot: int | None = None
    """The seat that the file has: 0 is the starter.  None: both seats, with any number of bids."""


class Node(NamedTuple):
    """What the following bids depend on, apart from bids that may not be repeated."""

    last: Last
    turn: int
    """0 for the starter, 1 for the other."""
    left: int
    """The bids that the bot has left; it counts only where the file has one seat."""


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
        self._rules, self.counts, self._palifico, self._bot = situation
        own = self._rules.palifico == "own"
        self._frozen = [self._palifico or (own and each == 1) for each in self.counts]
        self._sizes: dict[Node, int] = {}
        self.root = Node(None, 0, MOST_BIDS_DOWN if self._rules.never_repeats else MOST_BIDS)

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

    def raises(self, node: Node) -> tuple[Bid, ...]:
        """The bids that may follow, repeated ones too."""
        if node.turn == self._bot and not node.left:
            return ()
        return bidding.raises(self._rules, sum(self.counts), self._frozen[node.turn], node.last)

    def calls(self, node: Node) -> tuple[Call, ...]:
        """The calls of a bid."""
        if node.last is None:
            return ()
        words = ["dudo"]
        if self._rules.calza:
            words.append("calza")
        elif self._rules.pacao and self.counts[node.turn] == 1:
            words.append("pacao")
        return tuple(map(Call, words))

    def actions(self, node: Node) -> tuple[Action, ...]:
        """All actions, raises first."""
        return (*map(Raise, self.raises(node)), *self.calls(node))

    def is_stored(self, node: Node) -> bool:
        """Whether the file has the sequence itself: where one seat counts, only its choices."""
        return self._bot is None or (node.turn == self._bot and node.left > 0)

    def own_size(self, node: Node) -> int:
        """The bytes of a sequence itself."""
        if not self.is_stored(node):
            return 0
        count = self.counts[node.turn]
        hands = comb(self._rules.faces + count - 1, count)
        return hands * (len(self.raises(node)) + len(self.calls(node)))

    def size(self, node: Node | None = None) -> int:
        """The bytes of a sequence (none: of the whole file) and of all that follows it."""
        node = node or self.root
        if node.turn == self._bot and not node.left:
            return 0
        if node not in self._sizes:
            following = [self.size(self._after(node, bid)) for bid in self.raises(node)]
            self._sizes[node] = self.own_size(node) + sum(following)
        return self._sizes[node]

    def _after(self, node: Node, bid: Bid) -> Node:
        return Node(bid, 1 - node.turn, node.left - (node.turn == self._bot))

    def children(self, node: Node, offset: int) -> Iterator[tuple[Node, int]]:
        """The raises of the sequence at this offset, and theirs."""
        offset += self.own_size(node)
        for bid in self.raises(node):
            after = self._after(node, bid)
            yield after, offset
            offset += self.size(after)


shape = lru_cache(maxsize=16)(Shape)


@cache  # made at its first use, because it takes 25 ms
def stored() -> Mapping[Situation, str]:
    """The situations that have files, and the names of these."""
    found: dict[Situation, str] = {}
    kinds = [*RULE_SETS.items(), ("bga-calza", with_options(RULE_SETS["bga"], {"calza": "yes"}))]
    for kind, rules in kinds:
        for counts, palifico in product(_COUNTS, (False, True)):
            if palifico and not (rules.palifico in {"every", "first"} and 1 in counts):
                continue
            name = f"{kind}-{counts[0]}-{counts[1]}{'-palifico' if palifico else ''}"
            situation = Situation(alike(rules, palifico), counts, palifico)
            # Literal raises can go down, too: a sequence could go on without end.
            if not rules.never_repeats and Shape(situation).size() <= _MOST_BYTES:
                found.setdefault(situation, name)
            elif not rules.never_repeats or sum(counts) < _MOST_DOWN:
                for bot, seat in enumerate(SEATS):
                    found.setdefault(situation._replace(bot=bot), f"{name}-{seat}")
    return found


@lru_cache(maxsize=2)  # a large one takes 11 MB
def _file(name: str) -> bytes:
    """The bytes of a file."""
    found = get_data(__package__, f"solved/{name}.z")
    assert found is not None  # it is a part of the package
    return zlib.decompress(found)


def policy(view: View) -> Policy | None:
    """The solved policy of the player on turn; None if the round is not solved.

    The policy gives no actions for a hand with which the bot never reaches this position.
    """
    situation = _situation(view)
    if situation is None:
        return None
    if situation not in stored():
        situation = situation._replace(bot=len(view.bids) % TWO_PLAYERS)
    if situation not in stored():
        return None
    found = _sequence(shape(situation), [bid for _, bid in view.bids])
    return None if found is None else _at(situation, *found)


def _sequence(shape: Shape, bids: Iterable[Bid]) -> tuple[Node, int] | None:
    """The last node of a sequence and its place in the file; None if the tree does not have it."""
    node, offset = shape.root, 0
    for bid in bids:
        following = shape.children(node, offset)
        found = next((each for each in following if each[0].last == bid), None)
        if found is None:
            return None
        node, offset = found
    return node, offset


def _at(situation: Situation, node: Node, offset: int) -> Policy:
    """The stored policy of the player on turn at a node."""
    place, data = shape(situation), _file(stored()[situation])
    actions = place.actions(node)

    def mixture(own: Counting) -> Mixture:
        if not place.is_stored(node):  # the bot has no bid left
            return dict.fromkeys(actions, 1.0)
        first = offset + place.hands[node.turn][own] * len(actions)
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
