"""A language whose catalogue lacks messages: a letter is in English as a whole, never half."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pbmserv

CATALOGUE = """
msgid ""
msgstr ""
"Language: de\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"

msgid "Board %(board)s has begun: %(names)s."
msgstr "Tisch %(board)s hat begonnen: %(names)s."

msgid "Perudo: your boards today, %(name)s"
msgstr "Perudo: deine Tische heute, %(name)s"

msgid "Your boards today, %(name)s"
msgstr "Deine Tische heute, %(name)s"

msgid "Help: %(page)s"
msgstr "Hilfe: %(page)s"

msgid "Get again what the others write at a board that you have muted."
msgstr "Wieder erhalten, was die anderen an einem Tisch schreiben."

msgid "At a shell:"
msgstr "In einer Shell:"

msgid "- asks for the password, or takes it from PBMSERV_PASSWORD. So ps does not show it."
msgstr "(- fragt nach dem Passwort oder nimmt PBMSERV_PASSWORD.)"

msgid "For example:"
msgstr "Zum Beispiel:"
"""
UNFINISHED = """
msgid "Board %(board)s has begun: %(names)s."
msgstr ""
"""
SAID = """
from pbmserv.letters import render
from pbmserv.letters.catalogues import languages
from pbmserv.games.perudo.rules import rules_named
from pbmserv.games.perudo.table import PlainDice
from pbmserv.commands.manual import payload_of
from tests.letters.plays import Game

moved = Game.opened(rules_named("bga"), PlainDice([((1, 2),) * 3])).facts(0)
begun = {"kind": "begun", "board": 12, "names": ["ann", "bob"]}
said = {"kind": "said", "board": 12, "who": "bob", "text": "Hello"}
digest = {"userid": "ann", "awake": "", "digest": True, "boards": [], "news": [begun]}
for kind, facts in (
    ("perudo/boards", digest),
    ("perudo/boards", {**digest, "news": [begun, said]}),
    ("bug", {}),
    ("perudo/moved", moved),
    ("help", payload_of("", ["dice"])),
    ("help", payload_of("", ["unmute"])),
    ("help", payload_of("", ["mute"])),
):
    words = render.word(kind, facts, "de")
    first = words.text.splitlines()[:3] if kind in {"perudo/boards", "help"} else []
    print(words.language, "|", words.subject, *first)
print(render.refusal("not_your_turn", {"turn": "ann", "board": 12}, "de").split(".")[0])
print(languages())
"""


def copied(to: Path, catalogue: str) -> Path:
    """The program with one more language, German, of which it has no help."""
    copy = to / "pbmserv"
    shutil.copytree(Path(pbmserv.__path__[0]), copy, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in (copy / "letters").glob("*/messages.po"):
        shutil.rmtree(folder.parent)
    german = copy / "letters" / "de"
    shutil.copytree(copy / "letters" / "en" / "help", german / "help")
    (german / "messages.po").write_text(catalogue, "utf-8")
    return to


def printed(program: Path) -> list[str]:
    """What `SAID` prints with this program."""
    top = Path(__file__).parents[2]
    code = f"import sys\nsys.path[:0] = [{str(program)!r}, {str(top)!r}]\n{SAID}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_a_letter_with_a_message_that_a_language_lacks_is_in_english(tmp_path: Path) -> None:
    assert printed(copied(tmp_path, CATALOGUE)) == [
        "de | Perudo: deine Tische heute, ann Deine Tische heute, ann.  "
        "Tisch 12 hat begonnen: ann und bob.",
        "en | Perudo: your boards today, ann Your boards today, ann.  "
        "Board 12 has begun: ann and bob.",
        "en | Your email could not be handled yet",
        "en | Your turn: Perudo board 12",
        "de | Hilfe: dice HOW THE DICE ARE PROVEN  The server rolls the dice for everybody. The "
        "record of a game shows how",
        "de | Hilfe: unmute perudo unmute USERID PASSWORD BOARD  Wieder erhalten, was die anderen "
        "an einem Tisch schreiben.",
        "en | Help: mute perudo mute USERID PASSWORD BOARD  Stop getting what the others write at "
        "a board.",
        "It is not your turn: ann has to move first",
        "('de', 'en')",
    ]


def test_an_unfinished_language_is_not_offered(tmp_path: Path) -> None:
    *said, offered = printed(copied(tmp_path, CATALOGUE + UNFINISHED))
    assert offered == "('en',)"
    assert all(line.startswith("en | ") for line in said[:-1])
