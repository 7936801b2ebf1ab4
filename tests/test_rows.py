"""Tables that are one test (tests/rows.py)."""

from __future__ import annotations

import pytest

from tests.rows import each_row


def test_a_table_fails_with_every_wrong_row() -> None:
    """Each wrong row is named; the right ones between them were tried as well."""
    tried = []

    @each_row(("number", "double"), [(1, 2), (2, 5), (3, 6), (4, 7)], ids="abcd")
    def doubles(number: int, double: int) -> None:
        tried.append(number)
        assert 2 * number == double

    with pytest.raises(ExceptionGroup, match="2 of 4 rows are wrong") as failure:
        doubles()
    assert [error.__notes__ for error in failure.value.exceptions] == [["row: b"], ["row: d"]]
    assert tried == [1, 2, 3, 4]


def test_a_table_without_rows_fails() -> None:
    """Otherwise a list that became empty would always pass."""

    @each_row("number", lambda: [])
    def nothing(number: int) -> None:
        raise AssertionError(number)

    with pytest.raises(AssertionError, match="no row"):
        nothing()


def test_two_tables_try_every_pair() -> None:
    """As with two marks of pytest."""
    tried = []

    @each_row("left", "ab")
    @each_row("right", lambda: [1, 2])
    def pairs(left: str, right: int) -> None:
        tried.append((left, right))

    pairs()
    assert tried == [("a", 1), ("a", 2), ("b", 1), ("b", 2)]


@each_row("number", [3, 2])
def test_a_table_takes_fixtures(number: int, rewrites: bool) -> None:
    """A row has the fixtures of its test."""
    assert number > rewrites


def test_a_call_of_fail_is_a_wrong_row() -> None:
    """`pytest.fail` raises no Exception of Python."""

    @each_row("number", [1])
    def fails(number: int) -> None:
        pytest.fail(f"no {number}")

    with pytest.raises(BaseExceptionGroup, match="1 of 1 rows"):
        fails()
