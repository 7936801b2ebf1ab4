"""`pbmserv init` writes a settings file that explains every setting and changes none."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from pbmserv.settings import Settings, read_settings, settings_manual
from tests.cli.processes import invoked


def test_init_writes_every_setting_as_a_comment(home: Path) -> None:
    done = invoked(home, "pbmserv", "init")
    file = home / "pbmserv.toml"
    assert done.returncode == 0
    assert done.stdout.startswith(f"{file}: written; ")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert read_settings(home) == Settings(home=home)
    lines = file.read_text().splitlines()
    commands = [line for line in lines if line.startswith("#   ")]
    assert [line.partition(" install ")[2] for line in commands] == [
        f"--use-pep517 '.[{extra}]'" for extra in ("postgresql", "imap")
    ]
    assert all(len(line) <= 100 for line in lines if line not in commands)


def test_each_line_of_init_is_valid_without_its_comment_sign(home: Path) -> None:
    invoked(home, "pbmserv", "init")
    file = home / "pbmserv.toml"
    written = file.read_text()
    for name, _, _ in settings_manual():
        line = f"\n# {name} = "
        assert written.count(line) == 1, name
        file.write_text(written.replace(line, line.replace("# ", "")))
        assert read_settings(home) == Settings(home=home), name


def test_init_changes_no_file_that_exists(home: Path) -> None:
    home.mkdir(mode=0o700)
    (home / "pbmserv.toml").write_text('name = "Ours"\n')
    done = invoked(home, "pbmserv", "init")
    assert done.returncode == 78
    assert "exists already; it was not changed" in done.stderr
    assert (home / "pbmserv.toml").read_text() == 'name = "Ours"\n'


def test_init_reports_a_file_that_cannot_be_written(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", refused)
    done = invoked(home, "pbmserv", "init")
    assert done.returncode == 78
    assert "pbmserv.toml: cannot be written: Permission denied" in done.stderr
