"""A home is copied while a server runs, restored, and moved to another database."""

from __future__ import annotations

import os
import shutil
from contextlib import ExitStack
from pathlib import Path

import pytest

from pbmserv.file_locks import locked
from pbmserv.server.app import ROLE_LOCKS, unserved
from tests.cli.processes import invoked, served, typed
from tests.postgresql import Cluster
from tests.stories.town import OUR_ADDRESS, PASSWORD, mail, town_at


@pytest.fixture
def played(home: Path) -> Path:
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob")
        town.move("ann", "2-2s")
    return home


def test_a_backup_of_a_running_server_is_a_home_to_go_on_in(played: Path, tmp_path: Path) -> None:
    """Moves and passwords are good in it; what becomes of letters is in `test_restoring`."""
    copy = tmp_path / "backups" / "monday"
    with served(played):
        done = typed(played, "pbmserv", "backup", str(copy))
        made = f"pbmserv: {copy.parent}: was not there, and was made\n"
        assert (done.returncode, done.stderr) == (0, made)
        assert done.stdout == f"{copy}: key, pbmserv.sqlite, pbmserv.toml\n"
        typed(played, "perudo", "move", "1", "bob", PASSWORD, "dudo")
    assert copy.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o077 for file in copy.iterdir()} <= {0, 0o044}

    shutil.rmtree(played)
    shutil.copytree(copy, played)
    assert invoked(played, "pbmserv", "audit").returncode == 0
    assert invoked(played, "pbmserv", "restored").returncode == 0
    assert "It is ann's turn" in invoked(played, "perudo", "show", "1").stdout
    assert invoked(played, "perudo", "move", "1", "ann", PASSWORD, "3-2s").returncode == 0
    assert "It is bob's turn" in invoked(played, "perudo", "show", "1").stdout


def test_a_backup_is_on_the_disk(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A power failure after the answer loses no file of it and no name of a file."""
    synced: list[str] = []
    fsync = os.fsync

    def noted(descriptor: int) -> None:
        synced.append(str(Path(f"/proc/self/fd/{descriptor}").readlink()))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    assert invoked(played, "pbmserv", "backup", str(tmp_path / "monday")).returncode == 0
    draft = tmp_path / ".monday.unfinished"
    files = [str(draft / each.name) for each in (tmp_path / "monday").iterdir()]
    assert {*files, str(draft), str(tmp_path)} <= set(synced)


def test_a_backup_replaces_nothing(played: Path, tmp_path: Path) -> None:
    done = invoked(played, "pbmserv", "backup", str(tmp_path))
    assert done.returncode == 78
    assert f"{tmp_path}: already exists" in done.stderr


def test_a_backup_that_cannot_be_made_leaves_nothing_behind(played: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = invoked(played, "pbmserv", "backup", str(tmp_path / "file" / "monday"))
    assert done.returncode == 78
    assert done.stderr.count("\n") == 1
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file", "home"]


def goes_on(home: Path, url: str) -> None:
    """All that was there is there, and new rows get new numbers."""
    before = invoked(home, "perudo", "record", "1").stdout
    done = invoked(home, "pbmserv", "move-database", url)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Rows copied: ")
    (home / "pbmserv.toml").write_text(f'database = "{url}"\n')
    (home / "pbmserv.sqlite").unlink()
    assert invoked(home, "pbmserv", "audit").stdout == "Boards: 1, problems: 0\n"
    assert invoked(home, "perudo", "record", "1").stdout == before
    assert invoked(home, "perudo", "move", "1", "bob", PASSWORD, "dudo").returncode == 0
    assert invoked(home, "pbmserv", "signup", "cleo", PASSWORD).returncode == 0
    assert invoked(home, "perudo", "challenge", "ann", "cleo").returncode == 0
    raw = mail("ann@example.org", "help", message_id="<new@x>", to=OUR_ADDRESS).decode("ascii")
    assert invoked(home, "pbmserv", "receive", text=raw).returncode == 0
    assert "Boards: 2, problems: 0" in invoked(home, "pbmserv", "audit").stdout


def test_a_home_moves_to_postgresql(played: Path, postgresql: Cluster) -> None:
    goes_on(played, postgresql.new_database())


def test_a_home_moves_to_another_file(played: Path) -> None:
    goes_on(played, "sqlite:///other.sqlite")
    assert not (played / "pbmserv.sqlite").exists()
    assert (played / "other.sqlite").stat().st_mode & 0o777 == 0o600


def test_a_database_with_data_is_left_alone(played: Path) -> None:
    url = "sqlite:///other.sqlite"
    assert invoked(played, "pbmserv", "move-database", url).returncode == 0
    done = invoked(played, "pbmserv", "move-database", url)
    assert done.returncode == 78
    assert "the new database is not empty" in done.stderr
    done = invoked(played, "pbmserv", "move-database", "sqlite:///pbmserv.sqlite")
    assert done.returncode == 78
    assert "that is the current database" in done.stderr


def test_a_process_that_only_asks_whether_a_server_runs_is_not_taken_for_one(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As each email from a pipe does, for a moment."""
    home.mkdir()
    for each in ROLE_LOCKS.values():
        (home / each).touch()
    with ExitStack() as asking:
        for each in ROLE_LOCKS.values():
            asking.enter_context(locked(home / each, shared=True))
        monkeypatch.setattr("pbmserv.file_locks.time.sleep", lambda _: asking.close())
        with unserved(home) as is_ours:
            assert is_ours


def test_nothing_moves_while_a_server_runs(played: Path) -> None:
    with served(played):
        done = typed(played, "pbmserv", "move-database", "sqlite:///other.sqlite")
    assert done.returncode == 78
    assert done.stderr == f"pbmserv: {played}: stop the server first\n"
