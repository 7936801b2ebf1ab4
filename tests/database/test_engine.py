"""The database: what each transaction promises, on real files."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path
from threading import Timer
from time import monotonic

import pytest
from sqlalchemy import Connection, Engine, insert, select
from sqlalchemy.exc import IntegrityError, InternalError, OperationalError

from pbmserv.database import models
from pbmserv.database.engine import (
    checkpoint,
    close,
    disconnect_kept_engines,
    engine_for,
    held,
    keep_engine,
    reading,
    translated,
    writing,
)
from pbmserv.database.full_disk import reason
from pbmserv.database.upgrade import open_database
from pbmserv.errors import Misconfigured, TryLater
from pbmserv.settings import Settings
from tests.database.board_row import BOARD_1
from tests.limits import no_more_files
from tests.postgresql import Cluster

LINE = {"board_id": 1, "number": 1, "line": "A 4-2s"}


def pragma(connection: Connection, name: str) -> object:
    return connection.exec_driver_sql(f"PRAGMA {name}").scalar()


def boards(engine: Engine) -> list[int]:
    with reading(engine) as connection:
        return list(connection.execute(select(models.Board.id)).scalars())


@pytest.mark.parametrize("durable", [True, False])
def test_every_connection_has_the_settings_that_the_promises_need(
    engine: Engine, durable: bool
) -> None:
    with writing(engine, durable=durable) as connection:
        assert pragma(connection, "journal_mode") == "wal"
        assert pragma(connection, "synchronous") == (2 if durable else 1)  # FULL or NORMAL
        assert pragma(connection, "foreign_keys") == 1
        assert pragma(connection, "secure_delete") == 1
        assert pragma(connection, "busy_timeout") == 10_000


def test_a_durable_commit_after_a_fleeting_one_is_durable(engine: Engine) -> None:
    """The connection is the same one of the pool, its setting is not."""
    for durable in (True, False, True, False, True):
        with writing(engine, durable=durable) as connection:
            assert pragma(connection, "synchronous") == (2 if durable else 1)
    with reading(engine) as connection:
        assert pragma(connection, "synchronous") == 2


def test_a_transaction_that_reads_and_has_written_fails(engine: Engine) -> None:
    with (
        pytest.raises(RuntimeError, match="only reads has written"),
        reading(engine) as connection,
    ):
        connection.execute(insert(models.Board), BOARD_1)
    assert boards(engine) == []


def test_a_committed_write_is_kept_and_an_aborted_one_is_not(engine: Engine) -> None:
    with writing(engine) as connection:
        connection.execute(insert(models.Board), BOARD_1)
    with pytest.raises(ZeroDivisionError), writing(engine) as connection:
        connection.execute(insert(models.Board), {**BOARD_1, "id": 2})
        _ = 1 / 0
    assert boards(engine) == [1]


def test_a_reader_sees_one_moment_and_holds_up_no_writer(engine: Engine) -> None:
    with reading(engine) as connection:
        before = connection.execute(select(models.Board.id)).all()
        with writing(engine) as other:
            other.execute(insert(models.Board), BOARD_1)
        assert connection.execute(select(models.Board.id)).all() == before == []
    assert boards(engine) == [1]


def test_a_kept_engine_is_used_each_time_its_database_is_opened(settings: Settings) -> None:
    """It can be used again after it was disconnected; other databases have their own engines."""
    other = replace(settings, database="sqlite:///other.sqlite")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pbmserv.database.engine._KEPT", {})
        engine = keep_engine(settings)
        for _ in range(2):
            assert open_database(settings) is engine
            assert boards(engine) == []
            disconnect_kept_engines()
        assert engine_for(other) is not engine
    assert engine_for(settings) is not engine


def test_a_writer_has_the_lock_from_the_start(
    engine: Engine, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second one that may not wait any longer is told to try later, before it did anything."""
    monkeypatch.setattr("pbmserv.database.engine._SQLITE_SETTINGS", ("PRAGMA busy_timeout = 20",))
    hurried = engine_for(settings)
    with writing(engine):
        with pytest.raises(TryLater, match="database is locked"), writing(hurried):
            pytest.fail("two writers at once")
        with reading(hurried) as connection:
            assert connection.execute(select(models.Board.id)).all() == []
    with writing(hurried) as connection:
        connection.execute(insert(models.Board), BOARD_1)
    hurried.dispose()


