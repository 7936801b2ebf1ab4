"""How the readers of the training decide.

A reader knows the network, and all but its cups.  The usual one is that of `arena_reader`.  Half of
the rounds have another one by chance.  So the network does not learn the weak points of one reader.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

LEAST_BELIEF = 1e-4  # a cup with a smaller chance is left out
_USUAL, _FEW_STEPS = 0.5, 0.7  # chances of the usual reader, and of two steps of another
_LEAST_ON = -0.05  # the least value of another's `goes_on`


class Reader(NamedTuple):
    """How a reader decides."""

    goes_on: float  # the (least) value of a round that goes on after the reply to its raise
    steps: int = 2  # raises of each face that are considered
    wavers: float = 0.0  # at most so much is added to the value of a raise by chance, or taken


def some_reader(chance: np.random.Generator, usual: Reader, most: Reader) -> Reader:
    """The usual reader of a round, or another with values up to those of `most`."""
    if chance.random() < _USUAL:
        return usual
    steps = usual.steps if chance.random() < _FEW_STEPS else most.steps
    return Reader(chance.uniform(_LEAST_ON, most.goes_on), steps, chance.uniform(0, most.wavers))
