"""Limits on the connections to a listener and on the replies in each of them.

A caller that opens a thousand connections, or repeats NOOP forever, must not block others.  A mail
server on this machine that delivers everybody's email by LMTP counts as many callers, not as one.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv6Address, ip_address
from typing import Any

from pbmserv.fast_dataclasses import dataclass

TOO_MANY = "too many conversations at once"
TOO_MANY_OF_ONE = "too many conversations at once with one address"
_BITS_OF_A_SITE = 64  # of an IPv6 address: one customer usually has them all


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """The limits of a listener.

    There are at most `conversations` at once, and `of_one` of them with one address.  A
    conversation may last `seconds`.  In it we send at most `replies` between two stored emails.
    """

    conversations: int = 100
    of_one: int = 20
    replies: int = 500
    seconds: float = 600.0


USUAL = ConnectionLimits()


def refusal(bounds: ConnectionLimits, caller: str, talking: Iterable[str]) -> str:
    """Why no further connection is accepted, or ""; `talking` are the callers of the open ones."""
    here = list(talking)
    if len(here) >= bounds.conversations:
        return TOO_MANY
    return TOO_MANY_OF_ONE if caller and here.count(caller) >= bounds.of_one else ""


def caller_of(peer: Any, *, is_lmtp: bool) -> str:
    """The common identity of all connections of one caller; "" where it is not a single caller.

    `peer` is the address from the operating system: not a pair at a unix socket.
    """
    if not isinstance(peer, tuple):
        return ""
    address = ip_address(str(peer[0]).partition("%")[0])
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped:
            address = address.ipv4_mapped
        elif not address.is_loopback:
            return f"{int(address) >> _BITS_OF_A_SITE:x}"
    return "" if is_lmtp and address.is_loopback else str(address)
