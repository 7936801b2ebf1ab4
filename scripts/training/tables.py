"""Train the rounds of two players with up to five dice each, by self-play.

All hands of both players play against each other at once.  The method is magnetic mirror descent
(Sokota and others, 2023): each action's weight grows with its value, and is drawn back to that of
all others.  So a player mixes more actions than an exact solution does.  A node is the last four
bids: sequences that end with the same four bids share it.  There the hands of each player have the
mean of their chances, and they count as independent of each other.  So this solution is not
exact, and `scripts/arena` measures what a reader still wins.  Nothing is drawn by chance.

Regret minimization (CFR+) does not come to rest with such nodes: a reader won more dice of its
policies, and after 300 iterations more than after 100.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from functools import cached_property
from math import factorial, prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.bots import trained
from pbmserv.games.perudo.bots.trained import Recent, Situation
from scripts.training.nodes import Nodes, Tree

Values: TypeAlias = NDArray[np.float32]
Places: TypeAlias = NDArray[np.int64]

# What an action must lose, in dice, to be e times less likely: at first, and at the end.
TEMPERATURES = 0.3, 0.07
SETTLED = 0.7  # the share of the iterations after which the temperature stays
AVERAGED = 0.2  # the share of the iterations, at the end, whose mean is stored
PACE = 0.5  # how fast a weight follows the values
# Of each action in the chances of the hands after it, so that every node has some.
TREMBLE = 0.0003
UNLIKELY = 0.001  # the weight of a hand in the average, where the hand never comes
NOTHING = 1e-12  # a sum of weights that is taken for 0
# Left out of a file: hands and nodes that are reached less often.
LEAST_HAND, LEAST_NODE = 0.05, 1e-3
LEAST_PAIR = 1e-5  # and the last two bids together


class Replies:
    """What follows the raises of a group's nodes: the nodes after it, and after each reply."""

    def __init__(self, solver: Solver, nodes: Nodes) -> None:
        tree, side, other = solver.tree, nodes.side, nodes.other
        self.called = [
            solver.counts(other, nodes.last) @ solver.payoff(call.word, nodes.last, side, side)
            for call in nodes.calls
            if nodes.last is not None
        ]
        hands = len(solver.chances[side])
        lost = nodes.group.recent[-1]
        self.after = np.array([tree.node(each, lost) for each in nodes.next], np.int64)
        self.raised = np.full((len(nodes.raises), solver.width), -1)
        longest = max([len(tree.by_group[each].calls) for each in nodes.next], default=0)
        self.won = np.zeros((longest, len(nodes.raises), 6, hands), np.float32)
        for place, each in enumerate(nodes.next):
            follower = tree.by_group[each]
            for number, call in enumerate(follower.calls):
                said = solver.payoff(call.word, nodes.raises[place], side, other)
                self.won[number, place] = -said
            for number, group in enumerate(follower.next, len(follower.calls)):
                self.raised[place, number] = tree.node(group, each.recent[-1])
        self.is_raise = (self.raised >= 0)[:, None, :]
        counts = [solver.counts(other, bid) for bid in nodes.raises]
        self.counts = np.array(counts, np.float32)


