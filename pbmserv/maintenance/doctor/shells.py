"""Check the socket for shells: who may use it, and whether they can reach it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from pbmserv.errors import Misconfigured
from pbmserv.home import SHELL_SOCKET_FILE
from pbmserv.maintenance.doctor.finding import Finding, ill, unseen, well
from pbmserv.server.shell_socket import is_possible
from pbmserv.settings import Settings
from pbmserv.transports.unix_sockets import FOR_A_GROUP, number_of_group

NAME = "shells"
_PASSED_THROUGH = 0o710  # the mode of a home whose group knows the name of what it opens
_MOST_SHOWN = 3


def shells(settings: Settings, *, is_served: bool) -> Finding:
    """Whether the socket has the mode and the group of the settings, and its group can reach it."""
    if not is_possible():
        return unseen(NAME, "this system does not tell who calls: commands work by themselves")
    group = settings.shell_group
    try:
        number = number_of_group(group, "shell_group") if group else None
    except Misconfigured as unknown:
        return ill(NAME, str(unknown), "Create the group, or correct shell_group.")
    if number is not None and (problem := _unreachable(settings.home, group, number)):
        return problem
    if not is_served:
        return unseen(NAME, "no server is running: commands work by themselves")
    path = settings.home / SHELL_SOCKET_FILE
    if wrong := _wrong(path, number):
        return ill(NAME, f"{path}: {wrong}", "Restart the server; its log says why if this stays.")
    who = f"members of {group} for players' commands" if group else "its owner and root alone"
    return well(NAME, f"{path}: for {who}")


def _unreachable(home: Path, group: str, number: int) -> Finding | None:
    """A finding if the group cannot pass through the home, or could read a file there."""
    status = home.stat()
    if status.st_gid != number or stat.S_IMODE(status.st_mode) != _PASSED_THROUGH:
        said = f"{home}: the group {group} cannot reach its socket, or can do more there"
        place = quote(str(home))
        return ill(NAME, said, f"Type: chgrp {quote(group)} {place} && chmod 710 {place}")
    if found := sorted(_open_to_others(home)):
        some = found[:_MOST_SHOWN]
        names = ", ".join(each.name for each in some) + (" …" if len(found) > len(some) else "")
        said = f"{home}: the group {group} can reach {names}"
        return ill(NAME, said, f"Type: chmod go= {' '.join(quote(str(each)) for each in some)}")
    return None


def _open_to_others(home: Path) -> Iterator[Path]:
    for each in home.iterdir():
        status = each.lstat()
        is_private = not stat.S_IMODE(status.st_mode) & 0o077
        if not is_private and (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
            yield each


def _wrong(path: Path, group: int | None) -> str:
    """What is wrong with the socket, or ""."""
    try:
        status = path.lstat()
    except OSError as error:
        return str(error.strerror)
    if not stat.S_ISSOCK(status.st_mode) or status.st_uid != os.geteuid():
        return "it is not the socket of this server"
    if (mode := stat.S_IMODE(status.st_mode)) != FOR_A_GROUP:
        return f"its mode is {mode:o}, not {FOR_A_GROUP:o}"
    return "" if group in {None, status.st_gid} else "it belongs to another group"
