"""The golden letters: what the players of one round read, word for word."""

from __future__ import annotations

import pytest

from tests.letters.golden import FOLDER, OPTIONS, golden


@pytest.mark.parametrize("rules", OPTIONS)
def test_the_letters_are_the_golden_ones(rules: str) -> None:
    """After a change of words: python -m tests.letters.golden --write, and read them."""
    kept = {file.name: file.read_text("utf-8") for file in (FOLDER / rules).iterdir()}
    assert dict(golden(rules)) == kept
