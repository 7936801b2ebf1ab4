"""Every program in scripts/ prints its own usage for `--help`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).parents[1]
SCRIPTS = sorted(
    each.name for each in (TOP / "scripts").iterdir() if each.is_file() and not each.suffix
)


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_prints_its_own_usage_first(name: str) -> None:
    """A script of Python prints its options, too. The help of `scripts/test` installs nothing."""
    script = TOP / "scripts" / name
    program = re.search(r"-m (scripts\.\w+)|scripts/(\w+)\.py", script.read_text("utf-8"))
    command = [str(script), "--help"]
    if program:  # the shell script first installs what the program needs
        command = [sys.executable, "-P", "-m", program[1] or f"scripts.{program[2]}", "--help"]
    done = subprocess.run(
        command,
        cwd=TOP,
        env={**os.environ, "PYTHONPATH": str(TOP)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    first = done.stdout.split("\n")[0]
    assert re.fullmatch(rf"(?i:usage): scripts/{name}( .*)?", first), first
    assert done.stderr == ""
