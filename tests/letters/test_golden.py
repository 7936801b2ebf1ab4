"""The golden letters: what the players of one round read, word for word."""

from __future__ import annotations

import shutil

from sqlalchemy import Engine

from pbmserv.database.engine import writing
from tests.letters.golden import FOLDER, everything


def test_the_letters_are_the_golden_ones(engine: Engine, rewrites: bool) -> None:
    """After a change of words: pytest tests/letters --rewrite, and read them."""
    with writing(engine) as connection:
        found = everything(connection)
    if rewrites:
        shutil.rmtree(FOLDER, ignore_errors=True)
        for name, text in found.items():
            file = FOLDER / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
    kept = {
        file.relative_to(FOLDER).as_posix(): file.read_text("utf-8")
        for file in FOLDER.rglob("*.txt")
    }
    assert found == kept
