"""Commitments: the digest of a seed, and the chain of digests of a record's public lines.

A deal has the commitment to the seed of the next round.  The dice of a round follow from its seed
and from the chain up to its deal (`dice`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

CHAIN_START = bytes(32)
"""The digest before the first line of a record."""


def commitment(seed: bytes) -> str:
    """The SHA-256 of a seed, in hex: it binds the server and reveals nothing."""
    return hashlib.sha256(seed).hexdigest()


def chain(previous: bytes, line: str) -> bytes:
    """The digest after one more public line: SHA-256 of the digest so far and the line."""
    return hashlib.sha256(previous + line.encode()).digest()


def chain_of(lines: Iterable[str], previous: bytes = CHAIN_START) -> bytes:
    """The digest after these lines, in order."""
    for line in lines:
        previous = chain(previous, line)
    return previous
