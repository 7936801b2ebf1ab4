"""Places: where doors are, as the operator writes it, and where `authserv_id` is believed."""

from __future__ import annotations

from pbmserv.errors import Misconfigured
from pbmserv.mail.incoming import SOCKET
from pbmserv.setting_values import place
from pbmserv.settings import Settings

UNIX = "unix:"


def host_and_port(where: str) -> tuple[str, int]:
    """`127.0.0.1:8025` or `[::1]:24` as a host and a port; raises Misconfigured."""
    if not (found := place(where)):
        raise Misconfigured(f"{where!r} is no place: write HOST:PORT or unix:/PATH")
    return found


def why_believed_nowhere(settings: Settings) -> str:
    """Why no mail can prove its sender although `authserv_id` is set; "" if some can."""
    if not settings.authserv_id:
        return ""
    if settings.authserv_door != SOCKET:
        return "" if settings.imap else "no mail comes by imap"
    if not settings.lmtp.startswith(UNIX):
        return "lmtp is not a unix socket"
    return "" if settings.lmtp_group else f"everybody may use {settings.lmtp}"
