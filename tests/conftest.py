"""What most tests need: a home of their own, with a real database in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from sqlalchemy import Engine

from pbmserv.database import close, open_database
from pbmserv.passwords import Passwords
from pbmserv.settings import Settings, open_home


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A place for a home; nothing is there yet."""
    return tmp_path / "home"


@pytest.fixture
def settings(home: Path) -> Settings:
    """The settings of a new home."""
    return open_home(home)


@pytest.fixture
def engine(settings: Settings) -> Iterator[Engine]:
    """A new database in the home, with the newest schema."""
    engine = open_database(settings)
    yield engine
    close(engine)


@pytest.fixture
def passwords() -> Passwords:
    """Real argon2id, as cheap as it can be."""
    return Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
