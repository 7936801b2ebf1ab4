"""The results of a benchmark: figures beside their goals, measured fairly."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter, thread_time
from typing import Any

Target = int | str
Figure = dict[str, Any]
"""`target` (its number or name), `what`, `figure`, `goal` and `met`, as in the JSON."""


def at_most(target: Target, what: str, figure: float, goal: float) -> Figure:
    """A figure that should be small."""
    return _figure(target, what, round(figure, 3), f"<= {goal}", figure <= goal)


def at_least(target: Target, what: str, figure: float, goal: float) -> Figure:
    """A figure that should be large."""
    return _figure(target, what, round(figure, 3), f">= {goal}", figure >= goal)


def told(target: Target, what: str, figure: str) -> Figure:
    """Information beside a figure, or why it is missing: no goal, neither met nor missed."""
    return _figure(target, what, figure, "", None)


def _figure(target: Target, what: str, figure: float | str, goal: str, met: bool | None) -> Figure:
    return {"target": target, "what": what, "figure": figure, "goal": goal, "met": met}


def median_ratio(pairs: Sequence[tuple[float, float]]) -> float:
    """The median ratio of ours to theirs; the two values of a pair are measured in succession."""
    return median(ours / theirs for ours, theirs in pairs)


def percentile(values: Sequence[float], percent: int) -> float:
    """The value that so many percent do not exceed."""
    return sorted(values)[min(len(values) - 1, len(values) * percent // 100)]


def processor_seconds(work: Callable[[], object]) -> float:
    """The processor time of this work, in seconds, as far as this thread does it.

    The processor of emails limits its time for each email (setitimer).  After that a process's own
    clock moves in ticks of up to 10 ms.  A thread's clock does not.
    """
    begun = thread_time()
    work()
    return thread_time() - begun


def in_time(most: int, seconds: float, least: int = 3) -> Iterator[int]:
    """Count rounds from 0 to `most`, but after so many seconds only until there are `least`.

    So a busy machine makes a figure less certain, and not the whole run much longer.
    """
    begun = perf_counter()
    for number in range(most):
        if number >= least and perf_counter() - begun > seconds:
            return
        yield number


def progress(text: str) -> None:
    """Show the progress on a terminal; the next text replaces it, "" removes it."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


Measure = Callable[[Path, bool], list[Figure]]
"""Measure in an empty folder of its own; quick runs are small and prove only that they work."""
