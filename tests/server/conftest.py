"""A home with a board, for tests of a running server."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stories.town import town_at


@pytest.fixture
def playing(home: Path) -> Path:
    """A home where ann, bob and cleo play on board 1, and ann is on turn."""
    with town_at(home) as town:
        town.sign_up("ann", "bob", "cleo")
        town.challenge("ann", "bob", "cleo")
    return home
