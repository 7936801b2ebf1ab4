"""Read a list of userids as people write it: joined by spaces, commas, `and` or `vs`."""

from __future__ import annotations

_MARKS = '!?;:()[]«»“”"…'  # around a userid; none has one of them
_JOINED_BY = frozenset({"and", "vs", "vs.", "versus", "&"})  # nobody may have such a userid


def named(words: list[str]) -> list[str]:
    """The userids in `ann, bob`, `ann and bob`, `ann vs bob` or `(ann), bob!`."""
    names = [name for word in words for each in word.split(",") if (name := each.strip(_MARKS))]
    return [name for name in names if name.lower() not in _JOINED_BY]