class Solver:
    """The weights of all actions (as logarithms) and the average policy of both players."""

    def __init__(self, situation: Situation) -> None:
        self.tree = tree = Tree(situation)
        rules = situation.rules
        wild = rules.counts_wild(2, situation.palifico)
        self.hands = [
            np.array([*trained.places(side.own, rules.faces, wild)]) for side in tree.sides
        ]
        self.chances = [_chances(each, wild) for each in self.hands]
        self.width = max(
            len(each.calls) + len(each.raises) for each in tree.groups if each.last is not None
        )
        self.replies = [Replies(self, each) for each in tree.groups]
        shapes = [
            (len(each.earlier), len(each.calls) + len(each.raises), len(self.chances[each.side]))
            for each in tree.groups
        ]
        self.weights: list[Values] = [np.zeros(each, np.float32) for each in shapes]
        self.sums: list[Values] = [np.zeros(each, np.float32) for each in shapes]
        self.policies = self.weights
        self._forget()

    def _forget(self) -> None:
        """Nothing is known of the nodes before an iteration."""
        sizes, hands = self.tree.sizes, [len(each) for each in self.chances]
        sides = [(side, self.tree.against(side)) for side in range(len(sizes))]
        self.mine = [np.zeros((sizes[side], hands[side]), np.float32) for side, _ in sides]
        self.its = [np.zeros((sizes[side], hands[other]), np.float32) for side, other in sides]
        self.reach = [np.zeros(sizes[side]) for side, _ in sides]
        self.values = [np.zeros_like(each) for each in self.mine]
        self.replied = [
            np.zeros((sizes[side], self.width, hands[side]), np.float32) for side, _ in sides
        ]

    def counts(self, side: int, bid: Bid) -> Values:
        """For each hand a row with 1 at the number of its dice that count for the bid's face."""
        counts: Values = np.eye(6, dtype=np.float32)[self.hands[side][:, bid.face - 1]]
        return counts

    def payoff(self, word: str, bid: Bid, side: int, caller: int) -> Values:
        """What the caller wins in dice, by the other hand's dice of the face and a side's hands."""
        total = np.arange(6)[:, None] + self.hands[side][None, :, bid.face - 1]
        right = {
            "dudo": total < bid.quantity,
            "calza": total == bid.quantity,
        }[word]
        full = self.tree.sides[caller].own == trained.MOST_DICE
        won = 0.0 if word == "calza" and full else 1.0
        paid: Values = np.where(right, won, -1).astype(np.float32)
        return paid

    def step(self, done: float) -> None:
        """One iteration of both players; `done` is the share of all iterations that are over."""
        self._forget()
        hot, cold = TEMPERATURES
        temperature = hot * (cold / hot) ** min(1, done / SETTLED)
        weight = np.float32(done > 1 - AVERAGED)
        for side, chances in enumerate(self.chances):
            self.reach[side][0] = 1
            self.mine[side][0], self.its[side][0] = chances, self.chances[self.tree.against(side)]
        self.policies = [_likely(each) for each in self.weights]
        for place, nodes in enumerate(self.tree.groups):
            self._go_on(place, nodes, weight)
        for place in reversed(range(len(self.tree.groups))):
            self._learn(place, self.tree.groups[place], temperature)

    def _go_on(self, place: int, nodes: Nodes, weight: np.float32) -> None:
        """Add to the average, and bring the chances of the hands to the nodes that follow."""
        policy, rows, side = self.policies[place], nodes.rows, nodes.side
        mine, reach = self.mine[side][rows], self.reach[side][rows]
        if nodes.last is not None:
            self.replied[side][rows, : policy.shape[1]] = policy
        self.sums[place] += (mine + UNLIKELY * self.chances[side])[:, None] * policy * weight
        if nodes.raises:
            raised = mine[:, None] * np.maximum(policy[:, len(nodes.calls) :], TREMBLE)
            shares = raised.sum(axis=2) * reach[:, None]
            together, after = shares.sum(axis=0), self.replies[place].after
            hands = (raised * reach[:, None, None]).sum(axis=0)
            self.its[nodes.other][after] = hands / hands.sum(axis=1, keepdims=True)
            self.mine[nodes.other][after] = (shares / together).T @ self.its[side][rows]
            self.reach[nodes.other][after] = together

    def _learn(self, place: int, nodes: Nodes, temperature: float) -> None:
        """The values of a group's nodes for the hands of who acts; update the weights."""
        policy, side = self.policies[place], nodes.side
        its, found = self.its[side][nodes.rows], np.empty_like(policy)
        replies = self.replies[place]
        for number, won in enumerate(replies.called):
            found[:, number] = its @ won
        if nodes.raises:
            policies = self.replied[nodes.other][replies.after]
            chances = np.matmul(its[None], policies.transpose(0, 2, 1)) * replies.is_raise
            values = np.matmul(chances, self.values[side][replies.raised])
            for number, won in enumerate(replies.won):
                odds = np.matmul(its[None] * policies[:, None, number], replies.counts)
                values += np.matmul(odds, won)
            found[:, len(nodes.calls) :] = values.transpose(1, 0, 2)
        value = (found * policy).sum(axis=1)
        self.values[side][nodes.rows] = value
        weights = self.weights[place]
        weights += np.float32(PACE) * (found - value[:, None])
        weights *= np.float32(1 / (1 + PACE * temperature))
        weights -= weights.max(axis=1, keepdims=True)

    @cached_property
    def average(self) -> Sequence[Values]:
        """The average policy of the last iterations."""
        return [_shares(each) for each in self.sums]

    def written(self, side: int) -> bytes:
        """The file of a side."""
        heads, bodies = b"", b""
        parts = [*self._nodes_of(side), *self._together(side)]
        for recent, probabilities in parts:
            heads += bytes([*recent, len(probabilities)])
            shares = np.rint(np.sqrt(probabilities.T) * trained.CERTAIN)
            bodies += shares.astype(np.uint8).tobytes()
        return zlib.compress(len(parts).to_bytes(2, "big") + heads + bodies, 9)

    def _nodes_of(self, side: int) -> Iterator[tuple[Recent, Values]]:
        """The nodes that are not too rare, with the probabilities by action and hand."""
        for nodes, policy in zip(self.tree.groups, self.average, strict=True):
            for place in range(len(nodes.earlier)):
                row = nodes.begins + place
                if nodes.side != side or self.reach[side][row] < LEAST_NODE:
                    continue
                often = self.mine[side][row] >= LEAST_HAND * self.chances[side]
                often |= nodes.last is None
                yield trained.recent(nodes.bids(place)[::-1]), policy[place] * often

    def _together(self, side: int) -> Iterator[tuple[Recent, Values]]:
        """For the last bid, or the last two, the mean of all nodes that end so.

        The weight of a node is how often it is reached.  Rare ends of two bids are left out.
        """
        found: dict[Recent, Values] = {}
        often: dict[Recent, float] = {}
        for nodes, policy in zip(self.tree.groups, self.average, strict=True):
            if nodes.side != side or nodes.last is None:
                continue
            reach = self.reach[side][nodes.rows]
            hands = self.mine[side][nodes.rows] + UNLIKELY * self.chances[side]
            parts = (policy * (hands * (reach[:, None] + 1e-30))[:, None]).sum(axis=0)
            came = (self.mine[side][nodes.rows] * reach[:, None]).sum()
            known = [bid for bid in nodes.group.recent[:2] if bid]
            for number in range(1, len(known) + 1):
                recent = trained.all_with(*known[:number])
                found[recent] = found.get(recent, 0) + parts
                often[recent] = often.get(recent, 0) + came
        for recent, each in sorted(found.items()):
            is_pair = recent[2] != trained.ANY
            if not is_pair or often[recent] >= LEAST_PAIR:
                yield recent, each / each.sum(axis=0)


