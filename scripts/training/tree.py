"""The tree of all bids of a round of two players, in layers: one for each number of bids.

A node is a sequence of bids.  The nodes of a layer are in the order of their parents, and of the
raises of each parent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pbmserv.games.perudo.bots.endgames import Last, Node, Shape, Situation

Places: TypeAlias = NDArray[np.int64]
Values: TypeAlias = NDArray[np.float32]


class Layer(NamedTuple):
    """All nodes after the same number of bids."""

    turn: int
    """Who acts: 0 for the starter, 1 for the other."""
    parents: Places
    """The node of the layer before, for each node."""
    lasts: Sequence[Last]
    """The last bid of each node."""
    offsets: Places
    """The place of each node in the file."""
    actions: Places
    """The number of actions of each node: its raises in their order, then its calls."""
    choices: Places
    """The number of these that are legal: all, unless a bid may not be repeated."""
    is_stored: bool
    """Whether the file has the nodes."""
    ranks: Places
    """The place of the node's own bid among the raises of its parent."""
    alike: tuple[tuple[Last, Places], ...]
    """The nodes with each last bid."""


def layers(situation: Situation) -> Iterator[Layer]:
    """The layers, from the one without a bid."""
    shape = Shape(situation)
    once = situation.rules.never_repeats
    # The parent, the node, its offset and rank, and the bids that may not be repeated (bits).
    nodes: list[tuple[int, Node, int, int, int]] = [(0, shape.root, 0, 0, 0)]
    while nodes:
        parents, states, offsets, ranks, _ = zip(*nodes, strict=True)
        alike: dict[Last, list[int]] = {}
        for place, node in enumerate(states):
            alike.setdefault(node.last, []).append(place)
        following = [
            (place, after, offset, rank, made | _bit(after.last) if once else 0)
            for place, (_, node, start, _, made) in enumerate(nodes)
            for rank, (after, offset) in enumerate(shape.children(node, start))
            if not made & _bit(after.last)
        ]
        raises = np.bincount([each[0] for each in following], minlength=len(nodes))
        calls = len(shape.calls(states[0]))
        yield Layer(
            states[0].turn,
            np.array(parents),
            [node.last for node in states],
            np.array(offsets),
            np.array([len(shape.actions(node)) for node in states]),
            raises + calls,
            shape.is_stored(states[0]),
            np.array(ranks),
            tuple((last, np.array(places)) for last, places in alike.items()),
        )
        nodes = following


def _bit(bid: Last) -> int:
    """A bit for each bid."""
    return 1 << (32 * bid.quantity + bid.face) if bid else 0


def payoffs(situation: Situation, bid: Last, word: str, caller: int) -> Values:
    """What the starter wins by a call, in dice.

    The value has a row for each hand of the starter and a column for each hand of the other.
    """
    assert bid is not None
    shape = Shape(situation)
    own, other = (
        np.array([counts[bid.face - 1] for counts in each], np.int64) for each in shape.hands
    )
    total = own[:, None] + other[None, :]
    right = {
        "dudo": total < bid.quantity,
        "pacao": total >= bid.quantity,
        "calza": total == bid.quantity,
    }
    won = np.where(right[word], 1, -1).astype(np.float32)
    return -won if caller else won


def chances(situation: Situation) -> list[Values]:
    """The probability of each hand of the starter and of the other."""
    found = []
    for counts, dice in zip(Shape(situation).hands, situation.counts, strict=True):
        # A hand of `dice` different dice has `dice`! orders. With at most two dice this follows
        # from the number of equal dice.
        ways = [_ways(each, dice, situation) for each in counts]
        found.append((np.array(ways) / sum(ways)).astype(np.float32))
    return found


def _ways(counts: Sequence[int], dice: int, situation: Situation) -> int:
    wild = situation.rules.counts_wild(2, situation.palifico)
    ones = counts[0]
    most = max(ones, *[each - (ones if wild else 0) for each in counts[1:]])
    return 1 if most == dice else dice
