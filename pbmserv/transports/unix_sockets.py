"""Unix sockets: which users of this machine may use them.

A socket that anybody may use does not identify its caller.  One of mode 0660 is for its group only,
such as the mail server's.  So the statements of an email by LMTP about its sender can be trusted
(`mail/authentication_results.py`).
"""

from __future__ import annotations

import grp
import os
import socket
import stat
from contextlib import suppress
from pathlib import Path

from pbmserv.errors import Misconfigured

FOR_A_GROUP, FOR_EVERYBODY = 0o660, 0o666  # a mail server runs as another user


def bound(
    path: str, group: str, others: int = FOR_EVERYBODY, setting: str = "lmtp_group"
) -> socket.socket:
    """A socket at this path for the members of a group; without one its mode is `others`.

    `setting` names the group.  Raises Misconfigured, or OSError.  Nobody can connect before its
    owner listens; its group and its mode are set before that.
    """
    _refuse_if_in_use(path)
    with suppress(FileNotFoundError):
        if stat.S_ISSOCK(Path(path).lstat().st_mode):  # left by a server that was killed
            Path(path).unlink()
    if group and (problem := folder_open_to_others(path)):
        raise Misconfigured(problem)
    found = socket.socket(socket.AF_UNIX)
    try:
        found.bind(path)
        if group:
            _give(path, group, setting)
        Path(path).chmod(FOR_A_GROUP if group else others)
    except BaseException:
        found.close()
        raise
    return found


def number_of_group(group: str, setting: str = "lmtp_group") -> int:
    """The number of a group of this machine, which a setting names; raises Misconfigured."""
    try:
        return grp.getgrnam(group).gr_gid
    except KeyError:
        raise Misconfigured(f"{setting}: there is no group {group!r}") from None


def folder_open_to_others(path: str) -> str:
    """Why everybody could replace this socket by another one; "" if they cannot."""
    folder = Path(path).parent
    mode = folder.stat().st_mode
    if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
        return f"everybody may write to {folder}, where a socket of ours is"
    return ""


def _give(path: str, group: str, setting: str) -> None:
    """Give the socket to the group; no rights are needed if the folder has already done so."""
    number = number_of_group(group, setting)
    if Path(path).lstat().st_gid == number:
        return
    try:
        os.chown(path, -1, number)
    except OSError as error:
        raise Misconfigured(
            f"{setting}: {path} cannot be given to the group {group!r}: {error.strerror}; "
            "the server's user must be a member of it"
        ) from None


def _refuse_if_in_use(path: str) -> None:
    """Do not remove the socket of a server that still listens."""
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(path)
        except OSError:
            return
    raise Misconfigured(f"cannot listen on unix:{path}: another program already listens there")
