"""Every story comes true, letter by letter."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stories.story import told

pytestmark = pytest.mark.spread

STORIES = sorted(Path(__file__).parent.glob("*.txt"))


@pytest.mark.parametrize("file", STORIES, ids=lambda file: file.stem)
def test_a_story_comes_true(file: Path, any_home: Path, rewrites: bool) -> None:
    """The mails of the story, sent to a real SMTP door, bring the letters that it tells.

    They do so on SQLite and on PostgreSQL.
    """
    true = told(file, any_home)
    if rewrites:
        file.write_text(true, "utf-8")
    assert file.read_text("utf-8") == true
