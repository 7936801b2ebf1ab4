"""Figure "read": the time to read hostile emails, for every 100 KB of them.

Each is read in every possible way, and answered.  For comparison, the standard library's time for
the same bytes is shown; it only parses them.  An email of 256 KB may take half a second; time that
grows faster than the email would be quadratic.
"""

from __future__ import annotations

import email
import email.policy
from functools import partial
from pathlib import Path

from scripts.benchmarks.figures import Figure, at_most, processor_seconds, progress, told
from tests.mail.hostile import HOSTILE, HOSTILE_BOUNCES, Readers, filled, readers
from tests.mail.mutants import LARGEST, LIMIT, MANY, mutants, slowest

SMALL = 64 * 1024
REPEATS = 3
_KB = 1024
_NOISE = 0.004  # seconds: faster results do not show how the time grows


def figures(folder: Path, quick: bool) -> list[Figure]:
    """The time of every hostile email, the slowest of them, and how the time grows."""
    found: list[Figure] = []
    worst, growth = (0.0, ""), 0.0
    names = sorted(HOSTILE | HOSTILE_BOUNCES)
    with readers() as app:
        for name in names[:3] if quick else names:
            progress(name)
            small, large = _seconds(app, name, SMALL), _seconds(app, name, LARGEST)
            worst = max(worst, (large, name))
            growth = max(growth, large / max(small, _NOISE) * SMALL / LARGEST)
            ours = 1000 * large * 100 * _KB / LARGEST
            found.append(
                told(
                    "read", f"{ours:8.1f} ms per 100 KB, standard library {_theirs(name):>10}", name
                )
            )
        count = MANY // 100 if quick else MANY
        mutant, _ = slowest(app, mutants(count), lambda number: progress(f"mutant {number}"))
    found.append(
        at_most("read", f"seconds for the slowest mail of 256 KB: {worst[1]}", worst[0], LIMIT)
    )
    found.append(at_most("read", "time per KB, 256 KB to 64 KB: 4 is quadratic", growth, 2))
    found.append(at_most("read", f"seconds for the slowest of {count} mutants", mutant, LIMIT))
    return found


def _seconds(app: Readers, name: str, size: int) -> float:
    """The time of the slowest way to read that email, and of its answer."""
    raw = filled(*(HOSTILE | HOSTILE_BOUNCES)[name], size)
    times = {way: processor_seconds(partial(way, raw)) for way in app.ways().values()}
    slowest = max(times, key=lambda way: times[way])  # again, in case others slowed it
    reading = min(processor_seconds(partial(slowest, raw)) for _ in range(REPEATS))
    return max(reading, processor_seconds(lambda: app.answered(raw)))  # once: a copy does nothing


def _theirs(name: str) -> str:
    """The standard library's time to parse 100 KB of the same, with its lenient policy."""
    raw = filled(*(HOSTILE | HOSTILE_BOUNCES)[name], 100 * _KB)
    try:
        seconds = processor_seconds(
            lambda: email.message_from_bytes(raw, policy=email.policy.compat32)
        )
    except Exception as problem:
        return type(problem).__name__
    return f"{1000 * seconds:.1f} ms"
