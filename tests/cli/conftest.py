"""Homes with a board, for tests of commands at a shell."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.stories.town import town_at


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home where a round of board 1 is over and the next one runs; no test changes it."""
    home = tmp_path_factory.mktemp("played") / "home"
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob")
        town.move("ann", "2-2s")
        town.move("bob", "dudo")
    return home


@pytest.fixture
def copied(played: Path, tmp_path: Path) -> Path:
    """A copy of that home, which a test may change."""
    return shutil.copytree(played, tmp_path / "home")
