"""The layers of a network that learns, in numpy: their values, their slopes, and Adam.

The shape is that of `bots.network`.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pbmserv.games.perudo.bots import network

Numbers = NDArray[np.int64]
Small = NDArray[np.int8]
Flags = NDArray[np.bool_]
Values = NDArray[np.float32]
Parts = dict[str, Values]

_DECAY, _DECAY_OF_SQUARES, _TINY = 0.9, 0.999, 1e-6  # of Adam (Kingma and Ba, 2015)


def new(chance: np.random.Generator, inputs: int, outputs: int, places: int = 0) -> Parts:
    """The weights of a network that has learned nothing; with a table, if it has any places."""
    one, two = network.UNITS

    def some(rows: int, columns: int, size: float) -> Values:
        return (chance.standard_normal((rows, columns)) * size).astype(np.float32)

    found = {
        "first": some(inputs, one, 0.22),
        "first_bias": np.zeros(one, np.float32),
        "second": some(one, two, 0.125),
        "second_bias": np.zeros(two, np.float32),
        "last": some(two, outputs, 0.01),
        "last_bias": np.zeros(outputs, np.float32),
    }
    return found | ({"table": np.zeros(places, np.float32)} if places else {})


class Trace(NamedTuple):
    """The values of the layers, for the gradient."""

    inputs: Values
    one: Values
    two: Values
    cells: Numbers | None


def _rectified(sums: Values, bias: Values) -> Values:
    """The sums with the bias, and 0 instead of negative ones; `sums` changes."""
    sums += bias
    return np.maximum(sums, 0, out=sums)


def forward(parts: Parts, inputs: Values, cells: Numbers | None = None) -> tuple[Values, Trace]:
    """The last sums, and the layers.

    `cells` has the places of each raise (second axis) in the table; it adds all of them.
    """
    one = _rectified(inputs @ parts["first"], parts["first_bias"])
    two = _rectified(one @ parts["second"], parts["second_bias"])
    sums = two @ parts["last"]
    sums += parts["last_bias"]
    if cells is not None:
        by_place = [parts["table"][cells[:, :, place]] for place in range(cells.shape[2])]
        sums[:, : cells.shape[1]] += sum(by_place[1:], start=by_place[0])
    return sums, Trace(inputs, one, two, cells)


def backward(parts: Parts, trace: Trace, slope: Values) -> Parts:
    """The slopes of all weights from those of the last sums."""
    two = (slope @ parts["last"].T) * (trace.two > 0)
    one = (two @ parts["second"].T) * (trace.one > 0)
    found = {
        "first": trace.inputs.T @ one,
        "first_bias": one.sum(axis=0),
        "second": trace.one.T @ two,
        "second_bias": two.sum(axis=0),
        "last": trace.two.T @ slope,
        "last_bias": slope.sum(axis=0),
    }
    if trace.cells is not None:
        _, raises, places = trace.cells.shape
        weights = np.repeat(slope[:, :raises, None], places, axis=2).ravel()
        table = np.bincount(trace.cells.ravel(), weights, len(parts["table"]))
        found["table"] = table.astype(np.float32)
    return found


class Learner:
    """A network that follows the slopes, by Adam."""

    def __init__(self, parts: Parts) -> None:
        self.parts, self.steps = parts, 0
        self.means = {name: np.zeros_like(each) for name, each in parts.items()}
        self.squares = {name: np.zeros_like(each) for name, each in parts.items()}

    def learn(self, slopes: Sequence[Parts], rate: float) -> None:
        """One step against the sum of the slopes."""
        self.steps += 1
        for name in self.parts:
            slope = np.sum([each[name] for each in slopes], axis=0)
            self.means[name] += (1 - _DECAY) * (slope - self.means[name])
            self.squares[name] += (1 - _DECAY_OF_SQUARES) * (slope**2 - self.squares[name])
            mean = self.means[name] / (1 - _DECAY**self.steps)
            size = np.sqrt(self.squares[name] / (1 - _DECAY_OF_SQUARES**self.steps))
            self.parts[name] -= (rate * mean / (size + _TINY)).astype(np.float32)


def written(parts: Mapping[str, Values]) -> bytes:
    """The file of a network, for `network.unpacked`."""
    turned = {"second", "last"}  # there the file has a row for each unit
    numbers = [
        (parts[name].T if name in turned else parts[name]).ravel()
        for name in network.Weights._fields
    ]
    whole = np.rint(np.concatenate(numbers) * (1 << network.ONE))
    return zlib.compress(np.clip(whole, -(2**15), 2**15 - 1).astype("<i2").tobytes(), 9)
