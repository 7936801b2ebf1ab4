"""The interface of an outgoing transport, and the ways in which it may fail.

The outbox calls a transport; `setting_checks.DELIVERIES` lists those that implement it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    from pbmserv.settings import Settings


class Postponed(Exception):
    """The letter could not be taken now (4xx, no connection): it stays due and is tried again."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Unreachable(Postponed):
    """The receiving server cannot be reached: it would not take other letters either."""


class Unanswered(Postponed):
    """The letter was sent, but the answer to it is missing: the receiver may have it or not."""


class Undeliverable(Exception):
    """The letter will never be taken for this recipient (5xx): trying again is useless."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Unfit(Exception):
    """No letter could leave: `said` gives the reason, `remedy` what the operator does."""

    def __init__(self, said: str, remedy: str) -> None:
        super().__init__(said)
        self.said = said
        self.remedy = remedy


Envelope = tuple[str, str]
"""The address for bounces of a letter, "" for none, and the address that it is sent to."""


class Coming(NamedTuple):
    """The letter after the current one: its envelope is known, its data are made by `prepare`.

    A transport that waits for another server calls `prepare` meanwhile.  It raises nothing, and
    does nothing when it is called again.
    """

    envelope: Envelope
    prepare: Callable[[], object]


class Transport(Protocol):
    """Deliver composed letters, one recipient each; used by one thread at a time."""

    def carry(
        self,
        letter: int,
        envelope_sender: str,
        address: str,
        data: bytes,
        following: Coming | None = None,
    ) -> str:
        """Deliver `data` to `address`; after the return, the receiver has the letter.

        Returns a note for the operator: where it was accepted, and under which name.  `letter` is
        the outbox's number of the letter.  If the same number is carried twice (after a crash), the
        transport should avoid a second copy where it can.  `envelope_sender` is the address for
        bounces, "" for none.  `following` is the next letter, if that is known.  A relay can be
        asked for both at once.  Raises Postponed or one of its kinds, Undeliverable, or TryLater if
        our own disk is full.
        """

    def close(self) -> None:
        """Close connections; they are opened again on the next use."""


@runtime_checkable
class Talking(Protocol):
    """A transport that talks to another server, which may make it wait."""

    def hurry(self, seconds: float) -> None:
        """Finish the current letter, and any later one, within so many seconds.

        Any thread may call this when the server stops.
        """


class Outgoing(Protocol):
    """The functions of each module `transports/NAME_out.py`: see `setting_checks.DELIVERIES`."""

    def opened(self, settings: Settings) -> Transport:
        """The transport of these settings."""

    def checked(self, settings: Settings, patience: float) -> str:
        """Where letters would go now, for `pbmserv doctor`; sends none.

        Another server may take `patience` seconds.  Raises Unfit.
        """
