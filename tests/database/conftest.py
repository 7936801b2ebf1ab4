"""Tests of the upgrade of a database: they take each of its steps."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory

from tests import shortcuts

# These look at rows of a finished database, and not at how it was made.
OF_ROWS = {
    "test_engine.py",
    "test_installation.py",
    "test_prepared_statements.py",
    "test_restore_detection.py",
}


@pytest.fixture(autouse=True)
def without_shortcuts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every new database is made by the real steps."""
    if request.path.name not in OF_ROWS:
        shortcuts.leave(monkeypatch)


@pytest.fixture(autouse=True, scope="session")
def steps_read_once() -> Iterator[None]:
    """Alembic reads the files of the steps once in a process, and not for each upgrade."""
    read, known = ScriptDirectory.from_config, dict[str | None, ScriptDirectory]()

    def found(config: Config) -> ScriptDirectory:
        place = config.get_main_option("script_location")
        if place not in known:
            known[place] = read(config)
        return known[place]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ScriptDirectory, "from_config", found)
        yield
