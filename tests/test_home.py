"""The home: where it is, and how it is made once, for its owner alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pbmserv.database.engine import close, reading
from pbmserv.database.installation import open_installation
from pbmserv.database.upgrade import open_database
from pbmserv.errors import Misconfigured
from pbmserv.home import find_home, open_home, read_key, write_key


def test_the_option_comes_before_the_environment(tmp_path: Path) -> None:
    environ = {"PBMSERV_HOME": "/from/environ"}
    assert find_home(tmp_path, environ) == tmp_path
    assert find_home(None, environ) == Path("/from/environ")


def test_the_home_is_an_absolute_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_home("here", {}) == tmp_path / "here"


def test_without_either_it_is_the_platforms_place_for_data(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    found = find_home(None, {})
    assert found.name == "pbmserv"
    assert found.is_relative_to(tmp_path)


def test_the_home_is_made_for_its_owner_alone(home: Path) -> None:
    settings = open_home(home / "deeper")
    engine, _ = open_installation(settings)
    close(engine)
    assert (home / "deeper").stat().st_mode & 0o777 == 0o700
    assert (home / "deeper" / "key").stat().st_mode & 0o777 == 0o600


def test_a_home_of_another_user_needs_its_server(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A player of this machine may pass through it, to the socket, and read nothing."""
    open_home(home)
    monkeypatch.setattr(os, "geteuid", lambda: home.stat().st_uid + 1)
    assert open_home(home).home == home  # its rights suffice
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(Misconfigured, match=f"{home}: belongs to .*, and its server does not do"):
        open_home(home)


def test_a_damaged_key_is_misconfigured(home: Path) -> None:
    open_home(home)
    write_key(home, b"short")
    with pytest.raises(Misconfigured, match="key: must hold exactly 32 bytes"):
        read_key(home)


def test_a_missing_key_is_misconfigured(home: Path) -> None:
    with pytest.raises(Misconfigured, match="key: cannot be read: No such file"):
        read_key(home)


def test_a_file_as_home_is_reported_in_one_line(home: Path) -> None:
    home.write_text("")
    with pytest.raises(Misconfigured, match="cannot be the home"):
        open_home(home)


def test_an_uncreatable_home_is_reported_in_one_line(home: Path) -> None:
    home.write_text("")
    with pytest.raises(Misconfigured, match="cannot be the home: Not a directory"):
        open_home(home / "below")


def test_the_database_is_its_owners_alone_even_in_a_home_that_others_can_enter(home: Path) -> None:
    """It holds dice and tokens, which players at a shell of the same host must not read."""
    home.mkdir(mode=0o755)
    engine = open_database(open_home(home))
    with reading(engine):
        modes = {file.name: file.stat().st_mode & 0o777 for file in home.glob("pbmserv.sqlite*")}
    close(engine)
    assert modes["pbmserv.sqlite"] == 0o600
    assert set(modes.values()) == {0o600}
