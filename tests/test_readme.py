"""What README.md says works: its first game at a shell."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

TOP = Path(__file__).parents[1]
README = (TOP / "README.md").read_text("utf-8")
FIRST_GAME = re.search(r"```sh\n(.*?)```", README, re.DOTALL)


def run(command: str, home: Path) -> subprocess.CompletedProcess[str]:
    """One line of README's, with the home in an empty place."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PBMSERV_HOME": str(home)}
    return subprocess.run(
        ["sh", "-c", command], env=environment, capture_output=True, text=True, check=False
    )


def first_game(home: Path) -> str:
    """Play README's first game line by line as it is printed there; what the last line says."""
    assert FIRST_GAME is not None
    said = ""
    for line in FIRST_GAME.group(1).splitlines():
        done = run(line, home)
        assert done.returncode == 0, f"{line}: {done.stderr}"
        said = done.stdout
    return said


def test_the_first_game_can_be_played_as_it_is_printed(tmp_path: Path) -> None:
    assert "is proven" in first_game(tmp_path / "home")
