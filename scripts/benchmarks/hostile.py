"""Figure read: how long mails take that were written to be slow, for every 100 KB of them.

Beside each stands what the standard library takes for the same bytes, which only parses them.  A
mail of 256 KB may take half a second; time that grows faster than the mail would be quadratic.
"""

from __future__ import annotations

import email
import email.policy
from pathlib import Path

from scripts.benchmarks.figures import Figure, at_most, processor_seconds, progress, told
from tests.mail.hostile import HOSTILE, filled, understanding

LARGEST = 256 * 1024
SMALL = 64 * 1024
LIMIT = 0.5  # seconds for the largest mail
REPEATS = 3
_KB = 1024
_NOISE = 0.004  # seconds: what is quicker shows nothing of how it grows


def figures(folder: Path, quick: bool) -> list[Figure]:
    """The time of every hostile mail, the slowest of them, and how the time grows."""
    understanding(b"")
    found: list[Figure] = []
    slowest, growth = 0.0, 0.0
    for name in sorted(HOSTILE)[:3] if quick else sorted(HOSTILE):
        progress(name)
        small, large = _seconds(name, SMALL), _seconds(name, LARGEST)
        slowest = max(slowest, large)
        growth = max(growth, large / max(small, _NOISE) * SMALL / LARGEST)
        ours = 1000 * large * 100 * _KB / LARGEST
        found.append(
            told("read", f"{ours:8.1f} ms per 100 KB, standard library {_theirs(name):>10}", name)
        )
    found.append(at_most("read", "seconds for the slowest mail of 256 KB", slowest, LIMIT))
    found.append(at_most("read", "time per KB, 256 KB to 64 KB: 4 is quadratic", growth, 2))
    return found


def _seconds(name: str, size: int) -> float:
    raw = filled(name, size)
    return min(processor_seconds(lambda: understanding(raw)) for _ in range(REPEATS))


def _theirs(name: str) -> str:
    """What the standard library takes to parse 100 KB of the same, its lenient policy."""
    raw = filled(name, 100 * _KB)
    try:
        seconds = processor_seconds(
            lambda: email.message_from_bytes(raw, policy=email.policy.compat32)
        )
    except Exception as problem:
        return type(problem).__name__
    return f"{1000 * seconds:.1f} ms"
