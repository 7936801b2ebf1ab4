"""Draw the secret seed of a round's dice: 32 random bytes of the operating system."""

from __future__ import annotations

import secrets

_BYTES = 32  # a digest of SHA-256 has as many


def new_seed() -> bytes:
    """A new secret seed; `games/perudo/dice.py` makes the cups of a round from it."""
    return secrets.token_bytes(_BYTES)
