"""Solve rounds of two players with few dice, by counterfactual regret minimization (CFR+).

Each situation is a round of its own; a value is in dice.  All nodes of a layer are computed at once
(`tree`).  The two players learn in turn.  The stored policy is the average of all
iterations, weighted by the square of their number (Tammelin, 2014).  Nothing is drawn by chance, so
the same iterations give the same files.
"""

from __future__ import annotations

import zlib

import numpy as np

from pbmserv.games.perudo.bots.endgames import Node, Shape, Situation
from scripts.training.tree import Layer, Values, chances, layers, payoffs

ITERATIONS = {2: 1000, 3: 300, 4: 100}  # by the number of dice
OF_SEATS = ITERATIONS | {4: 160}  # of a file for one seat of the bot
CERTAIN = 255  # the byte of probability 1
# Left out: probabilities below the first, and hands that reach a node less often than the second.
LEAST, LEAST_REACH = 0.01, 0.0005
NOTHING = 1e-30  # a sum of weights that is taken for 0; its reciprocal fits into 32 bits


class Solver:
    """The regrets and the average policy of one situation.

    In each layer `raised` has a row for each node, for the action of its parent that leads to it.
    `called` has a row for each call and node.  Columns are the hands of the player who acts.
    """

    def __init__(self, situation: Situation) -> None:
        self.situation = situation
        self.layers = [*layers(situation)]
        self.chances = chances(situation)
        shape = Shape(situation)
        self.sizes = [len(each) for each in shape.hands]
        # All nodes of a layer have the same calls.
        self.words = [
            [call.word for call in shape.calls(Node(layer.lasts[0], layer.turn, 0))]
            for layer in self.layers
        ]
        self.raised = [
            np.zeros((len(layer.lasts), self.sizes[1 - layer.turn]), np.float32)
            for layer in self.layers
        ]
        self.called = [
            np.zeros((len(words), len(layer.lasts), self.sizes[layer.turn]), np.float32)
            for layer, words in zip(self.layers, self.words, strict=True)
        ]
        self.raised_sum = [np.zeros_like(each) for each in self.raised]
        self.called_sum = [np.zeros_like(each) for each in self.called]
        self.payoffs = {
            (last, word, layer.turn): payoffs(situation, last, word, layer.turn)
            for layer, words in zip(self.layers, self.words, strict=True)
            for last, _ in layer.alike
            for word in words
        }

    def _below(self, depth: int, rows: Values) -> Values:
        """The sum of the rows of the next layer, for each node of this one."""
        layer = self.layers[depth]
        found = np.zeros((len(layer.lasts), rows.shape[1]), np.float32)
        if len(rows):
            parents = self.layers[depth + 1].parents
            firsts = np.flatnonzero(np.r_[True, parents[1:] != parents[:-1]])
            found[parents[firsts]] = np.add.reduceat(rows, firsts, axis=0)
        return found

    def _next(self, rows: list[Values], depth: int) -> Values:
        """The rows of the next layer, if there is one."""
        return rows[depth + 1] if depth + 1 < len(rows) else np.zeros((0, self.sizes[0]), "f4")

    def policy(
        self, depth: int, raised: list[Values], called: list[Values]
    ) -> tuple[Values, Values]:
        """The probabilities of raises (rows of the next layer) and calls, from their weights."""
        layer = self.layers[depth]
        raises, calls = self._next(raised, depth), called[depth]
        if not len(raises):
            raises = np.zeros((0, self.sizes[layer.turn]), np.float32)
        total = self._below(depth, raises) + calls.sum(axis=0)
        equal = (1 / layer.choices)[:, None].astype(np.float32)
        share = np.divide(1, total, out=np.zeros_like(total), where=total > NOTHING)
        nothing = np.where(total > NOTHING, 0, equal)
        if len(raises):
            parents = self.layers[depth + 1].parents
            raises = raises * share[parents] + nothing[parents]
        return raises, calls * share + nothing

    def step(self, learner: int, weight: float) -> None:
        """One iteration for one player."""
        depths = range(len(self.layers))
        policies = [self.policy(depth, self.raised, self.called) for depth in depths]
        mine = [np.ones((1, self.sizes[learner]), np.float32)]
        other = [self.chances[1 - learner][None, :]]
        for depth, layer in enumerate(self.layers[1:]):
            raises = policies[depth][0]
            acts = self.layers[depth].turn == learner
            mine.append(mine[depth][layer.parents] * (raises if acts else 1))
            other.append(other[depth][layer.parents] * (1 if acts else raises))
        values = np.zeros((0, self.sizes[learner]), np.float32)
        for depth in reversed(depths):
            reach = mine[depth] * np.float32(weight), other[depth]
            values = self._learn(depth, learner, policies[depth], reach, values)

    def _learn(
        self,
        depth: int,
        learner: int,
        policy: tuple[Values, Values],
        reach: tuple[Values, Values],
        below: Values,
    ) -> Values:
        """The values of a layer for the learner, whose regrets and average it updates.

        `reach` has the chances of the players' hands at each node.  They are the learner's own,
        times the weight of the iteration, and the other's.  `below` are the values of the next
        layer.
        """
        layer, (raises, calls), (mine, other) = self.layers[depth], policy, reach
        if layer.turn != learner:
            found = self._below(depth, below)
            for place, word in enumerate(self.words[depth]):
                found += self._called(layer, learner, word, other * calls[place])
            return found
        won = [self._called(layer, learner, word, other) for word in self.words[depth]]
        found = self._below(depth, below * raises) if len(below) else np.zeros_like(mine)
        for place, each in enumerate(won):
            found = found + calls[place] * each
        for place, each in enumerate(won):
            regret = self.called[depth][place]
            np.maximum(regret + each - found, 0, out=regret)
            self.called_sum[depth][place] += mine * calls[place]
        if len(below):
            parents, regret = self.layers[depth + 1].parents, self.raised[depth + 1]
            np.maximum(regret + below - found[parents], 0, out=regret)
            self.raised_sum[depth + 1] += mine[parents] * raises
        return found

    def _called(self, layer: Layer, learner: int, word: str, reach: Values) -> Values:
        """The value of a call for the learner, at each node of a layer."""
        found = np.zeros((len(layer.lasts), self.sizes[learner]), np.float32)
        for last, places in layer.alike:
            matrix = self.payoffs[last, word, layer.turn]
            found[places] = reach[places] @ (-matrix if learner else matrix.T)
        return found

    def written(self) -> bytes:
        """The average policy as a file."""
        file = np.zeros(Shape(self.situation).size(), np.uint8)
        reach = [np.ones((1, size), np.float32) for size in self.sizes]
        for depth, layer in enumerate(self.layers):
            turn = layer.turn
            raises, calls = self.policy(depth, self.raised_sum, self.called_sum)
            is_reached = reach[turn] > LEAST_REACH
            hands = np.arange(self.sizes[turn])
            for place, each in enumerate(calls if layer.is_stored else ()):
                column = layer.actions - len(calls) + place
                at = layer.offsets[:, None] + hands * layer.actions[:, None] + column[:, None]
                file[at] = _bytes(each) * is_reached
            if depth + 1 < len(self.layers):
                after = self.layers[depth + 1]
                up = after.parents
                if layer.is_stored:
                    at = layer.offsets[up][:, None] + hands * layer.actions[up][:, None]
                    file[at + after.ranks[:, None]] = _bytes(raises) * is_reached[up]
                reach[1 - turn] = reach[1 - turn][up]
                reach[turn] = reach[turn][up] * np.where(raises < LEAST, 0, raises)
        return zlib.compress(file.tobytes(), 9)


def _bytes(probabilities: Values) -> Values:
    return np.where(probabilities < LEAST, 0, np.rint(probabilities * CERTAIN)).astype(np.uint8)


def solved(situation: Situation, iterations: int) -> bytes:
    """The file of a situation."""
    solver = Solver(situation)
    for number in range(1, iterations + 1):
        for learner in (0, 1):
            solver.step(learner, float(number) ** 2)
    return solver.written()


def iterations(situation: Situation) -> int:
    """How many iterations solve a situation."""
    by_dice = ITERATIONS if situation.bot is None else OF_SEATS
    return by_dice[sum(situation.counts)]