@pytest.mark.parametrize(
    ("configured", "durable", "waits"),
    [
        ("off", True, "on"),
        ("off", False, "off"),
        ("on", True, "on"),
        ("local", True, "local"),
        ("remote_apply", True, "remote_apply"),
    ],
)
def test_on_postgresql_a_durable_commit_waits_for_the_disk(
    home: Path, postgresql: Cluster, configured: str, durable: bool, waits: str
) -> None:
    """Also where it is configured that no commit waits; a stricter setting stays."""
    url = f"{postgresql.database_with_tables()}&options=-csynchronous_commit%3D{configured}"
    engine = open_database(Settings(home=home, database=url))
    for _ in range(2):  # on a connection of the pool, too
        with writing(engine, durable=durable) as connection:
            assert connection.exec_driver_sql("SHOW synchronous_commit").scalar() == waits
    with reading(engine) as connection:
        assert connection.exec_driver_sql("SHOW synchronous_commit").scalar() == configured
    close(engine)


def test_on_postgresql_statements_stay_prepared_after_reading(
    home: Path, postgresql: Cluster
) -> None:
    """A reader that writes is refused there, too."""
    engine = open_database(Settings(home=home, database=postgresql.database_with_tables()))
    with held(engine):
        for _ in range(10):  # psycopg prepares a statement that comes often
            with reading(engine) as connection:
                connection.execute(select(models.Board.id))
        with reading(engine) as connection:
            counted = connection.exec_driver_sql("SELECT count(*) FROM pg_prepared_statements")
            assert counted.scalar() == 1
    with pytest.raises(InternalError, match="read-only"), reading(engine) as connection:
        connection.execute(insert(models.Board), BOARD_1)
    close(engine)


