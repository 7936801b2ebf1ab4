"""A home with boards of every kind, for tests that type commands."""

from __future__ import annotations

import shutil
from collections.abc import Callable
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
def another_home(furnished: Path, tmp_path: Path) -> Callable[[], Path]:
    """Copies the furnished home, in place of an earlier copy: each row of a table has its own."""

    def copied() -> Path:
        shutil.rmtree(tmp_path / "home", ignore_errors=True)
        return shutil.copytree(furnished, tmp_path / "home")

    return copied


@pytest.fixture
def town_home(another_home: Callable[[], Path]) -> Path:
    """The furnished home, for one test."""
    return another_home()
