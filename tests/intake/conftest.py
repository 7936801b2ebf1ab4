"""A town in which a game has begun, for tests of the emails that its players write."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stories.town import Town, town_at


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    """A town where ann and bob play on board 1, and ann is on turn."""
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob")
        yield town
