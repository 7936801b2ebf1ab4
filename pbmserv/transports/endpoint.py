"""Parse HOST:PORT settings, and check where `authserv_id` is trusted."""

from __future__ import annotations

from pbmserv.errors import Misconfigured
from pbmserv.mail.incoming import SOCKET
from pbmserv.setting_values import place
from pbmserv.settings import Settings

UNIX = "unix:"


def host_and_port(where: str) -> tuple[str, int]:
    """The host and port of `127.0.0.1:8025` or `[::1]:24`; raises Misconfigured."""
    if not (found := place(where)):
        raise Misconfigured(f"{where!r} is no place: write HOST:PORT or unix:/PATH")
    return found


def why_believed_nowhere(settings: Settings) -> str:
    """Why no email can prove its sender although `authserv_id` is set; "" if some can."""
    if not settings.authserv_id:
        return ""
    if settings.authserv_transport != SOCKET:
        return "" if settings.imap else "no mail comes by imap"
    if not settings.lmtp.startswith(UNIX):
        return "lmtp is not a unix socket"
    return "" if settings.lmtp_group else f"everybody may use {settings.lmtp}"
