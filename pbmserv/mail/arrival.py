"""What a door hands in: one mail for one recipient, before anybody has read it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Arrival:
    """The raw bytes and what the envelope said.

    A mail for several recipients arrives once for each.  `envelope_sender` is "" for the null
    sender of a bounce (RFC 5321, 4.5.5) and None where the door was not told; `recipient` is
    our address as written in the envelope, plus part included, "" if not told; `door` names
    where it came in ("smtp", "lmtp", "pipe").  `vouched` is of a mail that was kept without its
    passwords (`keeping.py`); a door leaves it empty.
    """

    raw: bytes
    envelope_sender: str | None
    recipient: str
    door: str
    vouched: str = ""
