"""Set the inputs of a network, which are 0 or 1, in a row for each round."""

from __future__ import annotations

import numpy as np

from scripts.training.layers import Numbers, Small, Values


def put(inputs: Values, first: int, place: Numbers, length: int) -> None:
    """Set the input at this place, from 0, of so many from `first`; none if there is no such."""
    rows = np.flatnonzero((place >= 0) & (place < length))
    inputs[rows, first + place[rows]] = 1


def put_up_to(inputs: Values, first: int, number: Numbers | Small, length: int) -> None:
    """Set the inputs of 'at least 1, 2, ...'; `number` may have several in a row."""
    found = (number[..., None] > np.arange(length, dtype=np.int8)).reshape(len(inputs), -1)
    inputs[:, first : first + found.shape[1]] = found
