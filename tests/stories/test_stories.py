"""Every story brings the letters that its file holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sqlalchemy import Table, func, select

from pbmserv.database import models
from pbmserv.database.engine import reading
from pbmserv.settings import SETTINGS_FILE
from tests.stories.story import told, told_on_sqlite, without_token
from tests.stories.town import Town, letters_in, town_at

STORIES = sorted(Path(__file__).parent.glob("*.txt"))


# The server looks at its clock in many hours that pass in a story, which is slow.
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
    on_sqlite = told_on_sqlite(file, any_home.with_name("sqlite"))
    is_sqlite = not (any_home / SETTINGS_FILE).exists()
    true = on_sqlite.text if is_sqlite else told(file, any_home, on_sqlite).text
    if rewrites:
        file.write_text(true, "utf-8")
    assert file.read_text("utf-8") == true


@pytest.mark.slow
@pytest.mark.parametrize(
    "file", [each for each in STORIES if "\ndefaults: yes\n" in each.read_text("utf-8")]
)
def test_an_evening_of_play_meets_no_limit_of_a_new_server(file: Path, home: Path) -> None:
    """Each email is carried out and answered at once, and none is the last one of the day."""
    assert "<< nobody" not in told(file, home).text
    for letter in letters_in(home):
        assert "refused" not in letter.subject and "not played" not in letter.subject
        for words in ("NOT DONE", "last answer to such emails today", "at most", "newcomer"):
            assert words not in letter.text, letter.text


def test_a_player_who_follows_the_welcome_letter_meets_no_limit(home: Path) -> None:
    """It asks for a reply with the lines that it shows. Each of them is carried out."""
    with town_at(home, is_unhurried=False) as town:
        town.sign_up("ann", "bob", "cleo", "eve")
        welcome = town.last_letter_to("eve@example.org")
        text = " ".join(welcome.text.split())
        assert "To start a game at once" in text
        assert "For more, reply to this letter with one of these lines:" in text
        lines = re.findall(r"^  (?!set )(\w+(?: \w+)+)", welcome.text, re.MULTILINE)
        assert lines == [
            "perudo challenge eve house house house",
            "perudo challenge eve ann bob cleo",
            "help tutorial",
            "help players",
            "help perudo",
            "help commands",
        ]
        for line in lines:
            answer = [each for each in town.reply(welcome, line) if each.to == welcome.to]
            assert len(answer) == 1, line
            assert "refused" not in answer[0].subject
            assert "not played" not in answer[0].subject
            assert "last answer to such emails today" not in answer[0].text


def test_a_copied_town_of_signed_up_players_is_like_one_where_they_wrote(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same letters, files and rows, and the same dice in the next game."""
    monkeypatch.setattr("tests.stories.town._BEGUN", {})
    found = []
    for name in ("first", "copy"):
        with town_at(tmp_path / name, by_smtp=True) as town:
            town.sign_up("ann", "bob")
            assert (town._listener is None) is (name == "copy")  # nobody had to write
            rows = [
                (table.name, count_of(town, table)) for table in models.Base.metadata.sorted_tables
            ]
            files = {str(each.relative_to(town.home)) for each in town.home.rglob("*")}
            game = town.challenge("ann", "bob")
            letters = [(each.to, each.subject, without_token(each)) for each in town.letters + game]
            found.append((rows, {each for each in files if each.startswith("mail")}, letters))
    assert found[0] == found[1]


def count_of(town: Town, table: Table) -> int:
    with reading(town.engine) as connection:
        return connection.execute(select(func.count()).select_from(table)).scalar_one()
