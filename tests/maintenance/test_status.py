"""`pbmserv status`: what runs and what waits, for an operator and for a monitor."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine, insert, select

from pbmserv.database import leases, models
from pbmserv.database.engine import close, writing
from pbmserv.database.upgrade import newest_revision, open_database
from pbmserv.home import open_home
from pbmserv.maintenance.status import status_of
from pbmserv.schedule.tick_lease import take_lease
from tests.cli.processes import invoked
from tests.stories.town import town_at

NOW = 1_795_210_340
HOLDER = "games1 process 4711, pbmserv 0.1.0"


@pytest.fixture
def engine(any_home: Path) -> Iterator[Engine]:
    """The database of two players with a board, whose first move is made; a letter waits."""
    with town_at(any_home) as town:
        town.now = NOW
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob")
        town.move("ann", "2-2s")
    engine = open_database(open_home(any_home))
    with writing(engine) as connection:
        take_lease(connection, "a test", NOW)
        if not connection.execute(select(models.Installation)).first():
            row = {"id": 1, "fingerprint": ""}
            connection.execute(insert(models.Installation), row)
    yield engine
    close(engine)


def change(engine: Engine, statement: str) -> None:
    with writing(engine) as connection:
        connection.exec_driver_sql(statement)


def test_it_says_what_runs_and_what_was_last(engine: Engine, any_home: Path) -> None:
    settings = open_home(any_home)
    with leases.serving(engine, HOLDER, NOW - 7, 0), leases.sending(engine, 0):
        found = status_of(engine, settings, NOW)
    assert (found.server, found.since) == (HOLDER, NOW - 7)
    assert (found.last_email, found.last_letter, found.last_tick) == (NOW, NOW, NOW)
    assert (found.emails, found.aside, found.letters, found.failed) == (0, 0, 0, 0)
    assert (found.boards, found.revision, found.problems) == (1, newest_revision(), ())
    assert found.size > 100_000


@pytest.mark.parametrize(("later", "is_changed"), [(1, True), (-1, False)])
def test_it_says_if_the_settings_were_changed_after_the_server_began(
    engine: Engine, any_home: Path, later: int, is_changed: bool
) -> None:
    settings, file = open_home(any_home), any_home / "pbmserv.toml"
    file.touch()
    os.utime(file, (NOW, NOW + later))
    with leases.serving(engine, HOLDER, NOW, 0):
        assert status_of(engine, settings, NOW).changed == is_changed
    assert not status_of(engine, settings, NOW).changed, "no server runs"


def test_it_counts_what_waits_and_names_problems(engine: Engine, any_home: Path) -> None:
    change(engine, "update inbox set state = 'aside' where id = 1")
    change(engine, "update inbox set state = 'waiting' where id = 2")
    change(engine, "update outbox set state = 'failed' where id = 1")
    change(engine, "update outbox set state = 'due' where id = 2")
    found = status_of(engine, open_home(any_home), NOW)
    assert (found.emails, found.aside, found.letters, found.failed) == (1, 1, 1, 1)
    assert found.server is None
    (problem,) = found.problems
    assert (problem.name, problem.said) == ("queues", "emails set aside: 1")


def test_the_exit_code_tells_a_monitor(home: Path) -> None:
    """0 is well, 3 means no server, 1 is any other problem."""
    with town_at(home) as town:
        town.sign_up("ann")
    engine = open_database(open_home(home))
    with writing(engine) as connection:
        connection.execute(insert(models.Installation), {"id": 1, "fingerprint": ""})
    assert status(home) == (3, [])
    with leases.serving(engine, HOLDER, NOW, 0):
        assert status(home) == (1, ["sending"])
    with leases.serving(engine, HOLDER, NOW, 0), leases.sending(engine, 0):
        assert status(home) == (0, [])
        with closing(sqlite3.connect(home / "pbmserv.sqlite")) as file, file:
            file.execute("update inbox set state = 'aside' where id = 1")
        assert status(home) == (1, ["queues"])
        printed = invoked(home, "pbmserv", "status").stdout.splitlines()
    told = " ".join(" ".join(printed[:2]).split())
    assert told == f"server running since 2026-11-20 21:32 UTC: {HOLDER}"
    assert "PROBLEM    queues: emails set aside: 1" in printed
    close(engine)


def test_it_makes_no_home_and_upgrades_no_database(home: Path) -> None:
    """A monitor calls it beside any server, also one of an older version."""
    home.mkdir(mode=0o700)
    done = invoked(home, "pbmserv", "status")
    assert (done.returncode, list(home.iterdir())) == (78, [])
    assert "there is no database yet" in done.stderr
    close(open_database(open_home(home)))
    (home / "key").write_bytes(bytes(32))
    (home / "key").chmod(0o600)
    with closing(sqlite3.connect(home / "pbmserv.sqlite")) as connection, connection:
        connection.execute("update alembic_version set version_num = '0035'")
    done = invoked(home, "pbmserv", "status")
    assert done.returncode == 78
    assert "of an older version" in done.stderr
    with closing(sqlite3.connect(home / "pbmserv.sqlite")) as connection:
        assert connection.execute("select version_num from alembic_version").fetchone() == ("0035",)


def test_a_nearly_full_disk_is_a_problem(
    engine: Engine, any_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No letter need be waiting for it."""
    monkeypatch.setattr("pbmserv.maintenance.doctor.home.LEAST_FREE", 10**18)
    found = status_of(engine, open_home(any_home), NOW)
    assert [each.name for each in found.problems] == ["disk"]


def status(home: Path) -> tuple[int, list[str]]:
    """The exit code, and the names of the problems."""
    done = invoked(home, "pbmserv", "status", "--json")
    found = json.loads(done.stdout)
    assert found["running"] is (done.returncode != 3)
    return done.returncode, [each["name"] for each in found["problems"]]
