"""Helpers for tests of `pbmserv doctor`: what it prints about a home."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from tests.cli.processes import invoked, started, wide_terminal
from tests.forked import PIPE, Forked


def examined(home: Path, *words: str) -> tuple[int, str]:
    """The exit code and the output of `pbmserv doctor` in this process."""
    with wide_terminal():
        done = invoked(home, "pbmserv", "doctor", *words)
    return done.returncode, done.stdout


def statement(home: Path, text: str, *values: object) -> None:
    """Change the database of a home by one statement."""
    connection = sqlite3.connect(home / "pbmserv.sqlite")
    connection.execute(text, values)
    connection.commit()
    connection.close()


def is_ill(home: Path, check: str, said: str, remedy: str, beside: int = 0) -> None:
    """This check has failed with these words, and its remedy is one line.

    No other has, but for the first few `beside` it.
    """
    code, text = examined(home)
    lines = text.splitlines()
    failed = [place for place, line in enumerate(lines) if line.startswith("FAIL")][beside:]
    assert [lines[place].split()[1] for place in failed] == [check], text
    assert said in lines[failed[0]]
    assert lines[failed[0] + 1].strip().startswith("-> ")
    assert remedy in lines[failed[0] + 1]
    assert (code, lines[-1]) == (1, "1 problem" if not beside else f"{1 + beside} problems")


def by_relay(home: Path, relay: str, more: str) -> None:
    """Write settings by which letters leave through a relay; `more` are other lines."""
    text = f'smtp = ""\ndelivery = "smtp"\nrelay = "{relay}"\n{more}\n'
    (home / "pbmserv.toml").write_text(text)
    (home / "pbmserv.toml").chmod(0o600)


def doctoring(home: Path, *words: str) -> Forked:
    """A process that runs `pbmserv doctor`."""
    return started(home, "pbmserv", "doctor", *words, stdout=PIPE)
