"""Tests of password hashes: they use the parameters of a real server."""

from __future__ import annotations

import pytest

from tests import shortcuts


@pytest.fixture(autouse=True)
def without_shortcuts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every password is hashed with the library's own parameters."""
    shortcuts.leave(monkeypatch)
