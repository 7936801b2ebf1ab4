"""The golden letters: what the players of one round read, word for word."""

from __future__ import annotations

from tests.letters.golden import FOLDER, everything


def test_the_letters_are_the_golden_ones() -> None:
    """After a change of words: python -m tests.letters.golden --write, and read them."""
    kept = {
        file.relative_to(FOLDER).as_posix(): file.read_text("utf-8")
        for file in FOLDER.rglob("*.txt")
    }
    assert everything() == kept
