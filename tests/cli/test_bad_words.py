"""The operator's commands about players and boards answer bad words with one clear message."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from pbmserv.boards.board import LARGEST_NUMBER
from pbmserv.cli.main import pbmserv
from pbmserv.cli.operator_commands import LARGEST_BOARD, LONGEST_REASON
from tests.rows import each_row
from tests.stories.town import town_at

LONG, CONTROL = "x" * 10_000, "a\x1b[31m\r\nb"
NOBODY = ("", "nobody", LONG, CONTROL, "ann bob")
NUMBERS = ("", "x", "0", "-1", "1.5", "9" * 5000, str(10**30), CONTROL)
DAYS = ("", "x", "2020-01-01", "2099-13-40", "20990101", "99999-01-01", LONG, CONTROL)
PLAYERS = ("show", "suspend", "resume", "close", "reopen", "forget")
BAD = [
    *((each, who) for each in ("ban", "unban") for who in (*NOBODY, ".", "*", "@")),
    *(("ban", "x@evil.example", "--until", day) for day in DAYS),
    *(("player", "suspend", "ann", "--until", day) for day in DAYS),
    *(("player", each, who) for each in PLAYERS for who in NOBODY),
    *(("player", "rename", "ann", who) for who in NOBODY),
    *(("player", "rename", who, "zed") for who in NOBODY),
    *((each, number) for each in ("annul", "stop", "talk") for number in NUMBERS),
    *(("annul", number, "--undo") for number in NUMBERS),
    *(("busy", "--most", number) for number in NUMBERS),
    *((each, "999") for each in ("annul", "stop")),
    *((each, "1", "1") for each in ("annul", "stop", "talk")),
    *((each, "a@b.example", "a@b.example") for each in ("ban", "unban")),
    *(("emergency", word) for word in ("", "x", LONG, "ann " * 2500, CONTROL)),
    *(("player", each, "ann", "ann") for each in PLAYERS),
    *((*words, "--why", LONG) for words in (("stop", "1"), ("annul", "1"), ("emergency", "on"))),
    *((each,) for each in ("annul", "stop", "talk", "unban")),
    ("emergency", f"--{LONG}"),
    ("emergency", "on", LONG),
    ("player", LONG),
    (LONG,),
    ("player", "show"),
    ("player", "x", "ann"),
    ("emergency", "on", "on"),
    ("busy", "1"),
    ("restored", "1"),
    ("annul", "1", "--undo"),
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home where ann and bob play on board 1."""
    home = tmp_path_factory.mktemp("bad") / "home"
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob")
    yield home


def named(words: tuple[str, ...]) -> str:
    return " ".join(word[:12].encode("unicode_escape").decode() or "''" for word in words)


def kept(home: Path) -> list[str]:
    """All that the database holds, but for what every process notes of itself."""
    with closing(sqlite3.connect(home / "pbmserv.sqlite")) as connection, connection:
        return [line for line in connection.iterdump() if '"installation"' not in line]


@each_row("words", BAD, ids=named)
def test_bad_words_are_one_clear_answer_and_change_nothing(
    home: Path, words: tuple[str, ...]
) -> None:
    """Exit 1 (refused) or 2 (not understood), never a traceback; what it shows fits a terminal."""
    before = kept(home)
    done = CliRunner().invoke(pbmserv, ["--home", str(home), *words])
    assert isinstance(done.exception, SystemExit), repr(done.exception)
    assert done.exit_code in {1, 2}
    assert done.stdout == ""
    paragraphs = done.stderr.strip().split("\n\n")
    said = paragraphs[-1]
    assert 10 < len(said) < 400
    assert said.replace("\n", "").isprintable()
    assert len(paragraphs) == (2 if done.exit_code == 2 else 1)
    assert done.exit_code == 1 or (said.startswith("Error: ") and "\n" not in said)
    assert kept(home) == before


def test_a_reason_is_shown_on_one_line_without_control_characters(home: Path) -> None:
    """This holds for the longest reason, too."""
    for why in ("Spam\x1b[31m\r\nOut", "x" * LONGEST_REASON):
        done = CliRunner().invoke(
            pbmserv, ["--home", str(home), "ban", "m@evil.example", "--why", why]
        )
        assert done.exit_code == 0
        CliRunner().invoke(pbmserv, ["--home", str(home), "unban", "m@evil.example"])
    with closing(sqlite3.connect(home / "pbmserv.sqlite")) as connection, connection:
        found = [why for (why,) in connection.execute("select why from acts where why != ''")]
    assert found == ["Spam?[31m Out", "x" * LONGEST_REASON]


def test_the_largest_board_is_the_one_that_the_database_can_hold() -> None:
    assert LARGEST_BOARD == LARGEST_NUMBER


@pytest.mark.parametrize("words", [(), ("player",)], ids=named)
def test_a_group_without_a_command_shows_its_whole_help(words: tuple[str, ...]) -> None:
    """The same as --help shows, but as a usage error: exit 2, and nothing on standard output."""
    done = CliRunner().invoke(pbmserv, words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == CliRunner().invoke(pbmserv, [*words, "--help"]).stdout
    assert "\nCommands:\n" in done.stderr