def test_on_postgresql_a_writer_waits_for_another_one_for_so_long(
    home: Path, postgresql: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It gets the database as soon as the other writer is done."""
    monkeypatch.setattr("pbmserv.database.engine.BUSY_SECONDS", 1)
    settings = Settings(home=home, database=postgresql.database_with_tables())
    one, other = open_database(settings), open_database(settings)
    with writing(one):
        begun = monotonic()
        with pytest.raises(TryLater, match="lock timeout"), writing(other):
            pass
        assert 0.9 < monotonic() - begun < 60
    with writing(other) as connection:
        connection.execute(insert(models.Board).values(BOARD_1))
    assert boards(one) == [1]
    close(one)
    close(other)


@pytest.mark.parametrize("freed", [True, False])
def test_a_locked_new_database_is_retried_for_a_while(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, freed: bool
) -> None:
    """Before it writes ahead SQLite does not wait by itself."""
    monkeypatch.setattr("pbmserv.database.engine._SQLITE_SETTINGS", ("PRAGMA busy_timeout = 0",))
    monkeypatch.setattr("pbmserv.database.engine.BUSY_SECONDS", 5 if freed else 0.05)
    plain = sqlite3.connect(settings.home / "pbmserv.sqlite", check_same_thread=False)
    plain.execute("BEGIN EXCLUSIVE")
    release = Timer(0.1, plain.rollback)
    if freed:
        release.start()
        close(open_database(settings))
        release.join()
    else:
        with pytest.raises(TryLater, match="locked"):
            open_database(settings)
    plain.close()


def test_an_exhausted_connection_pool_means_try_later(settings: Settings) -> None:
    engine = engine_for(settings)
    engine.pool._timeout = 0.01  # type: ignore[attr-defined]  # ten seconds are long for a test
    held = [engine.connect() for _ in range(15)]
    with pytest.raises(TryLater, match="in use"), reading(engine):
        pytest.fail("a sixteenth connection")
    for each in held:
        each.close()
    engine.dispose()


def test_a_full_disk_means_try_later(engine: Engine) -> None:
    with pytest.raises(TryLater, match="full"), writing(engine) as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 1")
        for number in range(100):
            connection.execute(insert(models.Board), BOARD_1 | {"id": number, "recent": "x" * 5000})
    assert boards(engine) == []


@pytest.mark.parametrize(
    ("code", "room", "said"),
    [
        (sqlite3.SQLITE_IOERR, 0, "the disk is full (disk I/O error)"),
        (sqlite3.SQLITE_IOERR, 10**9, "disk I/O error"),
        (sqlite3.SQLITE_BUSY, 0, "disk I/O error"),
    ],
)
def test_an_error_of_a_disk_without_room_is_named_so(code: int, room: int, said: str) -> None:
    """SQLite has no room for the index of its log there, and speaks of an error of the disk."""
    assert reason("disk I/O error", code, room) == said


def test_a_process_that_cannot_begin_among_many_is_told_to_try_later(engine: Engine) -> None:
    """SQLite gives up after some seconds, and calls that a problem of its locks' protocol."""
    found = sqlite3.OperationalError("locking protocol")
    found.sqlite_errorcode = sqlite3.SQLITE_PROTOCOL
    with pytest.raises(TryLater, match="locking protocol"), translated(engine):
        raise OperationalError("BEGIN IMMEDIATE", {}, found)


def test_too_many_open_files_mean_try_later(engine: Engine) -> None:
    """SQLite only says that it cannot open the file, which is there and may be opened."""
    engine.dispose()  # otherwise an open connection would do
    with no_more_files(), pytest.raises(TryLater, match="too many open files"), writing(engine):
        pytest.fail("a connection without a file")
    assert boards(engine) == []


def test_a_bug_stays_a_bug(engine: Engine) -> None:
    with pytest.raises(OperationalError, match="no such table"), writing(engine) as connection:
        connection.exec_driver_sql("select * from nowhere")


def test_the_second_event_with_the_same_number_fails(engine: Engine) -> None:
    with writing(engine) as connection:
        connection.execute(insert(models.Board), BOARD_1)
        connection.execute(insert(models.BoardEvent), LINE)
    with pytest.raises(IntegrityError), writing(engine) as connection:
        connection.execute(insert(models.BoardEvent), LINE)


def test_a_row_that_points_nowhere_is_refused(engine: Engine) -> None:
    with pytest.raises(IntegrityError, match="FOREIGN KEY"), writing(engine) as connection:
        connection.execute(insert(models.BoardEvent), LINE)


def test_blanked_text_is_nowhere_in_the_home(engine: Engine, settings: Settings) -> None:
    secret = b"move 12 ann open-sesame dudo"
    row = {
        "sender": "ann@example.org", "message_id": "1", "recipient": "p@x", "transport": "smtp",
        "raw": secret, "received_at": 0, "state": "waiting", "tries": 0, "reason": "",
    }  # fmt: skip
    with writing(engine) as connection:
        connection.execute(insert(models.InboxMail), row)
    checkpoint(engine)
    assert secret in settings.home.joinpath("pbmserv.sqlite").read_bytes()
    with writing(engine) as connection:
        connection.execute(models.InboxMail.__table__.update().values(raw=b""))  # type: ignore[attr-defined] # it is a Table
    close(engine)
    for file in settings.home.rglob("*"):
        assert b"open-sesame" not in file.read_bytes(), file


def test_closing_empties_the_log_even_while_another_process_has_the_database_open(
    engine: Engine, settings: Settings
) -> None:
    other = engine_for(settings)
    with writing(other) as connection:
        connection.execute(insert(models.Board), BOARD_1)
    log = settings.home / "pbmserv.sqlite-wal"
    assert log.stat().st_size > 0
    close(engine)
    assert log.stat().st_size == 0
    close(other)
    assert not log.exists()


def test_closing_and_checkpoints_wait_for_no_other_process(
    engine: Engine, settings: Settings
) -> None:
    other = engine_for(settings)
    with writing(other) as connection:
        connection.execute(insert(models.Board), BOARD_1)
        checkpoint(engine)
        close(engine)
    close(other)


def test_closing_an_unmade_database_does_not_create_it(settings: Settings) -> None:
    close(engine_for(settings))
    assert not (settings.home / "pbmserv.sqlite").exists()


def test_a_relative_path_is_meant_from_the_home(settings: Settings) -> None:
    engine = open_database(replace(settings, database="sqlite:///other.sqlite"))
    close(engine)
    assert (settings.home / "other.sqlite").exists()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("sqlite://", "must be a file"),
        ("sqlite:///:memory:", "must be a file"),
        ("sesame", "not a URL that SQLAlchemy understands"),
        ("nosuch://sesame@host/name", "must be SQLite or PostgreSQL"),
        ("mysql+pymysql://me:sesame@host/name", "must be SQLite or PostgreSQL"),
        (
            "postgresql+psycopg2://me:sesame@host/name",
            "psycopg2 is missing: write postgresql.psycopg://…, and install the extra postgresql",
        ),
    ],
)
def test_a_wrong_url_is_reported_in_one_line_without_its_password(
    settings: Settings, url: str, said: str
) -> None:
    with pytest.raises(Misconfigured, match=said) as caught:
        engine_for(replace(settings, database=url))
    assert "sesame" not in str(caught.value)


