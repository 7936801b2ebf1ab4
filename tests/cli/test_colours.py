"""Colours only at a terminal that wants them, and lines of at most 80 columns everywhere."""

from __future__ import annotations

import os
import pty
import re
import sqlite3
import subprocess
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from pbmserv.cli.shell_form import printed
from pbmserv.cli.terminal_output import colours, folded, progress
from pbmserv.letters.document import Document, Headline, Listing, Said, Seat, Seats, strong
from pbmserv.letters.render import WordedLetter
from pbmserv.letters.wrapping import columns_of
from tests.cli.processes import environment, invoked
from tests.forkstubs import stubs
from tests.rows import each_row
from tests.stories.town import letters_in, town_at

ESCAPE = "\x1b"
LONG_USERID = "m" * 20
LONG_ADDRESS = f"{'a' * 64}@{'b' * 60}.{'c' * 60}.{'d' * 60}.example"


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with long names and addresses in each of its tables."""
    home = tmp_path_factory.mktemp("crowded") / "home"
    with town_at(home) as town:
        town.sign_up("ann", LONG_USERID)
        town.challenge("ann", LONG_USERID)
        town.move("ann", "2-2s", text="x" * 200)
    now = int(time.time())
    with closing(sqlite3.connect(home / "pbmserv.sqlite")) as connection, connection:
        connection.execute("update addresses set address = ? where id = 2", (LONG_ADDRESS,))
        connection.execute(
            "update outbox set address = ?, state = 'due', reason = ?, written_at = ?",
            (LONG_ADDRESS, "relay mail.example.org: 450 4.7.1 try again later " * 3, now),
        )
        connection.execute(
            "update inbox set sender = ?, message_id = '<' || id || ?, received_at = ?,"
            " state = 'aside',"
            " reason = 'KeyError at /opt/pbmserv/lib/python3.11/site-packages/pbmserv/x.py:12'",
            (LONG_ADDRESS, f"{'i' * 200}@client.example>", now),
        )
    (home / "pbmserv.toml").write_text('smtp = ""\ndelivery = "smtp"\nrelay = "127.0.0.1:9"\n')
    invoked(home, "pbmserv", "ban", f"*{'x' * 100}@{'y' * 50}.example")
    return home


TABLES = [
    ("queue", "list"),
    ("queue", "list", "--all"),
    ("queue", "show", "in1"),
    ("queue", "show", "out1"),
    ("trace", "1"),
    ("trace", LONG_ADDRESS),
    ("doctor", "--no-letter", "--no-dns"),
    ("busy",),
    ("status",),
    ("ban",),
    ("player", "show", LONG_USERID),
    ("talk", "1"),
    ("perudo", "games"),
    ("perudo", "standings"),
    ("perudo", "stats"),
    ("perudo", "history"),
    ("perudo", "show", "1"),
    ("list",),
    ("audit",),
]


@each_row("words", TABLES)
def test_a_table_fits_80_columns(crowded: Path, words: tuple[str, ...]) -> None:
    """Long names and addresses are continued on the next line, and nothing of them is lost."""
    done = invoked(crowded, "pbmserv", *words)
    assert done.returncode == {"doctor": 1, "status": 3}.get(words[0], 0), done.stderr
    lines = done.stdout.splitlines()
    assert lines
    assert [line for line in lines if columns_of(line) > 80] == []
    assert ESCAPE not in done.stdout
    if words[:2] in {("queue", "list"), ("player", "show"), ("trace", LONG_ADDRESS)}:
        assert LONG_ADDRESS in re.sub(r"\s", "", done.stdout)


@each_row(
    ("line", "hang", "lines"),
    [
        ("", None, [""]),
        ("a " * 39 + "ab", None, ["a " * 39 + "ab"]),
        ("a " * 39 + "abc", None, ["a " * 38 + "a", "    abc"]),
        ("in  " + "a " * 38 + "ab", 9, ["in  " + "a " * 37 + "a", "         ab"]),
        ("  " + "x" * 100, None, ["  " + "x" * 74, "      " + "x" * 26]),
        ("  " + "x" * 100, 2, ["  " + "x" * 78, "  " + "x" * 22]),
        ("骰" * 60, 0, ["骰" * 40, "骰" * 20]),
    ],
)
def test_a_long_line_is_continued_below(line: str, hang: int | None, lines: list[str]) -> None:
    assert folded(line, hang).split("\n") == lines


@each_row(
    ("environ", "wanted"),
    [
        ({}, None),
        ({"TERM": "xterm"}, None),
        ({"NO_COLOR": ""}, None),  # no-color.org: only if it is not empty
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": "0", "TERM": "xterm"}, False),
        ({"TERM": "dumb"}, False),
    ],
)
def test_colours_are_left_out_where_nobody_wants_them(
    environ: Mapping[str, str], wanted: bool | None
) -> None:
    assert colours(environ) is wanted


def at_terminal(home: Path, *words: str, **environ: str) -> str:
    """What a command writes to a terminal."""
    ours, theirs = pty.openpty()
    program, *rest = words
    done = subprocess.Popen(
        [str(stubs() / program), *rest],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env=environment(home, {"TERM": "xterm", "NO_COLOR": "", **environ}),
    )
    os.close(theirs)
    said = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # Linux reports the end of a terminal as an error
            piece = b""
        if not piece:
            break
        said += piece
    os.close(ours)
    done.wait(60)
    return said.decode().replace("\r\n", "\n")


def without_escapes(text: str) -> str:
    return re.sub("\x1b\\[[0-9;]*m", "", text)


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "coloured"),
    [
        (("pbmserv", "doctor", "--no-letter", "--no-dns"), ("\x1b[32mok ", "\x1b[31mFAIL ")),
        (("pbmserv", "queue", "list"), ("\x1b[31maside ", "\x1b[33mdue ")),
        (("perudo", "games"), (f"\x1b[1m      1     2  pbmserv  {LONG_USERID} to move",)),
        (("perudo", "show", "1"), (f"\x1b[1m  {LONG_USERID}  5  now\x1b[0m",)),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_terminal_shows_colours_unless_it_wants_none(
    crowded: Path, words: tuple[str, ...], coloured: tuple[str, ...]
) -> None:
    """The words are the same without them."""
    seen = at_terminal(crowded, *words)
    assert [each for each in coloured if each not in seen] == []
    for environ in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        plain = at_terminal(crowded, *words, **environ)
        assert ESCAPE not in plain
        assert plain.split("\n")[0] == without_escapes(seen).split("\n")[0]


def test_no_letter_has_an_escape(crowded: Path) -> None:
    assert [each.number for each in letters_in(crowded) if ESCAPE in each.raw.decode()] == []


def test_headlines_and_turns_are_bold_and_words_of_people_are_not() -> None:
    said = f"{LONG_USERID}  5  now"
    document = Document(
        "en",
        blocks=[
            Headline("Your turn, ann", lead="Beat the bid of bob, who raises it again and again."),
            Seats((Seat("ann", 5, 5, "you, now", on_turn=True), Seat("bob", 4, 5, "next"))),
            Listing((), (("12", strong("bob is on turn")), ("13", "over"))),
            Said("bob writes:", said),
        ],
    )
    lines = printed(WordedLetter(document)).split("\n")
    assert [without_escapes(line) for line in lines if ESCAPE in line] == [
        "Your turn, ann. Beat the bid of bob, who raises it again and again.",
        "  ann  5  you, now",
        "  12  bob is on turn",
    ]


def test_progress_has_no_escapes(monkeypatch: pytest.MonkeyPatch) -> None:
    @click.command()
    def shown() -> None:
        monkeypatch.setattr("sys.stderr.isatty", lambda: True)
        progress("half")
        progress("")

    done = CliRunner().invoke(shown, color=True)
    assert done.stderr == f"\rhalf{' ' * 75}\r\r{' ' * 79}\r"
    done = CliRunner().invoke(click.Command("none", callback=lambda: progress("half")))
    assert done.stderr == ""
