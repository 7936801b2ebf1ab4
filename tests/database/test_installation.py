"""Key and database belong together: the program refuses a home with a missing or other one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Engine, delete, insert, select

from pbmserv.database import installation, leases, models
from pbmserv.database.copy import move
from pbmserv.database.engine import close, engine_for, reading, writing
from pbmserv.database.installation import (
    fingerprint,
    is_without_tables,
    mismatch,
    open_installation,
)
from pbmserv.database.upgrade import revision_of
from pbmserv.errors import Misconfigured, TryLater
from pbmserv.file_locks import locked
from pbmserv.home import open_home, read_key
from pbmserv.server import app
from tests.conftest import choose_database
from tests.database.at_once import run_at_once
from tests.homes import home_with_tables
from tests.postgresql import Cluster


def opened(home: Path, *, new: bool = False) -> Engine:
    engine, key = open_installation(open_home(home), new=new)
    assert key == read_key(home)
    return engine


def signed_up(engine: Engine) -> None:
    """Somebody has an account: the database is used."""
    with writing(engine) as connection:
        row = {"userid": "ann", "userid_key": "ann", "password_hash": "", "created_at": 1}
        connection.execute(insert(models.Player), row)


def made(home: Path) -> None:
    """A home that is used."""
    home_with_tables(home)
    engine = opened(home)
    signed_up(engine)
    close(engine)


def test_a_new_home_gets_both_and_keeps_them(any_new_home: Path) -> None:
    close(opened(any_new_home))
    key = read_key(any_new_home)
    engine = opened(any_new_home)
    with reading(engine) as connection:
        found = connection.execute(select(models.Installation.fingerprint)).scalars().all()
    assert found == [fingerprint(key)]
    assert mismatch(engine, open_home(any_new_home)) is None
    close(engine)
    assert len(key) == 32
    assert key.hex() not in found[0]


def test_a_lost_key_is_not_replaced(any_home: Path) -> None:
    """With another one nobody could answer the letters that were sent before."""
    made(any_home)
    (any_home / "key").unlink()
    with pytest.raises(Misconfigured, match="key: is missing; bring key back from the backup"):
        opened(any_home)
    assert not (any_home / "key").exists()


def test_another_key_is_refused(any_home: Path) -> None:
    made(any_home)
    (any_home / "key").write_bytes(bytes(32))
    with pytest.raises(Misconfigured, match=r"key: is not the key of .*; bring key back"):
        opened(any_home)


def test_a_missing_database_is_not_replaced_by_an_empty_one(
    home: Path, postgresql: Cluster
) -> None:
    choose_database(home, postgresql.database_with_tables())
    made(home)
    (home / "pbmserv.toml").write_text(f'database = "{postgresql.new_database()}"\n')
    with pytest.raises(Misconfigured, match=r"is missing or empty, but .*key is there; restore"):
        opened(home)


@pytest.mark.parametrize("how", ["gone", "empty"])
def test_a_missing_file_is_not_replaced_by_an_empty_one(home: Path, how: str) -> None:
    made(home)
    (home / "pbmserv.sqlite").unlink()
    if how == "empty":
        (home / "pbmserv.sqlite").touch()
    with pytest.raises(Misconfigured, match="restore the backup, or begin again: pbmserv serve"):
        opened(home)
    assert not (home / "pbmserv.sqlite").exists() or how == "empty"


def test_beginning_again_makes_another_key(home: Path) -> None:
    """Letters of the old boards must not be good for new ones of the same number."""
    made(home)
    old = read_key(home)
    (home / "pbmserv.sqlite").unlink()
    close(opened(home, new=True))
    assert read_key(home) != old
    assert (home / f"key.{fingerprint(old)[:8]}").read_bytes() == old
    close(opened(home))


def test_remains_of_another_database_do_not_affect_a_new_one(home: Path) -> None:
    """The new one does not count as restored, and its letters have not left."""
    home_with_tables(home)
    with app.opened(home) as before:
        before.deliver()
    (home / "pbmserv.sqlite").unlink()
    (home / "postmarks").write_bytes((1).to_bytes(8, "big"))
    with app.opened(home, new=True) as after:
        after.deliver()
    assert not (home / "postmarks").exists()
    with app.opened(home):
        pass


def test_beginning_again_replaces_no_database(home: Path) -> None:
    made(home)
    with pytest.raises(Misconfigured, match="already has a database: leave out --new"):
        opened(home, new=True)


def test_an_interrupted_creation_of_a_home_is_completed(home: Path) -> None:
    """The key gets its name last."""
    home_with_tables(home)
    close(opened(home))
    (home / "key").unlink()
    close(opened(home))
    close(opened(home))


def test_a_home_checked_during_its_creation_is_not_called_incomplete(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when `pbmserv doctor` is typed in the second in which the first server starts."""
    settings = open_home(home)
    engine = engine_for(settings)

    def made_right_after(looked_at: Engine) -> bool:
        monkeypatch.undo()
        found = is_without_tables(looked_at)
        close(open_installation(settings)[0])
        return found

    monkeypatch.setattr(installation, "is_without_tables", made_right_after)
    assert mismatch(engine, settings) is None
    close(engine)


def test_a_home_of_an_older_version_gets_a_fingerprint(home: Path) -> None:
    made(home)
    engine = opened(home)
    with writing(engine) as connection:
        connection.execute(delete(models.Installation))
    close(engine)
    engine = opened(home)
    with reading(engine) as connection:
        found = connection.execute(select(models.Installation.fingerprint)).scalars().all()
    close(engine)
    assert found == [fingerprint(read_key(home))]


def test_no_database_is_upgraded_while_a_server_uses_it(any_home: Path) -> None:
    """The server is of an older version, and could not go on with the new tables."""
    made(any_home)
    engine = engine_for(open_home(any_home))
    with writing(engine) as connection:
        connection.exec_driver_sql("update alembic_version set version_num = '0001'")
    refused = pytest.raises(TryLater, match="a server of an older version uses it")
    with leases.serving(engine, "an older server", 1, 0), refused:
        opened(any_home)
    with reading(engine) as connection:
        assert revision_of(connection) == "0001"
    close(engine)


def test_a_process_that_waited_for_a_new_home_uses_it_beside_its_server(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when emails come by a pipe while the first server makes the home and starts."""
    settings = open_home(home)

    @contextmanager
    def locked_late(file: Path, *, patience: float) -> Iterator[bool]:
        monkeypatch.undo()
        engine = opened(home)
        with leases.serving(engine, "a server", 1, 0), locked(file, patience=patience) as mine:
            yield mine
        close(engine)

    monkeypatch.setattr(installation, "locked", locked_late)
    close(open_installation(settings)[0])


def test_a_database_that_moved_keeps_its_key(home: Path) -> None:
    made(home)
    source = opened(home)
    target = engine_for(replace(open_home(home), database="sqlite:///other.sqlite"))
    move(source, target)
    close(source)
    close(target)
    (home / "pbmserv.toml").write_text('database = "sqlite:///other.sqlite"\n')
    close(opened(home))


MAKE = """
from pbmserv.database.installation import open_installation
from pbmserv.home import open_home

def act(barrier):
    barrier.wait()
    _, key = open_installation(open_home(Path(sys.argv[1])))
    print(key.hex(), flush=True)
"""


def test_processes_that_make_a_home_at_once_agree_on_the_key(home: Path) -> None:
    said = run_at_once(3, MAKE, home)
    assert said.split() == [read_key(home).hex()] * 3
