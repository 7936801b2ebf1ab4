"""What README.md says works: its first game, its first email, its commands and settings."""

from __future__ import annotations

import os
import re
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pbmserv.settings import read_settings
from scripts.picturing import PICTURE, framed, turn_email
from tests.cli.processes import until
from tests.forkstubs import stubs
from tests.rows import each_row
from tests.stories.town import letters_in
from tests.test_operating import is_understood

pytestmark = pytest.mark.long

TOP = Path(__file__).parents[1]
README = (TOP / "README.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^## ([^\n]*)\n(.*?)(?=^## |\Z)", README, re.MULTILINE | re.DOTALL))
INLINE = sorted(set(re.findall(r"`(?:\w+=\S+ )?(p\w+ [a-z][^`]*)`", README)))
MOST_LINES, MOST_BYTES = 120, 60_000


def block(heading: str, kind: str = "sh") -> str:
    """The only block of a kind in a section."""
    (found,) = re.findall(rf"```{kind}\n(.*?)```", SECTIONS[heading], re.DOTALL)
    return str(found)


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run lines of README's as a person does whose own directory is this folder."""
    path = f"{stubs()}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "HOME": str(folder)}
    environment.pop("PBMSERV_HOME", None)
    return subprocess.run(
        ["sh", "-ec", command], env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A person's own directory, after README's first game was played as it is printed there."""
    folder = tmp_path_factory.mktemp("person")
    done = run(block("Your first game"), folder)
    assert done.returncode == 0, done.stderr
    assert "proven" in done.stdout
    return folder


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= MOST_LINES


def test_the_first_game_can_be_played_as_it_is_printed(folder: Path) -> None:
    """The fixture plays it; all data is where README says."""
    assert (folder / "perudo" / "pbmserv.sqlite").exists()
    assert {each.to for each in letters_in(folder / "perudo")} == {"ann@localhost", "bob@localhost"}


@contextmanager
def server(folder: Path, port: int) -> Iterator[None]:
    """The server that README starts for the first email, on a free port."""
    (folder / "perudo" / "pbmserv.toml").write_text(f'smtp = "127.0.0.1:{port}"\n')
    section = SECTIONS["Your first email"]
    (typed,) = re.findall(r"`PBMSERV_HOME=~/perudo venv/bin/(pbmserv serve)`", section)
    command = [str(stubs() / "pbmserv"), *typed.split()[1:]]
    environment = {**os.environ, "PBMSERV_HOME": str(folder / "perudo")}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout is not None  # a pipe was asked for
            assert f"127.0.0.1:{port}" in process.stdout.readline()
            yield
        finally:
            process.terminate()


def test_the_first_email_starts_a_game(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    home = folder / "perudo"
    before = len(letters_in(home))
    with server(folder, port):
        lines = block("Your first email")
        assert lines.count("8025") == 1
        done = run(lines.replace("8025", str(port)), folder)
        assert (done.returncode, done.stderr) == (0, "")
        until(lambda: len(letters_in(home)) == before + 2)
    latest = letters_in(home)[-2:]
    assert {each.to for each in latest} == {"ann@localhost", "bob@localhost"}
    assert {each.subject for each in latest} == {"Your turn: Perudo board 2", "Perudo board 2"}


@each_row("line", INLINE)
def test_the_documented_commands_exist_and_take_these_words(line: str) -> None:
    """They are parsed as at a shell, and not run."""
    program, _, words = line.partition(" ")
    assert is_understood(words if program == "pbmserv" else line)


def test_the_documented_settings_are_valid(tmp_path: Path) -> None:
    (tmp_path / "pbmserv.toml").write_text(block("Run a server", "toml"))
    assert read_settings(tmp_path).operator == "you@example.org"


def test_every_page_that_it_names_is_there() -> None:
    named = set(re.findall(r"\]\(([^)]+)\)|(scripts/[\w.-]+)", README))
    pages = {one or other for one, other in named}
    assert {"docs/operating.md", "docs/notation.md", "scripts/demo", "scripts/test"} <= pages
    assert [each for each in sorted(pages) if not (TOP / each).exists()] == []


def test_the_picture_of_the_readme_is_small() -> None:
    """`scripts/picture` draws it; here no browser is needed."""
    (words, file) = re.findall(r"!\[([^\]]+)\]\(([^)]+)\)", README)[0]
    assert TOP / file == PICTURE
    assert len(words) > 40  # for those who do not see it
    picture = PICTURE.read_bytes()
    assert picture.startswith(b"\x89PNG") and len(picture) < MOST_BYTES


def test_the_picture_is_drawn_of_a_turn() -> None:
    page = framed(turn_email())
    told = re.search(r"!\[([^\]]+)\]", README)
    assert told is not None
    dice = re.search(r"Your dice: <b[^>]*>([\d ]+)<", page)
    assert dice is not None and dice[1] in told[1]
    moves = re.findall(r"body=([^\"%]+)%", page)
    assert moves and all(move in told[1] for move in moves)
    assert "Subject" not in page and "Proof" not in page
