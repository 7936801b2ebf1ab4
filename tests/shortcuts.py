"""Faster ways for work that most tests need: hashes of passwords, new tables, templates.

A password is hashed by argon2id as cheaply as it can be.  A new SQLite database gets its tables
from the dump of another one.  The steps of the upgrade make that one once in a test run.  The tests
of hashes (tests/security) and of the steps (tests/database) use the real ones.  The processes of a
test run share compiled templates, which otherwise each would compile.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from jinja2.bccache import Bucket
from sqlalchemy import Connection

from pbmserv.database import upgrade
from pbmserv.database.engine import close
from pbmserv.home import open_home
from pbmserv.letters.compiled_templates import COMPILED, CompiledTemplates
from pbmserv.security import passwords
from tests.shared import made_once, shared_folder

_CHEAP = partial(PasswordHasher, time_cost=1, memory_cost=8, parallelism=1)
_OF_DUMPS = ("BEGIN TRANSACTION;", "COMMIT;")
_real_steps = upgrade._run_steps
_of_the_run = CompiledTemplates()


def take(patch: pytest.MonkeyPatch) -> None:
    """Use the shortcuts until the patch is undone."""
    patch.setattr(passwords, "PasswordHasher", _CHEAP)
    patch.setattr(upgrade, "_run_steps", _steps)
    _of_the_run.home = shared_folder()
    patch.setattr(COMPILED, "load_bytecode", _load_template)
    patch.setattr(COMPILED, "dump_bytecode", _keep_template)


def leave(patch: pytest.MonkeyPatch) -> None:
    """Do without the shortcuts until the patch is undone."""
    patch.setattr(passwords, "PasswordHasher", PasswordHasher)
    patch.setattr(upgrade, "_run_steps", _real_steps)


def _load_template(bucket: Bucket) -> None:
    """Give a template its code from the home, or else from the run."""
    CompiledTemplates.load_bytecode(COMPILED, bucket)
    if bucket.code is None:
        _of_the_run.load_bytecode(bucket)


def _keep_template(bucket: Bucket) -> None:
    """Keep the code of a template in the home and for the run."""
    CompiledTemplates.dump_bytecode(COMPILED, bucket)
    _of_the_run.dump_bytecode(bucket)


def _steps(connection: Connection) -> None:
    """Make the tables of a new SQLite database; any other one takes the real steps."""
    if connection.dialect.name != "sqlite" or upgrade.revision_of(connection) is not None:
        _real_steps(connection)
        return
    for statement in _statements():
        connection.exec_driver_sql(statement)


@cache
def _statements() -> Sequence[str]:
    """The statements that make a new database."""
    found: Sequence[str] = json.loads(made_once("tables", _dump).read_text("utf-8"))
    return found


def _dump(target: Path) -> None:
    """Take the steps of the upgrade, and write down the statements that lead to the same tables."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        leave(patch)
        engine = upgrade.open_database(open_home(Path(folder)))
        with engine.connect() as connection:
            driver: Any = connection.connection.driver_connection
            found = [each for each in driver.iterdump() if each not in _OF_DUMPS]
        close(engine)
    target.write_text(json.dumps(found), "utf-8")
