"""The upgrade: from every revision to the newest, once, and no drift from the models."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, create_engine

from pbmserv.boards.record import record_text
from pbmserv.database.engine import close, engine_for, reading, writing
from pbmserv.database.models import Base
from pbmserv.database.upgrade import newest_revision, open_database, upgrade
from pbmserv.errors import Misconfigured
from pbmserv.home import open_home
from pbmserv.settings import Settings
from tests.boards.contexts import context_on, opened
from tests.database.revisions import REVISIONS, run, steps
from tests.homes import home_with_tables

pytestmark = pytest.mark.long

TOP = Path(__file__).parents[2]


def schema(engine: Engine) -> dict[str, list[str]]:
    """The database's own words for every table and index, in the order of the alphabet."""
    with engine.connect() as connection:
        rows = connection.exec_driver_sql("select name, sql from sqlite_master where sql <> ''")
        found = {name: sorted(re.findall(r"\w+", sql)) for name, sql in rows}
    return {name: words for name, words in found.items() if name != "alembic_version"}


def test_the_newest_revision_is_alembics_head() -> None:
    assert newest_revision() == steps().get_current_head()


def test_every_step_is_named_by_its_revision_in_order() -> None:
    assert sorted(REVISIONS) == [f"{number:04d}" for number in range(1, len(REVISIONS) + 1)]
    for step in steps().walk_revisions():
        assert Path(step.path).name.startswith(f"{step.revision}_")


def test_the_schema_is_that_of_the_models(any_new_home: Path) -> None:
    """Alembic's own check finds nothing to do."""
    engine = open_database(open_home(any_new_home))
    with reading(engine) as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
    close(engine)


def test_the_steps_and_the_models_make_the_same_tables(engine: Engine, tmp_path: Path) -> None:
    """To the word: alembic's check does not look at everything, WITHOUT ROWID for one."""
    direct = create_engine(f"sqlite:///{tmp_path}/direct.sqlite")
    Base.metadata.create_all(direct)
    assert schema(engine) == schema(direct)
    direct.dispose()


def test_every_step_leads_to_the_next_and_back(settings: Settings) -> None:
    """Step by step up, down and up again: no step depends on what another one left behind."""
    engine = engine_for(settings)
    passed = {"base": schema(engine)}
    for revision in sorted(REVISIONS):
        run(engine, "upgrade", revision)
        passed[revision] = schema(engine)
    way = list(passed)
    for revision, before in zip(way[:0:-1], way[-2::-1], strict=True):
        run(engine, "downgrade", before)
        assert schema(engine).keys() == passed[before].keys(), f"back from {revision}"
    assert schema(engine) == {}
    upgrade(engine)
    assert schema(engine) == passed[way[-1]]
    close(engine)


def test_an_old_revision_is_upgraded_to_the_newest_at_once(settings: Settings) -> None:
    """From the first one, from the last but one, and from no tables after a way down at once."""
    engine = engine_for(settings)
    run(engine, "upgrade", min(REVISIONS))
    upgrade(engine)
    newest = schema(engine)
    for revision in (sorted(REVISIONS)[-2], "base"):
        run(engine, "downgrade", revision)
        upgrade(engine)
        assert schema(engine) == newest
    close(engine)


def test_foreign_keys_are_kept_after_an_upgrade(settings: Settings) -> None:
    engine = engine_for(settings)
    upgrade(engine)
    with writing(engine) as connection:
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
    close(engine)


def test_a_database_of_a_newer_program_is_left_alone(engine: Engine, settings: Settings) -> None:
    with writing(engine) as connection:
        connection.exec_driver_sql("update alembic_version set version_num = '9999'")
    with pytest.raises(Misconfigured, match=r"pbmserv\.sqlite: made by a newer pbmserv"):
        open_database(settings)


def test_rows_that_an_upgrade_would_leave_dangling_undo_it(settings: Settings) -> None:
    plain = sqlite3.connect(settings.home / "pbmserv.sqlite")
    plain.execute("create table notes (board integer references boards (id))")
    plain.execute("insert into notes values (7)")
    plain.commit()
    with pytest.raises(Misconfigured, match=r"broken rows: .*notes"):
        open_database(settings)
    assert plain.execute("select name from sqlite_master").fetchall() == [("notes",)]
    plain.close()


def test_when_the_schema_is_new_alembic_is_not_even_imported(
    engine: Engine, settings: Settings
) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from pbmserv.database.engine import close\n"
        "from pbmserv.database.upgrade import open_database\n"
        "from pbmserv.home import open_home\n"
        "close(open_database(open_home(Path(sys.argv[1]))))\n"
        "print([name for name in sys.modules if name.startswith('alembic')])"
    )
    said = subprocess.run(
        [sys.executable, "-c", program, str(settings.home)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.strip() == "[]"


def test_a_developers_alembic_reads_setup_cfg(home: Path) -> None:
    """`alembic -c setup.cfg` upgrades, downgrades and checks the home of PBMSERV_HOME.

    The home has a board, whose rows refer to one another.
    """
    engine = open_database(home_with_tables(home))
    with writing(engine) as connection:
        board = opened(context_on(connection), ("ann", "bob")).id
        text = record_text(connection, board)
    close(engine)
    commands = [["downgrade", "0001"], ["upgrade", "head"], ["check"]]
    program = f"""
from alembic.config import main
for words in {commands}:
    main(["-c", "setup.cfg", *words])
"""
    subprocess.run(
        [sys.executable, "-c", program],
        cwd=TOP,
        env={**os.environ, "PBMSERV_HOME": str(home)},
        capture_output=True,
        check=True,
    )
    engine = open_database(open_home(home))
    with reading(engine) as connection:
        assert record_text(connection, board) == text
    close(engine)
