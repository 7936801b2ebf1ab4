"""Unix sockets: which users of this machine may deliver email by LMTP.

A socket that anybody may use does not identify its caller.  One of mode 0660 is for its group only,
such as the mail server's.  So the statements of such an email about its sender can be trusted
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


def bound(path: str, group: str) -> socket.socket:
    """A socket at this path for the members of a group, or for everybody if there is none.

    Raises Misconfigured, or OSError.  Nobody can connect before its owner listens; its group and
    its mode are set before that.
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
            _give(path, group)
        Path(path).chmod(FOR_A_GROUP if group else FOR_EVERYBODY)
    except BaseException:
        found.close()
        raise
    return found


def number_of_group(group: str) -> int:
    """The number of a group of this machine; raises Misconfigured."""
    try:
        return grp.getgrnam(group).gr_gid
    except KeyError:
        raise Misconfigured(f"lmtp_group: there is no group {group!r}") from None


def folder_open_to_others(path: str) -> str:
    """Why everybody could replace this socket by another one; "" if they cannot."""
    folder = Path(path).parent
    mode = folder.stat().st_mode
    if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
        return f"everybody may write to {folder}, where the socket of lmtp is"
    return ""


def _give(path: str, group: str) -> None:
    """Give the socket to the group; no rights are needed if the folder has already done so."""
    number = number_of_group(group)
    if Path(path).lstat().st_gid == number:
        return
    try:
        os.chown(path, -1, number)
    except OSError as error:
        raise Misconfigured(
            f"lmtp_group: {path} cannot be given to the group {group!r}: {error.strerror}; "
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
