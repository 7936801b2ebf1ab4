"""Whole numbers, as people write them."""

from __future__ import annotations

from pbmserv.text.numbers import whole, whole_of_any_script
from tests.rows import each_row


@each_row(
    ("text", "number"),
    [
        ("0", 0),
        ("7", 7),
        ("007", 7),
        ("999", 999),
        ("0" * 5000 + "12", 12),
        ("1000", None),
        ("0001000", None),
        ("9" * 5000, None),
        ("", None),
        ("-1", None),
        ("+1", None),
        (" 1", None),
        ("1_0", None),
        ("١", None),
        ("²", None),
        ("1.0", None),
    ],
)
def test_a_number_is_plain_digits_within_its_bounds(text: str, number: int | None) -> None:
    assert whole(text, 999) == number


def test_a_number_may_have_a_least() -> None:
    assert whole("0", 9, 1) is None
    assert whole("1", 9, 1) == 1


@each_row(
    ("text", "number"),
    [("12", 12), ("١٢", 12), ("۱۲", 12), ("१२", 12), ("１２", 12), ("①", None), ("²", None)],
)
def test_the_digits_may_be_those_of_any_script(text: str, number: int | None) -> None:
    assert whole_of_any_script(text, 999) == number
