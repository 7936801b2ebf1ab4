"""Terminals that read no answers, show no pictures or give no input."""

from __future__ import annotations

import os
import pty
import shlex
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.processes import PROGRAMS, environment, started
from tests.forked import PIPE
from tests.forkstubs import stubs
from tests.stories.town import PASSWORD, letters_in


def shell(home: Path, line: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """A whole line of a shell, pipes and all."""
    line = line.replace("perudo ", f"{shlex.quote(str(stubs() / 'perudo'))} ")
    return subprocess.run(
        ["sh", "-c", line],
        capture_output=True,
        text=True,
        encoding="latin-1",
        env=environment(home, environ),
        check=False,
        timeout=60,
        start_new_session=True,  # without the terminal that the tests may run at
    )


def test_letters_leave_even_if_the_answer_cannot_be_printed(playing: Path) -> None:
    """The move is made, so the other players are told at once."""
    before = len(letters_in(playing))
    done = shell(playing, f"perudo move 1 ann {PASSWORD} 2-2s | exec true")
    assert done.stderr == ""
    assert len(letters_in(playing)) == before + 2


def test_a_command_is_done_though_its_answer_cannot_be_written(
    playing: Path,
) -> None:
    before = len(letters_in(playing))
    for words in (f"move 1 ann {PASSWORD} 2-2s", "show 1", "show 1 --json", "--help"):
        unbuffered = "x" if words == "show 1" else ""
        done = shell(playing, f"perudo {words} >/dev/full", PYTHONUNBUFFERED=unbuffered)
        assert done.returncode == 74
        assert done.stderr == "pbmserv: the answer cannot be written: No space left on device\n"
    assert len(letters_in(playing)) == before + 2


def test_a_command_is_done_though_its_reader_is_slow_and_its_pipe_does_not_wait(
    playing: Path,
) -> None:
    before = len(letters_in(playing))
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    with suppress(BlockingIOError):
        while True:
            os.write(theirs, bytes(4096))
    words, environ = ("perudo", "move", "1", "ann", PASSWORD, "2-2s"), {"PYTHONUNBUFFERED": ""}
    with started(playing, *words, environ=environ, stdout=theirs, stderr=PIPE) as process:
        _, error = process.communicate(b"", 60)
        assert error.startswith(b"pbmserv: the answer cannot be written: write could not complete")
        assert process.wait() == 74
    os.close(ours)
    os.close(theirs)
    assert len(letters_in(playing)) == before + 2


@pytest.mark.parametrize(
    ("where", "said"),
    [(">/dev/full", "pbmserv: the answer cannot be written: No space left on device\n"),
     ("| exec true", "")],
)  # fmt: skip
def test_every_line_is_done_even_if_an_answer_is_not_read(
    playing: Path, where: str, said: str
) -> None:
    lines = playing.parent / "lines"
    moves = "perudo move 1 ann {0} 2-2s\nperudo move 1 bob {0} 3-2s\n"
    lines.write_text(moves.format(PASSWORD))
    before = len(letters_in(playing))
    done = shell(playing, f"{stubs() / 'pbmserv'} multiple <{lines} {where}")
    assert done.stderr == said
    assert len(letters_in(playing)) == before + 4


def test_a_terminal_without_pictures_of_dice_shows_the_digits(playing: Path) -> None:
    done = shell(playing, f"perudo showas ann {PASSWORD}", PYTHONIOENCODING="latin-1")
    assert (done.returncode, done.stderr) == (0, "")
    (dice,) = [line for line in done.stdout.splitlines() if line.startswith("Your dice: ")]
    assert "?" not in dice
    assert sum(digit in "123456" for digit in dice) == 5


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        (f"perudo chat 1 ann {PASSWORD}", 1, 'is empty. Write it in the command: --message="..."'),
        (f"perudo move 1 ann {PASSWORD} 2-2s --message=-", 0, ""),
        (
            "perudo showas ann - 1",
            2,
            "no terminal to prompt for the password. Set PBMSERV_PASSWORD",
        ),
    ],
)
def test_a_closed_standard_input_gives_no_text(
    playing: Path, command: str, code: int, said: str
) -> None:
    done = shell(playing, f"{command} <&-")
    assert done.returncode == code
    assert not [word for word in ("Traceback", "Warning") if word in done.stderr]
    assert said in done.stderr


def test_a_terminal_shows_how_to_end_a_text(playing: Path) -> None:
    ours, theirs = pty.openpty()
    words = [str(PROGRAMS / "perudo"), "chat", "1", "ann", PASSWORD]
    with subprocess.Popen(
        words, stdin=theirs, stderr=subprocess.PIPE, text=True, env=environment(playing)
    ) as typed:
        assert typed.stderr is not None  # a pipe was asked for
        assert "Ctrl-D" in typed.stderr.readline()
        os.write(ours, b"Hello!\n\x04")
        assert typed.wait(60) == 0
    os.close(ours)
    os.close(theirs)
    assert "| Hello!" in letters_in(playing)[-1].text
