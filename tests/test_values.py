"""The dataclasses of values."""

from __future__ import annotations

from dataclasses import field, replace

import pytest

from pbmserv.values import dataclass


@dataclass(frozen=True, slots=True)
class _Value:
    number: int
    more: tuple[int, ...] = field(default=(), compare=False)


def test_a_value_is_compared_found_and_replaced_like_a_frozen_dataclass() -> None:
    one = _Value(1)
    assert one == _Value(1, (2,))
    assert {one: "found"}[_Value(1)] == "found"
    assert replace(one, number=2) == _Value(2)


def test_what_can_change_is_no_key() -> None:
    @dataclass(slots=True)
    class Changing:
        number: int

    with pytest.raises(TypeError, match="unhashable"):
        hash(Changing(1))