@pytest.mark.parametrize(
    ("contents", "said"),
    [(b"no database, but long enough to be looked at " * 100, "not a database")],
)
def test_an_invalid_database_file_is_reported_in_one_line(
    settings: Settings, contents: bytes, said: str
) -> None:
    (settings.home / "pbmserv.sqlite").write_bytes(contents)
    with pytest.raises(Misconfigured, match=said):
        open_database(settings)


def test_an_unopenable_database_is_reported_in_one_line(settings: Settings) -> None:
    (settings.home / "pbmserv.sqlite").mkdir()
    with pytest.raises(Misconfigured, match="unable to open"):
        open_database(settings)


def test_the_file_is_a_plain_sqlite_database(engine: Engine, settings: Settings) -> None:
    with writing(engine) as connection:
        connection.execute(insert(models.Board), BOARD_1)
    plain = sqlite3.connect(settings.home / "pbmserv.sqlite")
    assert plain.execute("select id, moved_at from boards").fetchall() == [(1, 2**40)]
    plain.close()


def test_events_are_stored_in_the_order_of_their_key(engine: Engine) -> None:
    """WITHOUT ROWID: a board's lines are side by side, and there is no second index."""
    with reading(engine) as connection:
        query = "select sql from sqlite_master where name = 'happenings'"
        assert "WITHOUT ROWID" in str(connection.exec_driver_sql(query).scalar())


def test_a_home_with_blanks_and_other_signs_in_its_path_works(tmp_path: Path) -> None:
    home = tmp_path / "my games? 100%40 #1"
    home.mkdir()
    engine = open_database(Settings(home=home))
    assert boards(engine) == []
    close(engine)
    assert (home / "pbmserv.sqlite").exists()


def test_a_connection_that_postgresql_closed_is_replaced_without_an_error(
    home: Path, postgresql: Cluster
) -> None:
    """PostgreSQL was restarted between two transactions, say: neither of them fails."""
    url = postgresql.database_with_tables()
    engine, other = (engine_for(Settings(home=home, database=url)) for _ in range(2))
    with reading(engine) as connection:
        number = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar()
    with writing(other) as connection:
        connection.exec_driver_sql(f"SELECT pg_terminate_backend({number}, 60000)")
    assert boards(engine) == []
    close(engine)
    close(other)
