"""What a command imports before it does anything: the wait at a shell."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import pbmserv
from tests.stories.town import town_at

SLOW = ("sqlalchemy", "alembic", "argon2", "aiosmtpd", "asyncio", "jinja2", "openskill", "email")
PROGRAM = """
import sys
from pathlib import Path
from pbmserv.cli.main import {program}
sys.argv = {words}
try:
    {program}()
finally:
    print([each for each in {slow} if each in sys.modules], file=sys.stderr)
"""


@pytest.mark.parametrize(
    "words",
    [["pbmserv", "--help"], ["perudo", "--help"], ["perudo", "move", "--help"]],
    ids=" ".join,
)
def test_help_imports_nothing_slow(words: list[str]) -> None:
    """SQLAlchemy alone takes 0.3 s: commands import what they need when they run."""
    program = PROGRAM.format(program=words[0], words=words, slow=SLOW)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stderr == "[]\n"
    assert "Usage:" in done.stdout


def test_the_list_of_commands_imports_neither_the_game_nor_readers_of_files() -> None:
    """Each of them takes a twentieth of its time."""
    unneeded = ("json", "tomllib", "difflib", "importlib.resources", "pbmserv.games.perudo.events")
    program = PROGRAM.format(program="perudo", words=["perudo", "--help"], slow=unneeded)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stderr == "[]\n"


def test_a_page_of_the_manual_imports_no_server() -> None:
    """It needs templates, and neither the database nor the network."""
    words = ["pbmserv", "help", "tutorial"]
    program = PROGRAM.format(program=words[0], words=words, slow=SLOW)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert set(ast.literal_eval(done.stderr)) <= {"asyncio", "jinja2", "email"}
    assert done.stdout.startswith("YOUR FIRST GAME\n")


def test_a_client_of_the_server_imports_only_the_standard_library() -> None:
    """It has done its work before the program itself would be imported."""
    program = (
        "import sys; before = {*sys.modules};"
        "from pbmserv.cli.client import handed_over;"
        "assert handed_over('perudo', ['show', '1'], {'PBMSERV_HOME': '/nowhere'}) is None;"
        "print(sorted(each.partition('.')[0] for each in {*sys.modules} - before))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", program], capture_output=True, text=True, check=False,
        env={"PYTHONPATH": str(Path(pbmserv.__file__).parents[1])},
    )  # fmt: skip
    assert done.stderr == ""
    imported = {*ast.literal_eval(done.stdout)}
    assert imported - sys.stdlib_module_names == {"pbmserv"}
    assert not imported & {*SLOW, "socket", "json", "pathlib", "typing", "logging", "subprocess"}


def test_a_board_that_is_shown_in_place_needs_no_letters(home: Path) -> None:
    """Nothing is sent, no email is read, and no deadline is looked after."""
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob")
        town.delivered()
    unneeded = ["outbox.delivery", "mail.composing", "mail.bounce_reports", "schedule.tick"]
    unneeded += ["intake.prose"]  # it reads the phrases of all languages
    slow = tuple(f"pbmserv.{each}" for each in unneeded)
    words = ["perudo", "--home", str(home), "show", "1"]
    program = PROGRAM.format(program="perudo", words=words, slow=slow)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stderr == "[]\n"
    assert "Board 1 as a spectator sees it." in done.stdout
