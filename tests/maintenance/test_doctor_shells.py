"""`pbmserv doctor` checks who can use the socket for shells."""

from __future__ import annotations

import grp
import os
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pbmserv.maintenance.doctor import shells as shell_checks
from pbmserv.maintenance.doctor.files import privacy
from pbmserv.maintenance.doctor.shells import shells
from pbmserv.settings import Settings

OUR_GROUP = grp.getgrgid(os.getegid()).gr_name


@pytest.fixture
def shell_socket(home: Path) -> Iterator[Path]:
    home.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(home / "shell.socket"))
        (home / "shell.socket").chmod(0o660)
        yield home / "shell.socket"


def test_the_doctor_checks_the_mode_and_the_group_of_the_socket_for_shells(
    shell_socket: Path,
) -> None:
    settings = Settings(home=shell_socket.parent)
    assert shells(settings, is_served=False).is_well is None
    assert shells(settings, is_served=True).said.endswith("for its owner and root alone")
    shell_socket.chmod(0o666)
    assert "its mode is 666, not 660" in shells(settings, is_served=True).said
    shell_socket.chmod(0o660)
    theirs = replace(settings, shell_group=OUR_GROUP)
    settings.home.chmod(0o710)
    found = shells(theirs, is_served=True)
    assert found.is_well and f"members of {OUR_GROUP}" in found.said
    shell_socket.unlink()
    assert "No such file" in shells(theirs, is_served=True).said
    shell_socket.touch(mode=0o600)
    assert "is not the socket of this server" in shells(theirs, is_served=True).said


def test_the_doctor_checks_that_the_group_of_shells_can_only_reach_the_socket(
    shell_socket: Path,
) -> None:
    home = shell_socket.parent
    settings = Settings(home=home, shell_group=OUR_GROUP)
    for mode in (0o700, 0o750, 0o711):
        home.chmod(mode)
        found = shells(settings, is_served=True)
        assert found.remedy == f"Type: chgrp {OUR_GROUP} {home} && chmod 710 {home}"
    home.chmod(0o710)
    for number in range(4):
        (home / f"open{number}").mkdir(mode=0o750)
    found = shells(settings, is_served=True)
    assert found.said.endswith("can reach open0, open1, open2 …")
    assert found.remedy == f"Type: chmod go= {home}/open0 {home}/open1 {home}/open2"
    (home / "pbmserv.toml").touch(mode=0o600)
    for number in range(4):
        (home / f"open{number}").chmod(0o700)
    assert shells(settings, is_served=True).is_well
    assert privacy(settings).is_well is None  # there is no key
    assert privacy(replace(settings, shell_group="")).is_well is False


def test_the_doctor_reports_an_unknown_or_another_group_of_shells(
    shell_socket: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(home=shell_socket.parent, shell_group="nobodys")
    assert "shell_group: there is no group" in shells(settings, is_served=True).said
    monkeypatch.setattr(shell_checks, "_unreachable", lambda *_: None)
    other = next(each.gr_name for each in grp.getgrall() if each.gr_gid != os.getegid())
    found = shells(replace(settings, shell_group=other), is_served=True)
    assert "it belongs to another group" in found.said
    monkeypatch.setattr(shell_checks, "is_possible", lambda: False)
    assert shells(settings, is_served=True).is_well is None
