"""The show: a game by real mail that anybody can watch."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).parents[1]


def show(folder: Path, *options: str) -> str:
    found = subprocess.run(
        [sys.executable, str(TOP / "scripts/demonstration.py"), "--keep", *options],
        env={**os.environ, "TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    (home,) = folder.iterdir()
    # The dates are those of the day, to the minute.
    return re.sub(r"\d+:\d\d UTC", "NOON", found.stdout.replace(str(home), "HOME"))


def test_the_show_ends_with_a_winner_a_proof_and_mailboxes_and_can_be_repeated(
    tmp_path: Path,
) -> None:
    """Two players; the letters lie where the show says, and --seed brings the same show again."""
    first, second = tmp_path / "first", tmp_path / "second"
    shows = []
    for folder in (first, second):
        folder.mkdir()
        shows.append(show(folder, "--players", "2", "--seed", "5", "--rules", "classic"))
    assert shows[0] == shows[1]
    assert " has won." in shows[0]
    assert "The whole game is proven." in shows[0]
    assert "The mailboxes: HOME/mail" in shows[0]
    assert len(list(first.glob("*/mail/ann@localhost/new/*"))) > 5
    assert list(first.glob("*/pbmserv.sqlite"))
