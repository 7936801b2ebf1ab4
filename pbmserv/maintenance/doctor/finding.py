"""The result of a check: one line, and one line of remedy where something is wrong."""

from __future__ import annotations

from pbmserv.fast_dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a check: `is_well` is None if it could not run, and `said` gives the reason."""

    name: str
    is_well: bool | None
    said: str
    remedy: str = ""


def well(name: str, said: str) -> Finding:
    """A finding that all is right."""
    return Finding(name, True, said)


def ill(name: str, said: str, remedy: str) -> Finding:
    """A finding that something is wrong, with the remedy."""
    return Finding(name, False, said, remedy)


def unseen(name: str, why: str, remedy: str = "") -> Finding:
    """A finding that the check did not run, with the reason, and what to do if it should."""
    return Finding(name, None, why, remedy)