def _likely(weights: Values) -> Values:
    """The probabilities of the actions (second axis) from the logarithms of their weights."""
    found = np.exp(weights)
    shares: Values = found / found.sum(axis=1, keepdims=True)
    return shares


def _shares(weights: Values) -> Values:
    """The probabilities of the actions (second axis) from their weights; equal where all are 0."""
    total = weights.sum(axis=1, keepdims=True)
    shares = weights / np.maximum(total, NOTHING)
    found: Values = np.where(total > NOTHING, shares, 1 / max(1, weights.shape[1]))
    return found


def _chances(hands: Places, wild: bool) -> Values:
    """The probability of each hand."""
    ones = hands[:, :1] if wild else 0
    dice = np.concatenate([hands[:, :1], hands[:, 1:] - ones], axis=1)
    ways = np.array([factorial(sum(each)) / prod(map(factorial, each)) for each in dice.tolist()])
    chances: Values = (ways / ways.sum()).astype(np.float32)
    return chances


def files(situation: Situation, iterations: int) -> Iterator[tuple[Situation, bytes]]:
    """The files of a situation and, if it is another one, of that of the other player."""
    solver = Solver(situation)
    for number in range(1, iterations + 1):
        solver.step(number / iterations)
    for side, each in enumerate(solver.tree.sides):
        yield each, solver.written(side)
