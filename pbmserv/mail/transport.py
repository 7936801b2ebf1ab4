"""What a door promises that takes letters out, and the two ways in which it may fail.

The outbox calls a carrier; the doors (`transports/maildir_out.py`, `transports/smtp_relay.py`)
are carriers.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable


class Postponed(Exception):
    """The letter could not be taken now (4xx, no connection): it stays due and is tried again."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Unreachable(Postponed):
    """Nobody is there to take letters: no other one need be tried now, each would wait in vain."""


class Undeliverable(Exception):
    """The letter will never be taken for this recipient (5xx): trying again is useless."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


Envelope = tuple[str, str]
"""Where bounces of a letter go, "" for nowhere, and the address it goes to."""


class Transport(Protocol):
    """Takes composed letters to their readers, one recipient each; used by one thread at a time."""

    def carry(
        self,
        letter: int,
        envelope_sender: str,
        address: str,
        data: bytes,
        following: Envelope | None = None,
    ) -> str:
        """Deliver `data` to `address`; when this returns, the letter is no longer ours to keep.

        Returns what is worth keeping for the operator: where it was taken, under which name.
        `letter` is the outbox's number of the letter: carrying the same number twice (after a
        crash) must not leave two letters where the carrier can help it.  `envelope_sender` is
        where bounces go, "" for nowhere.  `following` is the envelope of the letter that will be
        carried next, if that is known: a relay can be asked for both at once.  Raises Postponed,
        Unreachable or Undeliverable, or TryLater where our own disk is full.
        """

    def close(self) -> None:
        """Let go of connections; the carrier opens them again if it is used again."""


@runtime_checkable
class Talking(Protocol):
    """A carrier that talks to somebody, who may let it wait."""

    def hurry(self, seconds: float) -> None:
        """Be done with the letter in hand, and with any later one, within so many seconds.

        Any thread may say so: the server stops.
        """
