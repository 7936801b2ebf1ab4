"""Values: dataclasses that nobody changes, which mypy checks and Python does not.

Python's own `frozen` sets each field by a call, so that to make a value takes three times as long.
A letter is made of hundreds of values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    import dataclasses

    def dataclass(made: Any = None, /, *, frozen: bool = False, **options: Any) -> Any:
        """A dataclass; `frozen` makes it hashable."""
        return dataclasses.dataclass(made, unsafe_hash=frozen, **options)
