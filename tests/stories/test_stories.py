"""Every story brings the letters that its file holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.stories.story import told
from tests.stories.town import letters_in, town_at

STORIES = sorted(Path(__file__).parent.glob("*.txt"))


# The server looks at its clock in every hour that passes in a story, which is slow.
SLOW = [each for each in STORIES if "\n~~ " in each.read_text("utf-8")]


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(each, id=each.stem, marks=[pytest.mark.slow] if each in SLOW else [])
        for each in STORIES
    ],
)
def test_a_story_comes_true(file: Path, any_home: Path, rewrites: bool) -> None:
    """The emails of the story, sent to a real SMTP listener, bring the letters in it.

    They do so on SQLite and on PostgreSQL.
    """
    true = told(file, any_home)
    if rewrites:
        file.write_text(true, "utf-8")
    assert file.read_text("utf-8") == true


@pytest.mark.parametrize(
    "file", [each for each in STORIES if "\ndefaults: yes\n" in each.read_text("utf-8")]
)
def test_an_evening_of_play_meets_no_limit_of_a_new_server(file: Path, home: Path) -> None:
    """Each email is carried out and answered at once, and none is the last one of the day."""
    assert "<< nobody" not in told(file, home)
    for letter in letters_in(home):
        assert "refused" not in letter.subject
        for words in ("NOT DONE", "last answer to such emails today", "at most", "newcomer"):
            assert words not in letter.text, letter.text


def test_a_player_who_follows_the_welcome_letter_meets_no_limit(home: Path) -> None:
    """It asks for a reply with the lines that it shows. Each of them is carried out."""
    with town_at(home, is_unhurried=False) as town:
        town.sign_up("ann", "bob", "cleo", "eve")
        welcome = town.last_letter_to("eve@example.org")
        text = " ".join(welcome.text.split())
        assert "reply to this letter with a line like this" in text
        assert "For more, reply to this letter with one of these lines:" in text
        lines = re.findall(r"^  (\w+(?: \w+)+)", welcome.text, re.MULTILINE)
        assert lines == [
            "perudo challenge eve ann bob cleo",
            "help tutorial",
            "help perudo",
            "help commands",
        ]
        for line in lines:
            answer = [each for each in town.reply(welcome, line) if each.to == welcome.to]
            assert len(answer) == 1, line
            assert "refused" not in answer[0].subject
            assert "last answer to such emails today" not in answer[0].text
