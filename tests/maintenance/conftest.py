"""A home for tests of what the operator's commands do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stories.town import town_at


@pytest.fixture
def healthy(home: Path) -> Path:
    """A home in which two have signed up; no server runs."""
    with town_at(home) as town:
        town.sign_up("ann", "bob")
    (home / "pbmserv.toml").write_text('smtp = "127.0.0.1:0"\n')
    return home
