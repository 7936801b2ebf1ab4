"""The nodes of a round of two players with up to five dice each: what is known of its bids.

A node is the last four bids.  Raises only go up, so no node comes back to itself.
"""

from __future__ import annotations

from typing import NamedTuple

from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.bots import trained
from pbmserv.games.perudo.bots.trained import Last, Situation
from pbmserv.games.perudo.events import Raise

_MANY = 3  # the bids of a group


class Group(NamedTuple):
    """Nodes that are computed at once: they differ only in one earlier bid."""

    side: int
    """Who acts: 0 or 1."""
    recent: tuple[Last, ...]
    """The last three bids, the last one first."""

    @property
    def last(self) -> Last:
        """The last bid."""
        return self.recent[0]

    def after(self, other: int, bid: Bid) -> Group:
        """The group that a raise leads to; its node is that of the bid that `recent` loses."""
        return Group(other, (bid, *self.recent[:-1]))


class Nodes:
    """The nodes of a group, one for each bid before its recent ones, and where they lead to."""

    def __init__(self, tree: Tree, group: Group) -> None:
        self.group, self.side, self.last = group, group.side, group.last
        situation = tree.sides[self.side]
        self.other = tree.against(self.side)
        self.earlier = sorted(tree.found[group], key=lambda bid: bid or (0, 0))
        self.calls = trained.CALLS if self.last else ()
        choices = trained.actions(situation, self.last)
        self.raises = [each.bid for each in choices if isinstance(each, Raise)]
        self.begins = tree.sizes[self.side]
        tree.sizes[self.side] += len(self.earlier)
        self.rows = slice(self.begins, tree.sizes[self.side])
        self.next = [group.after(self.other, bid) for bid in self.raises]

    def bids(self, place: int) -> tuple[Bid, ...]:
        """The bids that a node is known by, the last one first."""
        return tuple(bid for bid in (*self.group.recent, self.earlier[place]) if bid)


class Tree:
    """All nodes of a situation and of the situation of its other player."""

    def __init__(self, situation: Situation) -> None:
        equal = situation.own == situation.other
        self.sides = [situation] if equal else [situation, situation.turned]
        self.sizes = [0] * len(self.sides)
        todo = [Group(side, (None,) * _MANY) for side in range(len(self.sides))]
        self.found: dict[Group, set[Last]] = {group: {None} for group in todo}
        for group in todo:  # it grows
            for action in trained.actions(self.sides[group.side], group.last):
                if isinstance(action, Raise):
                    after = group.after(self.against(group.side), action.bid)
                    if after not in self.found:
                        todo.append(after)
                    self.found.setdefault(after, set()).add(group.recent[-1])
        ones = situation.rules.to_ones != "none"
        self.groups = [Nodes(self, each) for each in sorted(todo, key=lambda x: _order(x, ones))]
        self.by_group = {each.group: each for each in self.groups}

    def against(self, side: int) -> int:
        """The side of the other player."""
        return (side + 1) % len(self.sides)

    def node(self, group: Group, earlier: Last) -> int:
        """The row of a node, among all nodes of its side."""
        nodes = self.by_group[group]
        return nodes.begins + nodes.earlier.index(earlier)


def _order(group: Group, ones: bool) -> tuple[int, ...]:
    """A raise comes after the bid that it raises; `ones`: half as many ones raise other faces."""
    last, *before = group.recent
    if last is None:
        return (0, 0, group.side)
    quantity, face = last
    high = 4 * quantity + 1 if face == 1 and ones else 2 * quantity
    earlier = [number for bid in before for number in bid or (0, 0)]
    return (high, face, group.side, *earlier)
