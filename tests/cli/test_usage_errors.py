"""What a shell says about words that it cannot read, in the language of the shell."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from pbmserv.cli import group_help
from pbmserv.cli.main import CommandGroup, pbmserv, perudo
from pbmserv.cli.shell_language import other_language
from pbmserv.cli.usage_errors import NoTerminal, worded
from pbmserv.letters import render
from pbmserv.letters.catalogues import DEFAULT_LANGUAGE, languages
from pbmserv.letters.prompts import prompts
from tests.rows import each_row
from tests.stories.town import PASSWORD, town_at

OTHERS = [each for each in languages() if each != DEFAULT_LANGUAGE]
ENGLISH = re.compile(r"\b(No such|Missing|Try|Error|Usage|Example|option|argument|Did|the)\b")
ROWS = re.compile(r"^  (-h, --help|--\w+ ?[A-Z]*|[a-z-]+)  +\S", re.MULTILINE)  # of `--help`
MISTAKES = {
    "perudo show --foo": ("--foo", "--json"),
    "perudo referee --foo": ("--foo",),
    "perudo --foo": ("--foo", "--home"),
    "perudo --home=x": ("perudo --help",),
    "perudo --home": ("perudo --home DIR",),
    "pbmserv --home": ("pbmserv --home DIR",),
    "pbmserv --foo": ("--foo", "--home"),
    "perudo move": ("BOARD", "perudo move", "perudo move 12 ann - 4-2s"),
    "pbmserv set ann": ("PASSWORD", "pbmserv set USERID", "pbmserv set ann -"),
    "pbmserv perudo move": ("BOARD", "pbmserv perudo move"),
    "perudo move ann 12 secret 4-2s": ("BOARD", "perudo move"),
    "perudo move 12 ann secret 4-2s --message=": ('--message="..."',),
    "perudo chat 12 ann secret hello": ("perudo chat", '--message="..."'),
    "perudo accept ann secret 12 13": ("perudo accept", "perudo accept bob - 12"),
    "perudo shwo": ("shwo", "show", "pbmserv help"),
    "pbmserv move": ("move", "perudo move", "pbmserv help"),
    "perudo --json show 1": ("--json", "perudo show --json 1"),
    "perudo --json=1 show": ("--json", "perudo show --json 1"),
    "pbmserv --json games": ("--json", "pbmserv status --json"),
    "pbmserv perudo --json show 1": ("--json", "perudo show --json 1"),
    "perudo show 1 --json=1": ("--json",),
    "perudo show 1 --home=x": ("--home", "perudo --home DIR show"),
    "pbmserv set ann --home x": ("--home", "pbmserv --home DIR set"),
    "pbmserv status --home x": ("--home", "pbmserv --home DIR status"),
    "pbmserv perudo --foo": ("--foo", "--home"),
    "perudo --version=3": ("--version",),
    "pbmserv --help=2": ("--help",),
    "perudo xyzzy": ("xyzzy", "pbmserv help"),
}


def typed(command: str, language: str, home: Path | None = None, text: str = "") -> Result:
    program, *words = command.split()
    group = perudo if program == "perudo" else pbmserv
    where = ["--home", str(home)] if home else []
    return CliRunner(env={"LC_ALL": f"{language}_XX.UTF-8"}).invoke(
        group, [*where, *words], input=text
    )


@each_row("language", OTHERS)
@each_row("command", MISTAKES)
def test_a_mistake_is_explained_in_the_language_of_the_shell(command: str, language: str) -> None:
    done = typed(command, language)
    assert (done.exit_code, done.stdout) == (2, "")
    said = " ".join(done.stderr.split())
    for word in MISTAKES[command]:
        assert word in said
    assert ENGLISH.search(said.replace("n'a pas d'option", "")) is None, said  # French, too
    assert len(said) < 600


@each_row("command", MISTAKES)
@each_row("language", ["en", "C", "de"])
def test_click_words_a_mistake_in_english(command: str, language: str) -> None:
    done = typed(command, language)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "Error: " in done.stderr


@pytest.mark.parametrize("command", ["pbmserv doctor --foo", "pbmserv player x", "pbmserv trace"])
def test_operators_commands_are_in_english_as_a_whole(command: str) -> None:
    done = typed(command, "fr")
    assert done.exit_code == 2
    assert "Usage: pbmserv" in done.stderr
    assert "Error: " in done.stderr


def test_pbmserv_restore_is_not_taken_for_restored() -> None:
    """`pbmserv restored` rolls the dice of every board again."""
    said = " ".join(typed("pbmserv restore /tmp/monday", "fr").stderr.split())
    assert "Stop the server, move the home away, and copy the backup to its place" in said
    assert "restored" not in said


@each_row("language", languages())
@each_row("program", ["pbmserv", "perudo"])
def test_the_example_can_be_typed(program: str, language: str) -> None:
    """A command of the server has its program in front, as README shows it."""
    command, example = {
        "pbmserv": ("set", "pbmserv set ann - timezone=Europe/Zurich digest=daily"),
        "perudo": ("move", "perudo move 12 ann - 4-2s"),
    }[program]
    said = " ".join(typed(f"{program} {command}", language).stderr.split())
    assert f": {example}" in said


@each_row("language", languages())
@each_row("program", ["perudo", "pbmserv", "pbmserv perudo"])
def test_a_group_without_a_command_shows_its_help(program: str, language: str) -> None:
    done = typed(program, language)
    asked = typed(f"{program} --help", language)
    assert (done.exit_code, done.stdout) == (2, "")
    assert (asked.exit_code, asked.stderr) == (0, "")
    assert done.stderr == asked.stdout


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("group", [perudo, pbmserv])
def test_the_help_of_a_group_is_in_the_language_of_the_shell(
    group: CommandGroup, language: str
) -> None:
    """It has the same commands and options; each sentence of it is translated."""
    said = typed(f"{group.name} -h", language).stdout
    english = typed(f"{group.name} -h", "en").stdout
    assert ROWS.findall(said) == ROWS.findall(english)
    told = " ".join(said.split())
    for rows in group.listed(click.Context(group)).values():
        for _, about in rows:
            assert " ".join(about.split()) not in told
    for each in group_help.messages([group]):
        assert each not in told
    assert max(map(len, said.split("\n"))) <= 80


def test_the_help_of_a_group_is_english_as_a_whole_where_no_language_is_chosen() -> None:
    for language in ("en", "C", "de", "../fr"):
        assert "\nCommands:\n" in typed("perudo -h", language).stdout


def test_the_help_of_a_group_reads_no_whole_catalogue() -> None:
    """Babel would take ten times as long as all the rest."""
    program = (
        "import sys; from pbmserv.cli.main import perudo\n"
        "try: perudo(['--help'])\n"
        "finally: print([each for each in ('babel', 'jinja2') if each in sys.modules])"
    )
    environ = {**os.environ, "LC_ALL": "fr_CH.UTF-8"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environ
    )
    assert done.stdout.startswith("Utilisation")
    assert done.stdout.endswith("[]\n")


@each_row(
    ("command", "page"),
    [
        ("perudo move --help", "perudo help move"),
        ("pbmserv perudo move 12 -h", "perudo help move"),
        ("pbmserv set -h", "pbmserv help set"),
    ],
)
@each_row("language", OTHERS)
def test_the_help_of_a_command_is_its_page(command: str, page: str, language: str) -> None:
    done = typed(command, language)
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == typed(page, language).stdout
    assert typed(command, "en").stdout.startswith("Usage: ")


@pytest.mark.parametrize("language", OTHERS)
def test_a_shell_without_a_terminal_is_told_of_the_variable(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", f"{language}_XX.UTF-8")
    with pytest.raises(click.UsageError) as raised, worded():
        raise NoTerminal("PBMSERV_PASSWORD", click.Context(perudo))
    assert "PBMSERV_PASSWORD" in raised.value.message
    assert ENGLISH.search(raised.value.message) is None


@each_row("language", languages())
@each_row("word", ["perudo {}", "perudo show --{}", "pbmserv help {}"])
def test_a_very_long_word_is_not_repeated_whole(word: str, language: str) -> None:
    done = typed(word.format("x" * 10_000), language)
    assert done.exit_code in {1, 2}
    assert len(done.stderr) < 800


@pytest.mark.parametrize("language", languages())
def test_a_shell_asks_in_its_language(language: str, home: Path) -> None:
    with town_at(home) as town:
        town.sign_up("ann")
    asked = render.whole(prompts, language)
    done = typed("pbmserv set ann -", language, home, f"{PASSWORD}\n")
    assert done.exit_code == 0
    assert done.stderr == f"{asked.password} \n"
    done = typed("pbmserv change password ann - -", language, home, f"{PASSWORD}\nanother-one\n")
    assert asked.new_password in done.stderr
    assert len({*asked}) == len(asked)


@pytest.mark.parametrize("language", OTHERS)
def test_a_refusal_is_in_the_language_of_the_player(home: Path, language: str) -> None:
    """The shell's language counts only for those who have no account, or no password."""
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob", options=("-inorder",))
        town.write("ann@example.org", f"set ann {PASSWORD} language={language}")
    command = f"perudo move 1 ann {PASSWORD} dudo"
    done = typed(command, "en", home)
    facts = {"opening": True}
    assert (done.exit_code, done.stdout) == (1, "")
    refusal, dice, again = done.stderr.rstrip("\n").split("\n\n")
    assert refusal == render.refusal("no_bid_yet", facts, language)
    labels = {"fr": "Vos dés :", "ru": "Ваши кости:", "es": "Tus dados:"}
    assert re.fullmatch(rf"{labels[language]}(?: [1-6]){{5}}", dice)
    assert "reply" not in again
    done = typed(command.replace(PASSWORD, "wrong-one"), language, home)
    assert done.exit_code == 1
    assert "Wrong" not in done.stderr


@pytest.mark.parametrize(
    ("environ", "language"),
    [
        ({"LANG": "fr_FR.UTF-8"}, "fr"),
        ({"LANG": "fr_FR.ISO-8859-1"}, ""),
        ({"LANG": "en_GB.UTF-8"}, ""),
        ({"LANG": "C.UTF-8"}, ""),
        ({"LANG": "de_DE.UTF-8"}, ""),
        ({}, ""),
    ],
)
def test_a_language_that_is_not_english(
    environ: dict[str, str], language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert other_language() == language
