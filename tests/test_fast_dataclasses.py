"""The dataclasses of values."""

from __future__ import annotations

import dataclasses
from dataclasses import field

import pytest

from pbmserv.fast_dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class _Value:
    number: int
    more: tuple[int, ...] = field(default=(), compare=False)


def test_a_value_is_compared_found_and_replaced_like_a_frozen_dataclass() -> None:
    one = _Value(1)
    assert one == _Value(1, (2,))
    assert {one: "found"}[_Value(1)] == "found"
    assert replace(one, number=2) == _Value(2)
    assert replace(_Value(1, (2,)), number=2).more == (2,) and one.number == 1


def test_a_dataclass_that_python_freezes_is_replaced_too() -> None:
    @dataclasses.dataclass(frozen=True)
    class Frozen:
        number: int

    assert replace(Frozen(1), number=2) == Frozen(2)


def test_a_value_is_not_replaced_in_a_field_that_it_has_not() -> None:
    with pytest.raises(AttributeError, match="numbre"):
        replace(_Value(1), numbre=2)  # type: ignore[call-arg] # the claim


def test_an_object_that_can_change_is_not_a_key() -> None:
    @dataclass(slots=True)
    class Changing:
        number: int

    with pytest.raises(TypeError, match="unhashable"):
        hash(Changing(1))
