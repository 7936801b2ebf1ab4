"""The count that shows whether a database was restored from a backup."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Engine, event, select, update

from pbmserv.database import restore_detection
from pbmserv.database.engine import close, reading, writing
from pbmserv.database.installation import open_installation
from pbmserv.database.models import Installation
from pbmserv.errors import Misconfigured
from pbmserv.home import GENERATION_FILE, open_home
from pbmserv.security.tokens import Tokens


@pytest.fixture
def counting(any_home: Path) -> Iterator[Engine]:
    """A database on which a server has worked for a while."""
    engine, _ = open_installation(open_home(any_home))
    restore_detection.begin(engine, any_home)
    for _ in range(3):
        restore_detection.advance(engine, any_home, durable=True)
    yield engine
    close(engine)


def set_back(engine: Engine, count: int) -> None:
    with writing(engine) as connection:
        connection.execute(update(Installation).values(generation=count))


def test_a_database_that_goes_on_was_not_restored(any_home: Path, counting: Engine) -> None:
    assert not restore_detection.is_put_back(counting, any_home)
    restore_detection.begin(counting, any_home)
    restore_detection.advance(counting, any_home, durable=False)
    assert not restore_detection.is_put_back(counting, any_home)


@contextmanager
def meanwhile(engine: Engine, moment: str, act: Callable[[], None]) -> Iterator[None]:
    """Something that another process does once, at that `moment` of asking for the count."""
    to_do = [act]

    def acts(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if to_do and "generation" in statement:
            to_do.pop()()

    event.listen(engine, moment, acts)
    yield
    event.remove(engine, moment, acts)
    assert not to_do


@pytest.mark.parametrize("moment", ["before_cursor_execute", "after_cursor_execute"])
def test_counts_of_other_processes_are_not_taken_for_a_restore(
    any_home: Path, counting: Engine, moment: str
) -> None:
    other, _ = open_installation(open_home(any_home))

    def count() -> None:
        restore_detection.advance(other, any_home, durable=True)

    with meanwhile(counting, moment, count):
        assert not restore_detection.is_put_back(counting, any_home)
    close(other)


def test_a_home_that_other_processes_begin_was_not_restored(any_home: Path) -> None:
    engine, _ = open_installation(open_home(any_home))
    other, _ = open_installation(open_home(any_home))
    with meanwhile(
        engine, "before_cursor_execute", lambda: restore_detection.begin(other, any_home)
    ):
        assert not restore_detection.is_put_back(engine, any_home)
    close(other)
    close(engine)


def test_a_database_behind_its_file_was_restored(any_home: Path, counting: Engine) -> None:
    """As `pg_restore` does it, or a copy of the one file."""
    set_back(counting, 3)
    assert restore_detection.is_put_back(counting, any_home)


def test_a_home_without_the_file_was_restored(any_home: Path, counting: Engine) -> None:
    (any_home / "generation").unlink()
    assert restore_detection.is_put_back(counting, any_home)
    restore_detection.go_on(counting, any_home)
    assert not restore_detection.is_put_back(counting, any_home)


def test_the_file_holds_nothing_that_a_power_cut_may_undo(any_home: Path, counting: Engine) -> None:
    with reading(counting) as connection:
        before = connection.execute(select(Installation.generation)).scalar_one()
    restore_detection.advance(counting, any_home, durable=False)
    set_back(counting, before)  # the last transaction had not reached the disk
    assert not restore_detection.is_put_back(counting, any_home)


def test_homes_without_a_count_are_not_taken_for_restored(any_home: Path) -> None:
    engine, _ = open_installation(open_home(any_home))
    assert not restore_detection.is_put_back(engine, any_home)
    restore_detection.begin(engine, any_home)
    assert not restore_detection.is_put_back(engine, any_home)
    assert (any_home / "generation").read_text() == f"{1:020}\n"
    close(engine)


def test_an_unwritable_file_is_misconfigured(any_home: Path, counting: Engine) -> None:
    (any_home / "generation").unlink()
    (any_home / "generation").mkdir()
    with pytest.raises(Misconfigured, match="generation: cannot be written: Is a directory"):
        restore_detection.advance(counting, any_home, durable=True)


def test_a_restore_voids_older_tokens(any_home: Path, counting: Engine) -> None:
    old = Tokens(bytes(32), restore_detection.restores(counting)).letter(12, 3, 17)
    restore_detection.note_restore(counting, 1_700_000_000)
    between = Tokens(bytes(32), restore_detection.restores(counting))
    restore_detection.note_restore(counting, 1_700_000_009)
    assert restore_detection.restores(counting) == (1_700_000_000, 1_700_000_009)
    after = Tokens(bytes(32), restore_detection.restores(counting))
    for token, is_void in (
        (old, True),
        (between.letter(12, 3, 17), True),
        (after.letter(12, 3, 17), False),
    ):
        found = after.read(token)
        assert found is not None
        assert (found.board, found.player, found.move) == (12, 3, 17)
        assert found.is_void is is_void


def test_a_late_writer_does_not_write_an_older_count(
    any_home: Path, counting: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the count and the file of one process another one counts and writes."""
    write = restore_detection._write

    def late(home: Path, count: int, *, synced: bool) -> None:
        monkeypatch.undo()
        restore_detection.advance(counting, any_home, durable=True)
        write(home, count, synced=synced)

    monkeypatch.setattr(restore_detection, "_write", late)
    restore_detection.advance(counting, any_home, durable=True)
    with reading(counting) as connection:
        count = connection.execute(select(Installation.generation)).scalar()
    assert int((any_home / GENERATION_FILE).read_text("ascii")) == count
