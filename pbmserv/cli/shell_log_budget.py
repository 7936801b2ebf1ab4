"""How many lines of the log the callers of the process for shells may cause.

A member of the shell group can call many times a second.  The log must keep room for all others.
"""

from __future__ import annotations

AT_ONCE = 60  # calls of a user that are logged at once
EVERY = 2.0  # seconds until one more is logged


class LogBudget:
    """Decides which calls are logged, for each user; moments are seconds of any clock."""

    def __init__(self) -> None:
        self._full_at: dict[int, float] = {}
        self._left_out: dict[int, int] = {}

    def left_out(self, user: int, now: float) -> int | None:
        """None if a call is not logged; else how many calls before it were not."""
        full_at = max(self._full_at.get(user, now), now) + EVERY
        if full_at - now > AT_ONCE * EVERY:
            self._left_out[user] = self._left_out.get(user, 0) + 1
            return None
        self._full_at[user] = full_at
        return self._left_out.pop(user, 0)
