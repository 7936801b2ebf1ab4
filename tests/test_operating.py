"""What docs/operating.md says works: its settings, its commands, its output, its mail servers."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from pbmserv.cli.main import pbmserv
from pbmserv.cli.terminal_output import HELP, folded
from pbmserv.database.upgrade import newest_revision
from pbmserv.maintenance.message_trace import traced
from pbmserv.settings import read_settings
from tests.forkstubs import stubs
from tests.rows import each_row
from tests.stories.town import town_at

pytestmark = pytest.mark.long

TOP = Path(__file__).parents[1]
TEXT = (TOP / "docs" / "operating.md").read_text("utf-8")
OF_DOMAINS = {"mx", "spf", "dkim", "dmarc"}
BLOCKS = re.findall(r"(<!-- run -->\n)?```(\w+)\n(.*?)```", TEXT, re.DOTALL)


def of_kind(kind: str) -> list[str]:
    """The texts of all blocks of a kind."""
    return [text for _, each, text in BLOCKS if each == kind]


RUN = [text for run, _, text in BLOCKS if run]
COMMANDS = sorted(
    set(re.findall(r"(?:/opt/pbmserv/bin/)?\bpbmserv (?:--home \S+ )?([a-z][^`\n|$]*)", "\n".join(
        [*of_kind("sh"), *of_kind("cron"), *re.findall(r"`(pbmserv [^`]+)`", TEXT)]
    )))
)  # fmt: skip


@pytest.mark.parametrize("settings", of_kind("toml"))
def test_the_documented_settings_are_valid(settings: str, home: Path) -> None:
    home.mkdir()
    (home / "pbmserv.toml").write_text(settings)
    assert read_settings(home).operator == "you@example.org"


def test_the_examples_of_the_page_are_found() -> None:
    assert len(of_kind("toml")) == 4
    assert len(RUN) == 3
    assert len(COMMANDS) > 15


def anchor(heading: str) -> str:
    """The name that a web page of the text gives to a heading."""
    return re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-")


def test_the_table_at_the_top_leads_to_every_section() -> None:
    linked = re.findall(r"\]\(#([^)]+)\)", TEXT)
    assert set(linked) <= {anchor(each) for each in re.findall(r"^##+ (.*)$", TEXT, re.MULTILINE)}
    assert set(linked) >= {anchor(each) for each in re.findall(r"^## (.*)$", TEXT, re.MULTILINE)}


def is_understood(line: str) -> bool:
    """Whether these words behind `pbmserv` are parsed as at a shell; nothing is run."""
    group: click.Group = pbmserv
    words = shlex.split(line)
    if words[-1].startswith(">"):
        words.pop()
    while True:
        command = group.get_command(click.Context(group), words[0])
        if command is None:
            return False
        if not isinstance(command, click.Group):
            break
        group, words = command, words[1:]
        if not words:
            return True
    if len(words) > 1 or not [each for each in command.params if each.required]:
        # click keeps the help option of the first context.
        command.make_context(words[0], words[1:], help_option_names=[*HELP["help_option_names"]])
    return True


@each_row("line", COMMANDS)
def test_the_documented_commands_exist_and_take_these_words(line: str) -> None:
    assert is_understood(line)


def here(line: str, folder: Path) -> str:
    """A line as it can be run by anybody, in a folder instead of the system's."""
    script = f"{stubs()}/pbmserv --home /var/lib/pbmserv "  # what /usr/local/bin/pbmserv does
    line = re.sub(
        r"^(PBMSERV_PASSWORD=\w+ )?pbmserv ", lambda found: (found[1] or "") + script, line
    )
    for theirs, ours in (
        ("/var/", f"{folder}/var/"),
        (" -o pbmserv", ""),
        ("systemctl", "true"),
    ):
        line = line.replace(theirs, ours)
    return line


