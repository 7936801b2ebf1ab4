"""An unfinished language: texts that it lacks are in English."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pbmserv

WRITTEN = {
    "letters/xx/bug.txt": "Subject: Hoppla\nDas war unser Fehler.\n",
    "letters/xx/dates.toml": (
        'date = "{weekday}, {day}. {month} {year}, {time} {zone}"\n'
        'weekdays = ["Mo", "Di", "Mi", "Do", "Fr", "Sa", "So"]\n'
        f"months = {[f'{month}ember' for month in range(1, 13)]}\n"
    ),
    "letters/xx/refusals.toml": "no_message = 'Kein Text am {{ 1795269900 | full_date }}.'\n",
    "letters/xx/help/dice.txt": "WARUM DIE WUERFEL STIMMEN\n",
    "games/perudo/letters/xx/refusals.toml": "game_over = 'Aus.'\n",
}
SAID = """
from pbmserv.letters import render
from pbmserv.games.perudo.rules import rules_named
from pbmserv.games.perudo.table import PlainDice
from pbmserv.commands.manual import payload_of
from tests.letters.plays import Game

moved = Game.opened(rules_named("bga"), PlainDice([((1, 2),) * 3])).facts(0)
for kind, facts in (
    ("bug", {}),
    ("chat_sent", {"board": 12, "to": ["bob"]}),
    ("perudo/moved", moved),
    ("help", payload_of("", ["dice"])),
    ("help", payload_of("", ["mail"])),
):
    words = render.word(kind, facts, "xx")
    print(words.subject, "|", *words.text.split("\\n")[:2])
print(render.refusal("no_message", {}, "xx"))
print(render.refusal("not_your_turn", {"turn": "ann", "board": 12}, "xx").split(".")[0])
print(render.languages())
"""


@pytest.fixture
def half_written(tmp_path: Path) -> Path:
    """The program with a second language that has a few files."""
    copy = tmp_path / "pbmserv"
    shutil.copytree(Path(pbmserv.__path__[0]), copy, ignore=shutil.ignore_patterns("__pycache__"))
    for name, text in WRITTEN.items():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_text(text, "utf-8")
    return tmp_path


def test_missing_words_of_a_language_are_in_english(half_written: Path) -> None:
    top = Path(__file__).parents[2]
    code = f"import sys\nsys.path[:0] = [{str(half_written)!r}, {str(top)!r}]\n{SAID}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "Hoppla | Das war unser Fehler. ",
        "Perudo board 12 | Your message went to the players of "
        "board 12: bob. Players who have muted the board or blocked you do not get it.",
        "Your turn: Perudo board 12 | Your turn, ann. You open the round: bid any number of any "
        "face except ones.",
        "Help: dice | WARUM DIE WUERFEL STIMMEN ",
        "Help: mail | PLAYING BY EMAIL ",
        "Kein Text am Sa, 21. 11ember 2026, 14:05 UTC.",
        "It is not your turn: ann has to move first",
        "('en', 'xx')",
    ]
