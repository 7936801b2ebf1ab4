"""Every way to use every command works by email and at a shell: `right.txt` lists them."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

from click.testing import CliRunner

from pbmserv.cli.main import pbmserv, perudo
from pbmserv.commands.framework import commands_of, vocabulary
from pbmserv.commands.parser import CommandCall, read_line
from tests.rows import each_row
from tests.stories.town import PASSWORD, town_at

LINES = [
    line
    for line in Path(__file__).with_name("right.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]
# What needs more than one command to come about: stories tell of these.
ELSEWHERE = {("", "pause"), ("", "confirm"), ("perudo", "takeover"), ("perudo", "rsvp")}
# What Perudo has not: the refusal says why.
REFUSED = {("perudo", name) for name in ("pass", "swap", "undo", "submit")}

every_way = each_row("line", LINES)


def in_parts(line: str) -> tuple[str, str]:
    command, _, text = line.partition(" | ")
    return command, text


@every_way
def test_every_command_works_by_email(line: str, another_home: Callable[[], Path]) -> None:
    """The writer gets an answer that is not a refusal and holds no password."""
    command, text = in_parts(line)
    words = command.split()
    writer = next((name for name in ("bob", "cleo", "dora", "ann") if name in words), "bob")
    with town_at(another_home()) as town:
        letters = town.write(f"{writer}@example.org", command, text)
    mine = [letter for letter in letters if letter.to.partition("@")[0] in {writer, *words}]
    assert mine != []
    for letter in mine:
        assert "not played" not in letter.subject
        assert "refused" not in letter.subject + letter.text
        assert PASSWORD not in letter.raw.decode()


@every_way
def test_every_command_works_at_a_shell(line: str, another_home: Callable[[], Path]) -> None:
    """The answer is on standard output, nothing on standard error, and the exit code is 0."""
    command, text = in_parts(line)
    words = shlex.split(command)
    group = perudo if words[0] == "perudo" else pbmserv
    words = words[1:] if group is perudo else words
    done = CliRunner().invoke(group, ["--home", str(another_home()), *words], input=text)
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.strip() != ""
    assert PASSWORD not in done.stdout


def test_every_command_has_a_case_of_right_input() -> None:
    used = {
        (order.game, order.name)
        for line in LINES
        if isinstance(order := read_line(in_parts(line)[0], vocabulary()), CommandCall)
    }
    known = {
        (game, name)
        for game in ("", "perudo")
        for name, command in commands_of(game).items()
        if command.by_mail
    }
    assert known - used == ELSEWHERE | REFUSED
