"""Checks: what `pbmserv doctor` looks at, a part of the house a file.

A check looks and changes nothing (`mailboxes` alone makes folders); what it found is a `Finding`,
with one line of remedy where something is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found: `is_well` is None where it did not look, and `said` tells why."""

    name: str
    is_well: bool | None
    said: str
    remedy: str = ""


def well(name: str, said: str) -> Finding:
    """All is as it should be."""
    return Finding(name, True, said)


def ill(name: str, said: str, remedy: str) -> Finding:
    """Something is wrong, and this is what to do."""
    return Finding(name, False, said, remedy)


def unseen(name: str, why: str) -> Finding:
    """Not looked at, for this reason."""
    return Finding(name, None, why)
