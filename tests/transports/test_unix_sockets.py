"""A listener at a unix socket: which users may connect."""

from __future__ import annotations

import grp
import os
import socket
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pbmserv.errors import Misconfigured
from pbmserv.transports.unix_sockets import bound
from tests.transports.test_listener import delivered

if TYPE_CHECKING:  # pytest gives the fixtures; their types are all we need
    from tests.transports.conftest import Listeners


def test_a_listener_may_be_a_unix_socket(listeners: Listeners, socket_path: Path) -> None:
    where = f"unix:{socket_path}"
    listener = listeners.open("lmtp", where)
    line = listeners.call(listener)
    line.says("LHLO x")
    assert delivered(line).startswith("250")
    with pytest.raises(Misconfigured, match="another program already listens"):
        listeners.open("lmtp", where)
    line.close()
    listeners.run(listener.close(1))
    assert not socket_path.exists()


def test_a_socket_left_by_a_crash_is_replaced(listeners: Listeners, socket_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(socket_path))
    line = listeners.call(listeners.open("lmtp", f"unix:{socket_path}"))
    assert line.says("LHLO x").startswith("250")


def own_group() -> str:
    return grp.getgrgid(os.getgid()).gr_name


def modes(path: Path) -> tuple[str, int]:
    status = path.lstat()
    return f"{stat.S_IMODE(status.st_mode):o}", status.st_gid


def test_a_server_that_ends_leaves_the_socket_of_the_next_one(
    listeners: Listeners, socket_path: Path
) -> None:
    """The next one may listen as soon as the socket is closed."""
    listener = listeners.open("lmtp", f"unix:{socket_path}")
    following: list[socket.socket] = []

    class ClosedLate(socket.socket):
        def close(self) -> None:
            super().close()
            if not following:
                following.append(bound(str(socket_path), ""))

    (ours,) = listener._sockets
    listener._sockets[:] = [ClosedLate(fileno=os.dup(ours.fileno()))]
    ours.close()
    listeners.run(listener.close(5))
    assert socket_path.exists()
    following[0].close()


def test_a_socket_without_a_group_is_for_everybody(listeners: Listeners, socket_path: Path) -> None:
    listeners.open("lmtp", f"unix:{socket_path}")
    assert modes(socket_path)[0] == "666"


def test_a_socket_with_a_group_is_for_that_group_alone(
    listeners: Listeners, socket_path: Path
) -> None:
    """This holds for any umask; incoming emails name the socket as their transport."""
    before = os.umask(0)
    try:
        line = listeners.call(listeners.open("lmtp", f"unix:{socket_path}", group=own_group()))
    finally:
        os.umask(before)
    assert modes(socket_path) == ("660", os.getgid())
    line.says("LHLO x")
    assert delivered(line).startswith("250")
    assert [each.transport for each in listeners.arrived] == ["socket"]


def test_a_socket_is_never_open_to_others_not_even_for_a_moment(socket_path: Path) -> None:
    """Before it has its mode, it does not listen, so no program can connect."""
    before = os.umask(0)
    try:
        found = bound(str(socket_path), own_group())
    finally:
        os.umask(before)
    with found, socket.socket(socket.AF_UNIX) as early, pytest.raises(ConnectionRefusedError):
        early.connect(str(socket_path))
    assert modes(socket_path)[0] == "660"


def test_a_missing_group_is_misconfigured(listeners: Listeners, socket_path: Path) -> None:
    with pytest.raises(Misconfigured, match="lmtp_group: there is no group 'nobodys'"):
        listeners.open("lmtp", f"unix:{socket_path}", group="nobodys")


def test_a_socket_for_a_group_needs_a_folder_that_others_cannot_write_to(
    listeners: Listeners, socket_path: Path
) -> None:
    socket_path.parent.chmod(0o777)
    with pytest.raises(Misconfigured, match="everybody may write to"):
        listeners.open("lmtp", f"unix:{socket_path}", group=own_group())
    socket_path.parent.chmod(0o1777)
    listeners.open("lmtp", f"unix:{socket_path}", group=own_group())
