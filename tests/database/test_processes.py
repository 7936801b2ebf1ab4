"""Several processes at once on one database, and one that is killed in the middle."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from sqlalchemy import Engine, func, select

from pbmserv.database.engine import close, reading
from pbmserv.database.models import Board, Counter
from pbmserv.database.upgrade import open_database
from pbmserv.home import open_home
from tests.database.at_once import run_at_once, started

pytestmark = pytest.mark.long

COUNT = """
from pbmserv.database import engine as databases
# On a busy machine the steps of the upgrade take longer than a writer waits by itself.
databases.BUSY_SECONDS = 300
databases._SQLITE_SETTINGS = ("PRAGMA busy_timeout = 300000", *databases._SQLITE_SETTINGS[1:])
from pbmserv.database.engine import close, writing
from pbmserv.database.upgrade import open_database
from pbmserv.ratelimit.fixed_window import note
from pbmserv.home import open_home

def act(barrier):
    barrier.wait()
    engine = open_database(open_home(Path(sys.argv[1])))
    for _ in range(25):
        with writing(engine) as connection:
            note(connection, "count", "all", 60, 1_800_000_000)
    close(engine)
"""

OPEN_AT_ONCE = """
from pbmserv.database.engine import close, engine_for
from pbmserv.database.upgrade import open_database
from pbmserv.home import open_home

homes = [open_home(Path(sys.argv[1]) / str(number)) for number in range(100)]

def act(barrier):
    barrier.wait()
    close(open_database(homes[0]))
    # Without the tables a home takes 10 ms, so the instant is met more often.
    for each in homes[1:]:
        barrier.wait()
        engine = engine_for(each)
        with engine.connect() as connection:
            connection.exec_driver_sql("create table if not exists tables (name text)")
        close(engine)
"""

WRITE_FOR_EVER = """
import sys
from pathlib import Path
from sqlalchemy import insert
from pbmserv.database.engine import writing
from pbmserv.database.upgrade import open_database
from pbmserv.database.models import Board
from pbmserv.home import open_home
engine = open_database(open_home(Path(sys.argv[1])))
for number in range(1, 10**9):
    with writing(engine) as connection:
        for half in (0, 1):
            connection.execute(insert(Board).values(
                id=2 * number + half, game="perudo", position="x" * 3000, move=1, turn=0, lines=0,
                chain=bytes(32), recent="", started_at=0, moved_at=0))
    print(number, flush=True)
"""


def counted(engine: Engine) -> int | None:
    with reading(engine) as connection:
        return connection.execute(select(func.sum(Counter.count))).scalar()


def test_processes_that_make_the_database_at_once_all_work_and_lose_no_write(
    any_new_home: Path,
) -> None:
    """Each process makes the home, the tables and its counts; the second waits for the first."""
    run_at_once(3, COUNT, any_new_home)
    engine = open_database(open_home(any_new_home))
    assert counted(engine) == 75
    close(engine)


def test_processes_that_open_a_new_database_in_the_same_instant_all_work(home: Path) -> None:
    """SQLite refuses, without waiting, those who turn to its write-ahead log at once."""
    run_at_once(6, OPEN_AT_ONCE, home)


def test_a_killed_process_leaves_whole_transactions_only(home: Path) -> None:
    process = started(WRITE_FOR_EVER, home)
    assert process.stdout is not None
    promised = 0
    while promised < 60:
        promised = int(process.stdout.readline())
    process.send_signal(signal.SIGKILL)
    rest, _ = process.communicate()
    promised = int((rest.split() or [str(promised)])[-1])
    engine = open_database(open_home(home))
    with reading(engine) as connection:
        rows, last = connection.execute(select(func.count(), func.max(Board.id))).one()
    close(engine)
    assert rows % 2 == 0
    assert rows == last - 1  # numbered from 2, without a gap
    assert rows >= 2 * promised
