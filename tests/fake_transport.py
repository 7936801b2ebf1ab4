"""A transport for tests and benchmarks: it counts letters and sends none; `meanwhile` may act."""

from __future__ import annotations

from collections.abc import Callable

from pbmserv.mail.transport import Coming


def nothing(letter: int, address: str) -> None:
    """Do nothing while a letter is taken."""


class FakeTransport:
    """Takes letters: `asked` are their addresses, `taken` counts those that it did not refuse.

    `meanwhile` is called with the number and the address of each.  It may raise what a transport
    raises.
    """

    def __init__(self, meanwhile: Callable[[int, str], None] = nothing) -> None:
        self.asked: list[str] = []
        self.taken = 0
        self._meanwhile = meanwhile

    def carry(
        self,
        letter: int,
        envelope_sender: str,
        address: str,
        data: bytes,
        following: Coming | None = None,
    ) -> str:
        """Note the address, and discard the letter."""
        self.asked.append(address)
        self._meanwhile(letter, address)
        self.taken += 1
        return "250 taken"

    def close(self) -> None:
        """Do nothing: no resource is open."""
