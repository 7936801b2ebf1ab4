"""Parameters of a statement that compares a column with several values.

SQLAlchemy's own parameter for a list rewrites the statement whenever it is executed, which takes
longer than to execute it.  Here a statement has a parameter for each value.  Their number is a
power of two, so few statements are built.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import BindParameter, bindparam


def size_for(values: Sequence[object]) -> int:
    """The number of parameters for so many values: a power of two, at least 1."""
    return 1 << max(0, len(values) - 1).bit_length()


def parameters(name: str, size: int) -> list[BindParameter[str]]:
    """So many parameters, for `in_`; `named` gives them their values."""
    return [bindparam(f"{name}{place}") for place in range(size)]


def named(name: str, values: Sequence[str]) -> dict[str, str]:
    """The values of the parameters of that `name`: the last one fills those that are left.

    Without values, each parameter is "".
    """
    size, last = size_for(values), values[-1] if values else ""
    filled = [*values, *[last] * (size - len(values))]
    return {f"{name}{place}": value for place, value in enumerate(filled)}
