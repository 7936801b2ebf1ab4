"""Fast dataclasses for values: mypy checks that nothing changes them, and Python does not.

Python's own `frozen` sets each field by a call, so making a value takes three times as long.  A
letter is made of hundreds of values.  Its own `replace` looks at every field's description, so
copying a value takes eight times as long.  Ours calls no `__post_init__`: a class that needs one,
such as `Processor`, is a dataclass of Python's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["dataclass", "replace"]

if TYPE_CHECKING:
    from dataclasses import dataclass, replace
else:
    import dataclasses
    from functools import cache

    def dataclass(made: Any = None, /, *, frozen: bool = False, **options: Any) -> Any:
        """A dataclass; `frozen` makes it hashable."""
        return dataclasses.dataclass(made, unsafe_hash=frozen, **options)

    def replace(value: Any, /, **changes: object) -> Any:
        """A copy of a value with some of its fields changed.

        Raises AttributeError for a name that is not a field, if the value has slots.
        """
        return _copier(type(value))(value, changes)

    @cache
    def _copier(made: type) -> Any:
        """The function that copies values of a class: one assignment a field, written as code."""
        if made.__dataclass_params__.frozen:  # by Python's own decorator
            return lambda value, changes: dataclasses.replace(value, **changes)
        names = [each.name for each in dataclasses.fields(made)]
        lines = [
            "def copied(value, changes):",
            "    made = new(of)",
            *(f"    made.{name} = value.{name}" for name in names),
            "    for name, changed in changes.items():",
            "        setattr(made, name, changed)",
            "    return made",
        ]
        found = {"new": object.__new__, "of": made}
        exec("\n".join(lines), found)  # noqa: S102 - dataclasses makes its functions so, too
        return found["copied"]
