"""Places: where a door is, as the operator writes it: HOST:PORT or unix:/PATH."""

from __future__ import annotations

from pbmserv.errors import Misconfigured
from pbmserv.settings import place

UNIX = "unix:"


def host_and_port(where: str) -> tuple[str, int]:
    """`127.0.0.1:8025` or `[::1]:24` as a host and a port; raises Misconfigured."""
    if not (found := place(where)):
        raise Misconfigured(f"{where!r} is no place: write HOST:PORT or unix:/PATH")
    return found
