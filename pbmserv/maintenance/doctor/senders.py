"""Check that a mail server proves senders, and that nobody else can forge its proof."""

from __future__ import annotations

import stat
from ipaddress import ip_address
from pathlib import Path

from pbmserv.errors import Misconfigured
from pbmserv.mail.incoming import SOCKET
from pbmserv.maintenance.doctor.finding import Finding, ill, unseen, well
from pbmserv.settings import Settings
from pbmserv.transports.endpoint import UNIX, host_and_port, why_believed_nowhere
from pbmserv.transports.unix_sockets import FOR_A_GROUP, folder_open_to_others, number_of_group

NAME = "senders"
_DOCUMENTED = "docs/operating.md, Moves without a password"


def senders(settings: Settings, *, is_served: bool) -> Finding:
    """Whether `authserv_id` is trusted where only that server can write the header."""
    if not settings.authserv_id:
        return unseen(NAME, "no mail server proves senders: authserv_id is not set")
    if why := why_believed_nowhere(settings):
        said = f"{settings.authserv_id} is not trusted: {why}"
        remedy = f'Set authserv_transport = "socket", lmtp and lmtp_group: {_DOCUMENTED}.'
        return ill(NAME, said, remedy)
    if settings.authserv_transport == SOCKET:
        return _at_the_socket(settings, is_served=is_served)
    if settings.imap_security == "none" and not _is_of_this_machine(settings.imap):
        said = f"{settings.imap}: without encryption anybody can forge email there"
        return ill(NAME, said, 'Set imap_security = "tls".')
    return well(NAME, f"{settings.authserv_id} is trusted for email that comes by imap, only there")


def _at_the_socket(settings: Settings, *, is_served: bool) -> Finding:
    try:
        number = number_of_group(settings.lmtp_group)
        problem = _problem(settings.lmtp.removeprefix(UNIX), number, is_served=is_served)
    except Misconfigured as wrong:
        return ill(NAME, str(wrong), "Create the group, or set lmtp_group to the group of Postfix.")
    if problem:
        return ill(NAME, problem, "Restart the server; only it and the group may use the folder.")
    said = f"{settings.authserv_id} is trusted at {settings.lmtp}, only there"
    return well(NAME, f"{said}; only the group {settings.lmtp_group} may use it")


def _problem(path: str, group: int, *, is_served: bool) -> str:
    """What is wrong with the socket or its folder; a socket is expected while a server runs."""
    try:
        if problem := folder_open_to_others(path):
            return problem
        status = Path(path).lstat()
    except OSError as error:
        return f"{path}: {error.strerror}" if is_served else ""
    mode = stat.S_IMODE(status.st_mode)
    if mode & ~FOR_A_GROUP:
        return f"{path}: its mode is {mode:o}, so other users may use it, too"
    return "" if status.st_gid == group else f"{path}: it belongs to another group"


def _is_of_this_machine(place: str) -> bool:
    host, _ = host_and_port(place)
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
