"""How many examples a law is tried with."""

from __future__ import annotations

import os

DECIDES = bool(os.environ.get("CI"))  # this run decides over a change


def examples(most: int) -> int:
    """All of them in a run that decides over a change, and half of them elsewhere.

    The deciding run tries the same ones each time; any other run tries new ones.
    """
    return most if DECIDES else most // 2
