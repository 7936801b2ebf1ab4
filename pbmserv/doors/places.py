"""Places: where a door is, as the operator writes it: HOST:PORT or unix:/PATH."""

from __future__ import annotations

from pbmserv.errors import Misconfigured

UNIX = "unix:"
_HIGHEST_PORT = 65535


def host_and_port(where: str) -> tuple[str, int]:
    """`127.0.0.1:8025` or `[::1]:24` as a host and a port; raises Misconfigured."""
    host, colon, port = where.rpartition(":")
    if (
        not colon
        or not host
        or not port.isascii()
        or not port.isdigit()
        or int(port) > _HIGHEST_PORT
    ):
        raise Misconfigured(f"{where!r} is no place: write HOST:PORT or unix:/PATH")
    return host.removeprefix("[").removesuffix("]"), int(port)
