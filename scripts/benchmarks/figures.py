"""What a benchmark finds: figures beside their goals, and how they are measured fairly."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

Target = int | str
Figure = dict[str, Any]
"""`target` (its number or name), `what`, `figure`, `goal` and `met`, as the JSON has them."""


def at_most(target: Target, what: str, figure: float, goal: float) -> Figure:
    """A figure that is to be small."""
    return _figure(target, what, round(figure, 3), f"<= {goal}", figure <= goal)


def at_least(target: int, what: str, figure: float, goal: float) -> Figure:
    """A figure that is to be large."""
    return _figure(target, what, round(figure, 3), f">= {goal}", figure >= goal)


def told(target: Target, what: str, figure: str) -> Figure:
    """Something to know beside a figure, or why there is none: no goal, neither met nor missed."""
    return _figure(target, what, figure, "", None)


def _figure(target: Target, what: str, figure: float | str, goal: str, met: bool | None) -> Figure:
    return {"target": target, "what": what, "figure": figure, "goal": goal, "met": met}


def median_ratio(pairs: Sequence[tuple[float, float]]) -> float:
    """The median of ours to theirs, each pair measured right after each other."""
    return median(ours / theirs for ours, theirs in pairs)


def percentile(values: Sequence[float], percent: int) -> float:
    """The value that so many percent do not exceed."""
    return sorted(values)[min(len(values) - 1, len(values) * percent // 100)]


def processor_seconds(work: Callable[[], object]) -> float:
    """What this work uses of the processor, in seconds."""
    begun = process_time()
    work()
    return process_time() - begun


def progress(text: str) -> None:
    """Say on a terminal what is being done; the next text takes its place, "" takes it away."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


Measure = Callable[[Path, bool], list[Figure]]
"""Measures in an empty folder of its own; quick ones are small and prove only that they work."""
