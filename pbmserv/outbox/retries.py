"""When a letter that could not be sent is tried again, and when it is given up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pbmserv.database.models.states import DUE, FAILED
from pbmserv.timeunits import DAY

# Seconds until an undelivered letter is tried again; then hourly, until it was tried for `LONGEST`.
PAUSES = (60, 5 * 60, 15 * 60, 60 * 60)
# The same for a letter during which the process ended: a signal may have ended it the first time.
PAUSES_OF_SUSPECT = (0, *PAUSES)
LONGEST = 5 * DAY
# As many as there is time for in `LONGEST`.  The age of a letter says nothing: the server may have
# been away, or the clock may have been ahead.
MOST_TRIES = len(PAUSES) + (LONGEST - sum(PAUSES)) // PAUSES[-1] + 1


def postponed(
    row: Mapping[Any, Any], reason: str, now: int, pauses: Sequence[int] = PAUSES
) -> dict[str, object]:
    """The changes of a letter that could not be sent; it fails after `MOST_TRIES`."""
    change: dict[str, object] = {"tries": row["tries"] + 1, "reason": reason}
    due_at = next_try(row, now, pauses)
    return change | ({"state": FAILED} if due_at is None else {"state": DUE, "due_at": due_at})


def next_try(letter: Mapping[Any, Any], now: int, pauses: Sequence[int] = PAUSES) -> int | None:
    """When a letter that could not be sent is tried again; None if it was tried for long enough.

    `pauses` are the seconds after the first try, the second and so on; the last one is repeated.
    """
    is_last = letter["tries"] + 1 >= MOST_TRIES
    return None if is_last else now + pauses[min(letter["tries"], len(pauses) - 1)]