def test_no_documented_line_lets_root_work_in_the_home() -> None:
    """Root's files there would stop the server; the script becomes the service's user."""
    (script,) = [text for text in of_kind("sh") if text.startswith("#!/bin/sh")]
    assert "exec runuser -u pbmserv -- " in script
    assert "ln -s pbmserv /usr/local/bin/perudo" in TEXT  # the script knows its name
    assert '/opt/pbmserv/bin/${0##*/}"' in script
    others = [text for text in of_kind("sh") if text != script]
    assert not [text for text in others if "bin/pbmserv" in text]


def test_every_documented_pip_builds_as_debians_pip_has_to_be_told() -> None:
    """Without the option, the pip of Debian 12 warns that it will refuse a dependency."""
    lines = re.findall(r"/opt/pbmserv/bin/pip install [^`\n]*", TEXT)
    assert len(lines) == 4
    assert [line for line in lines if "--use-pep517" not in line] == []


def test_a_providers_relay_gets_the_plain_address() -> None:
    (provider,) = [text for text in of_kind("toml") if "imap_user" in text]
    assert 'envelope = "plain"' in provider
    assert 'envelope = "plain"' in (TOP / "README.md").read_text("utf-8")


def test_a_home_is_played_in_backed_up_and_restored_as_it_says(tmp_path: Path) -> None:
    """Every line of the blocks that are marked as run, in their order; on a free port."""
    home = tmp_path / "var" / "lib" / "pbmserv"
    home.mkdir(mode=0o700, parents=True)
    (home / "pbmserv.toml").write_text('smtp = "127.0.0.1:0"\n')
    said = ""
    for line in "".join(RUN).splitlines():
        command = here(line, tmp_path)
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        said += done.stdout
    assert "monday: key, pbmserv.sqlite, pbmserv.toml\n" in said
    assert "All is well.\n" in said
    assert said.endswith("Boards: 1, problems: 0\n")


def test_the_page_shows_the_output_of_trace(home: Path) -> None:
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob")
        town.move("ann", "2-2s")
        told = "\n".join(map(folded, traced(town.engine, "in6", 20)))
    assert told in of_kind("text")


def checks_in(shown: str) -> list[str]:
    """The names of the checks that the doctor tells of; those of the domain are one here."""
    names = [line.split()[1] for line in shown.splitlines() if line[:1] in "oF-"]
    return list(dict.fromkeys("dns" if each in OF_DOMAINS else each for each in names))


def test_the_page_shows_all_checks_of_the_doctor(home: Path) -> None:
    """In the order in which they come; tests/maintenance knows the words."""
    (shown,) = [text for text in of_kind("text") if "\n1 problem" in text]
    with town_at(home):
        words = ["--home", str(home), "doctor", "--no-letter", "--no-dns"]
        said = CliRunner().invoke(pbmserv, words, catch_exceptions=False).output
    assert checks_in(shown) == checks_in(said)
    assert f"at {newest_revision()}, the newest" in shown
    assert "FAIL" in shown and "-> Set relay_user" in shown


@pytest.mark.skipif(shutil.which("postconf") is None, reason="no Postfix here")
def test_postfix_takes_its_lines(tmp_path: Path) -> None:
    """`postconf` puts them into a configuration of our own, and reads them again."""
    (tmp_path / "main.cf").write_text("compatibility_level = 3.6\n")
    (master,) = of_kind("cf")
    (tmp_path / "master.cf").write_text(master)
    (tmp_path / "dynamicmaps.cf").write_text("")
    lines = [line for text in of_kind("sh") for line in text.splitlines() if "postconf" in line]
    assert len(lines) == 10
    for line in lines:
        command = line.replace("postconf", f"postconf -c {tmp_path}")
        subprocess.run(["sh", "-c", command], check=True, capture_output=True)
    said = subprocess.run(
        ["postconf", "-c", str(tmp_path), "-M", "pbmserv/unix"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "user=pbmserv" in said
    assert "null_sender=" in said
    said = subprocess.run(
        ["postmap", "-c", str(tmp_path), "-q", "games.example.org",
         "inline:{ { games.example.org = lmtp:inet:127.0.0.1:8024 } }"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert said == "lmtp:inet:127.0.0.1:8024\n"
