"""`pbmserv doctor` finds files that the server cannot use, and never advises to lose data."""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from pbmserv.database import engine
from pbmserv.maintenance.doctor import files as checks
from pbmserv.maintenance.doctor.mailboxes import mailboxes
from pbmserv.settings import read_settings
from tests.cli.processes import invoked
from tests.maintenance.examining import examined, is_ill

NOBODY = 65_534
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
CHOWN = "As root, type: chown -R root: "


@contextmanager
def as_nobody() -> Iterator[None]:
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@needs_root
@pytest.mark.parametrize(
    "name", ["postmarks", "pbmserv.sqlite", "key", "generation", "serving.lock", "delivering.lock"]
)
def test_the_doctor_reports_each_file_of_another_user(healthy: Path, name: str) -> None:
    """No backup is restored for it: the remedy is chown."""
    (healthy / name).touch(0o600)
    os.chown(healthy / name, NOBODY, -1)
    said = f"{name} in {healthy}: belongs to nobody, not to root"
    is_ill(healthy, "files", said, f"{CHOWN}{healthy}")
    assert "restore" not in examined(healthy)[1]


@needs_root
@pytest.mark.parametrize("name", ["mail", "mail/ann@example.org", "mail/ann@example.org/new"])
def test_the_doctor_reports_a_folder_of_letters_of_another_user(healthy: Path, name: str) -> None:
    os.chown(healthy / name, NOBODY, -1)
    said = f"{Path(name).name} in {healthy}: belongs to nobody, not to root"
    is_ill(healthy, "files", said, CHOWN)


@needs_root
def test_the_doctor_names_few_of_many_files(healthy: Path) -> None:
    for path in healthy.glob("*"):
        os.chown(path, NOBODY, -1)
    is_ill(healthy, "files", " more in ", CHOWN)


def test_the_doctor_ignores_files_that_are_not_of_the_program(healthy: Path) -> None:
    (healthy / "notes.txt").touch(0o000)
    shutil.rmtree(healthy / "mail")
    assert examined(healthy)[0] == 0


@pytest.mark.parametrize("name", ["pbmserv.sqlite", "postmarks", "serving.lock", "mail"])
def test_the_doctor_reports_a_file_without_rights_of_its_owner(healthy: Path, name: str) -> None:
    if name != "mail":
        (healthy / name).touch()
    (healthy / name).chmod(0o400)
    said, remedy = f"{name} in {healthy}: its owner cannot", f"chmod -R u+rwX {healthy}"
    beside = int(name == "mail" and os.geteuid() != 0)  # its letters cannot be written then
    assert (found := checks.files(healthy)).is_well is False
    assert said in found.said
    assert found.remedy == f"Type: {remedy}"
    assert examined(healthy)[1].count("FAIL") == 1 + beside
    (healthy / name).chmod(0o700)


def test_the_doctor_reports_a_home_without_rights_of_its_owner(healthy: Path) -> None:
    healthy.chmod(0o500)
    is_ill(healthy, "files", "its owner cannot read and write it", "chmod -R u+rwX")
    healthy.chmod(0o700)


@needs_root
def test_root_makes_no_file_in_the_home_of_another_user(healthy: Path) -> None:
    """The server of that user could not use it, and no letter would leave."""
    os.chown(healthy, NOBODY, -1)
    before = sorted(healthy.iterdir())
    for words in (("tick",), ("trace", "ann"), ("signup", "cleo", "secret-words")):
        done = invoked(healthy, "pbmserv", *words)
        assert done.returncode == 78
        assert "root's files there would stop its server" in done.stderr
        assert "type: runuser -u nobody -- pbmserv ..." in done.stderr
    is_ill(healthy, "files", "belongs to nobody", "Type: runuser -u nobody -- pbmserv ...")
    assert sorted(healthy.iterdir()) == before


