"""These tests are about the steps of the upgrade: they take each of them."""

from __future__ import annotations

import pytest

from tests import shortcuts


@pytest.fixture(autouse=True)
def without_shortcuts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every new database is made by the real steps."""
    shortcuts.leave(monkeypatch)
