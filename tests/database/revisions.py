"""The steps of the upgrade, one by one, for tests."""

from __future__ import annotations

from importlib.resources import files

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Engine

from pbmserv.database.upgrade import restructuring


def steps() -> ScriptDirectory:
    return ScriptDirectory(str(files("pbmserv.migrations")))


REVISIONS = [step.revision for step in steps().walk_revisions()]


def run(engine: Engine, name: str, revision: str) -> None:
    with restructuring(engine) as connection:
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", str(files("pbmserv.migrations")))
        getattr(command, name)(config, revision)
