"""The time of the processor that some work takes, on a machine that does other work as well."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

_USUAL = 0.001  # seconds of the yardstick on a usual machine


def least(work: Callable[[], object], enough: float, tries: int = 5) -> float:
    """The least time, in seconds, of some tries; one that is not above `enough` is the last.

    Other processes empty the caches, so that the same work may take several times as long.
    """
    found = float("inf")
    for _ in range(tries):
        begun = process_time()
        work()
        found = min(found, process_time() - begun)
        if found <= enough:
            break
    return found


def usual_seconds(work: Callable[[], object], enough: float, tries: int = 5) -> float:
    """The same in seconds of a usual machine of 2026, which a slower machine needs more of.

    A fixed piece of work is measured beside each try.  So a limit holds on a busy machine, too,
    and while coverage is measured.
    """
    found = float("inf")
    for _ in range(tries):
        spent = least(work, 0, tries=1)
        found = min(found, spent / max(1.0, _yardstick() / _USUAL))
        if found <= enough:
            break
    return found


def _yardstick() -> float:
    """The time, in seconds, of a fixed piece of work."""
    return least(lambda: sum(number * number % 7 for number in range(20_000)), 0)
