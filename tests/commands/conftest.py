"""A home with boards of every kind, for tests that type commands."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.commands.badinput import furnish


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of `badinput.furnish`."""
    home = tmp_path_factory.mktemp("furnished") / "home"
    furnish(home)
    return home


@pytest.fixture
def town_home(furnished: Path, tmp_path: Path) -> Path:
    """The furnished home, for one test."""
    return shutil.copytree(furnished, tmp_path / "home")