@needs_root
def test_the_doctor_reports_a_home_of_root_to_the_server_user(healthy: Path) -> None:
    """A lock, the database and the settings, which root has made, bring no traceback."""
    examined(healthy)  # imports what nobody may not be allowed to read; so does the next
    invoked(healthy, "pbmserv", "tick")
    for folder in healthy.parents[:-2]:
        with suppress(PermissionError):
            folder.chmod(folder.stat().st_mode | 0o011)
    with as_nobody():
        is_ill(healthy, "files", f"{healthy}: ", "Run it as the owner; or, as root, type: chown -R")
    healthy.chmod(0o755)
    with as_nobody():
        is_ill(healthy, "files", "belongs to root, but this command runs as nobody", "chown -R")
    healthy.chmod(0o700)
    os.chown(healthy, NOBODY, -1)
    for path in (healthy, *healthy.rglob("*")):
        os.chown(path, NOBODY, -1)
    (healthy / "serving.lock").touch(0o600)
    os.chown(healthy / "serving.lock", 0, 0)
    with as_nobody():
        is_ill(healthy, "files", "serving.lock in ", "As root, type: chown -R nobody: ")
        done = invoked(healthy, "pbmserv", "tick")
    assert (done.returncode, done.stderr.count("\n")) == (78, 1)
    assert "serving.lock: Permission denied; give the home to the user" in done.stderr
    os.chown(healthy / "serving.lock", NOBODY, -1)
    os.chown(healthy / "pbmserv.toml", 0, 0)
    (healthy / "pbmserv.toml").chmod(0o600)
    with as_nobody():
        is_ill(healthy, "settings", "cannot be read: Permission denied", "read it: chown")


@needs_root
def test_the_doctor_reports_a_folder_of_letters_that_its_owner_cannot_enter(healthy: Path) -> None:
    """Root can enter every folder: only the server's user sees that its files are out of reach."""
    for folder in healthy.parents[:-2]:
        with suppress(PermissionError):
            folder.chmod(folder.stat().st_mode | 0o011)
    for path in (healthy, *healthy.rglob("*")):
        os.chown(path, NOBODY, -1)
    for name, mode in (("mail", 0o400), ("mail", 0o000), ("mail/ann@example.org", 0o400)):
        (healthy / name).chmod(mode)
        with as_nobody():
            found = checks.files(healthy)
        (healthy / name).chmod(0o700)
        assert found.said.startswith(f"{Path(name).name} in {healthy}: its owner cannot"), name
        assert found.remedy == f"Type: chmod -R u+rwX {healthy}"


def test_the_doctor_does_not_restore_a_database_that_cannot_be_opened(healthy: Path) -> None:
    """A folder in its place has the same error as a file without rights."""
    (healthy / "pbmserv.toml").write_text('smtp = ""\ndatabase = "sqlite:///below/x.sqlite"\n')
    (healthy / "below" / "x.sqlite").mkdir(parents=True)
    is_ill(healthy, "database", "unable to open database file", "Give it and its folder")


def test_the_doctor_reports_a_locked_database(
    healthy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server answers every email with 451 then; reading alone works."""
    monkeypatch.setattr(
        engine, "_SQLITE_SETTINGS", ("PRAGMA busy_timeout = 10", *engine._SQLITE_SETTINGS[1:])
    )
    with closing(sqlite3.connect(healthy / "pbmserv.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        is_ill(healthy, "writing", "database is locked", f"fuser {healthy}/pbmserv.sqlite")


def test_the_doctor_reports_a_maildir_that_cannot_be_read(healthy: Path) -> None:
    """The remedy is about the Maildir, not about IMAP."""
    (healthy / "in").mkdir()
    (healthy / "in" / "new").touch()
    (healthy / "pbmserv.toml").write_text('smtp = ""\nmaildir = "in"\n')
    is_ill(healthy, "mailbox", "maildir ", "give the Maildir to the user that runs pbmserv")
    (finding,) = mailboxes(read_settings(healthy))
    assert "imap" not in finding.remedy


def test_asking_for_a_lock_makes_no_file(healthy: Path) -> None:
    shutil.rmtree(healthy / "mail")
    for lock in healthy.glob("*.lock"):
        lock.unlink()
    with socket.create_server(("127.0.0.1", 0)):
        examined(healthy)
    assert not list(healthy.glob("serving.lock"))
