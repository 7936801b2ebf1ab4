"""Every command has the same answer and the same effects through a server as without one."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbmserv.cli import client, shell_server
from tests.cli.processes import PATIENCE, invoked, typed, until
from tests.commands.badinput import CASES, furnish
from tests.commands.test_right_input import LINES, in_parts
from tests.forked import PIPE, Forked
from tests.stories.town import letters_in

NO_SERVER = 3  # the exit code of `status`: this process for shells has none
THROUGH, IN_PLACE = {client.IN_PLACE: ""}, {client.IN_PLACE: "yes"}
# What depends on new dice, or on tokens: the homes are the same before each command.
MASKED = re.compile(
    r"\b[A-Z2-7]{24,}\b|\b[0-9a-f]{16,}\b|\b(?:\d+-)?\d+s?\b|[⚀-⚅]|[A-Za-z]+ \d\ds?\b"
)
Story = tuple[str, str]
# The order of seats is drawn, unless it is given.
DRAWN = re.compile(r"^perudo chall\w*(?! .*-inorder)")
RIGHT: list[Story] = [in_parts(DRAWN.sub(r"\g<0> -inorder", line)) for line in LINES]
WRONG: list[Story] = [(each.command.replace("'", "\\'"), each.text) for each in CASES[::4]]
OF_OPERATOR: list[Story] = [
    ("queue list --all", ""),
    ("queue list --json", ""),
    ("queue show in1", ""),
    ("queue show in99", ""),
    ("queue drop out1 out2", ""),
    ("queue drop out99", ""),
    ("queue retry out1", ""),
    ("trace ann", ""),
    ("trace 1 --json", ""),
    ("trace", ""),
    ("player show ann", ""),
    ("player suspend ann --why rude", ""),
    ("player rename dora dorothea", ""),
    ("player forget dora", "y\n"),
    ("player forget dora", "n\n"),
    ("player nothing", ""),
    ("status", ""),
    ("status --json", ""),
    ("status now", ""),
    ("deliver", ""),
    ("deliver now", ""),
    ("receive --sender bob@example.org", "From: bob@example.org\n\nhelp\n"),
    ("receive --nothing", ""),
    ("perudo verify missing.txt", ""),
    ("perudo referee missing.txt", ""),
    ("perudo referee -", "position bga 13556/22/1 B 3 9 A:3-2s\nB dudo\n"),
]


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("both") / "furnished"
    furnish(home)
    return home


class Town:
    """A home that is the same before each command, with a process for shells and no server."""

    def __init__(self, furnished: Path) -> None:
        self._furnished = furnished
        self._known = {letter.number for letter in letters_in(furnished)}
        self.home = furnished.with_name("home")
        self.home.mkdir(0o700)
        self._furnish()
        self.log = furnished.with_name("log")
        words = [shell_server.__file__, str(self.home), "info", "", "1"]
        with self.log.open("wb") as log, socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(self.home / client.SOCKET_FILE))
            listening.listen(64)
            # It writes nothing to its standard output, which here is the socket.
            self._process = Forked(
                words,
                env=dict(os.environ),
                stdin=PIPE,
                stdout=listening.fileno(),
                stderr=log,
            )
        until(self._has_begun)

    def _has_begun(self) -> bool:
        self.answer("perudo games", "", THROUGH)
        return self.calls() > 0

    def _furnish(self) -> None:
        for each in self.home.iterdir():
            if each.is_dir():
                shutil.rmtree(each)
            elif not each.is_socket():
                each.unlink()
        shutil.copytree(self._furnished, self.home, dirs_exist_ok=True)

    def calls(self) -> int:
        return self.log.read_text().count("INFO shell: ")

    def answer(
        self, command: str, text: str, way: dict[str, str]
    ) -> tuple[int, str, str, list[str]]:
        """The exit code, what is written, and the letters that were sent."""
        self._furnish()
        words = shlex.split(command)
        words = words if words[0] == "perudo" else ["pbmserv", *words]
        if way == IN_PLACE and words[0] == "perudo":  # the operator's prompts need a process
            done = invoked(self.home, *words, text=text)
        else:
            done = typed(self.home, *words, text=text, environ=way)
        letters = [
            f"{each.to}: {each.subject}\n{each.body}" for each in letters_in(self.home, self._known)
        ]
        return done.returncode, done.stdout, done.stderr, letters

    def through(self, command: str, text: str) -> tuple[int, str, str, list[str]]:
        """The answer of the process for shells; on a busy machine it may greet too late."""
        for _ in range(3):
            before = self.calls()
            answer = self.answer(command, text, THROUGH)
            if self.calls() == before + 1:
                return answer
        raise AssertionError(command)

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(PATIENCE)


@pytest.fixture(scope="module")
def town(furnished: Path) -> Iterator[Town]:
    town = Town(furnished)
    yield town
    town.close()


def masked(answer: tuple[int, str, str, list[str]]) -> tuple[int, str, str, list[str]]:
    code, out, error, letters = answer
    return (
        code,
        MASKED.sub("…", out),
        MASKED.sub("…", error),
        [MASKED.sub("…", each) for each in letters],
    )


@pytest.mark.long
@pytest.mark.parametrize("stories", [RIGHT, WRONG, OF_OPERATOR], ids=["right", "wrong", "operator"])
def test_every_story_of_a_shell_is_the_same_both_ways(town: Town, stories: list[Story]) -> None:
    """The bytes, the exit code, and the letters to all players."""
    for command, text in stories:
        through = town.through(command, text)
        assert masked(through) == masked(town.answer(command, text, IN_PLACE)), command
        assert through[0] in {0, 1, 2, NO_SERVER}, command
