"""Find domains to which the relay is slow, so that letters to others do not wait.

A relay may ask the recipient's server, and wait for it, before it takes a letter.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, or_

from pbmserv.database.models import OutboxLetter
from pbmserv.mail.addresses import site

SLOW = 2  # seconds that a letter takes
_MOST = 20  # domains that are remembered, the latest


class SlowDomains:
    """The domains whose last letter took `SLOW` seconds or more.

    The names below a domain count as that domain, because its owner has as many as they like.
    """

    def __init__(self) -> None:
        self._found: dict[str, None] = {}

    def __contains__(self, address: str) -> bool:
        return bool(self._found) and site(address) in self._found

    def note(self, address: str, seconds: int) -> bool:
        """Remember how long a letter to an address took; returns whether that was long."""
        if seconds < SLOW and not self._found:  # as nearly always
            return False
        domain = site(address)
        self._found.pop(domain, None)
        if seconds < SLOW:
            return False
        self._found[domain] = None
        if len(self._found) > _MOST:
            del self._found[next(iter(self._found))]
        return True

    def condition(self) -> ColumnElement[bool] | None:
        """Whether the letter of a row goes to one of them; None if there are none."""
        address = OutboxLetter.address
        ends = [f"{sign}{each}" for each in self._found for sign in ("@", ".")]
        found = [address.endswith(each, autoescape=True) for each in ends]
        return or_(*found) if found else None
