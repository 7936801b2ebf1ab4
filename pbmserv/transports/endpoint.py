"""Parse and try HOST:PORT settings, and check where `authserv_id` is trusted."""

from __future__ import annotations

import errno
import socket

from pbmserv.errors import Misconfigured
from pbmserv.mail.incoming import SOCKET
from pbmserv.setting_checks import place
from pbmserv.settings import Settings

UNIX = "unix:"


def host_and_port(where: str) -> tuple[str, int]:
    """The host and port of `127.0.0.1:8025` or `[::1]:24`; raises Misconfigured."""
    if not (found := place(where)):
        raise Misconfigured(f"{where!r} is no place: write HOST:PORT or unix:/PATH")
    return found


def is_taken(where: str) -> bool:
    """Whether another program listens at HOST:PORT; False for a unix socket, or any free port."""
    if not where or where.startswith(UNIX) or where.endswith(":0"):
        return False
    try:
        probe(where)
    except OSError as problem:
        return problem.errno == errno.EADDRINUSE
    return False


def probe(where: str) -> None:
    """Raise OSError if a program of this user cannot listen at HOST:PORT now."""
    host, port = host_and_port(where)
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))


def why_believed_nowhere(settings: Settings) -> str:
    """Why no email can prove its sender although `authserv_id` is set; "" if some can."""
    if not settings.authserv_id:
        return ""
    if settings.authserv_transport != SOCKET:
        return "" if settings.imap else "no mail comes by imap"
    if not settings.lmtp.startswith(UNIX):
        return "lmtp is not a unix socket"
    return "" if settings.lmtp_group else f"everybody may use {settings.lmtp}"
