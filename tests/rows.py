"""Tables as one test: pytest takes 3 ms for each test, and a row takes microseconds.

`pytest.mark.parametrize` stays right where a row starts something, or may be wanted by itself.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

_SHOWN = 120  # characters of a row
_WRONG = (Exception, pytest.fail.Exception)

Test = Callable[..., None]
Names = Callable[[Any], str] | Iterable[str] | None


def each_row(
    names: str | tuple[str, ...],
    rows: Iterable[Any] | Callable[[], Iterable[Any]],
    ids: Names = None,
) -> Callable[[Test], Test]:
    """As `pytest.mark.parametrize`, in one test: it fails with every row that is wrong.

    A function instead of rows is called when the test begins, so that nothing is read before.
    A table without a row fails, for it would claim nothing.
    """
    wanted = tuple(names.replace(",", " ").split()) if isinstance(names, str) else names

    def of_all(test: Test) -> Test:
        @functools.wraps(test)
        def test_all(**fixtures: Any) -> None:
            table = list(rows() if callable(rows) else rows)
            wrong = []
            for row, name in zip(table, _named(table, ids), strict=True):
                values = row if len(wanted) > 1 else (row,)
                try:
                    test(**fixtures, **dict(zip(wanted, values, strict=True)))
                except _WRONG as error:
                    error.add_note(f"row: {name[:_SHOWN]}")
                    wrong.append(error)
            assert table, "the table has no row"
            if wrong:
                raise BaseExceptionGroup(f"{len(wrong)} of {len(table)} rows are wrong", wrong)

        signature = inspect.signature(test)
        fixtures = [each for name, each in signature.parameters.items() if name not in wanted]
        vars(test_all)["__signature__"] = signature.replace(parameters=fixtures)
        return test_all

    return of_all


def _named(rows: list[Any], ids: Names) -> list[str]:
    if callable(ids):
        return [ids(row) for row in rows]
    return [repr(row) for row in rows] if ids is None else list(ids)
