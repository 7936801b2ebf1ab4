"""Read a list of userids as people write it: joined by spaces, commas, `and` or `vs`."""

from __future__ import annotations

_JOINED_BY = frozenset({"and", "vs", "vs.", "versus", "&"})  # nobody may have such a userid


def named(words: list[str]) -> list[str]:
    """The userids in `ann, bob`, `ann and bob` or `ann vs bob`."""
    names = [name for word in words for name in word.split(",") if name]
    return [name for name in names if name.lower() not in _JOINED_BY]
