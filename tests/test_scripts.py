"""Every program in scripts/ prints its own usage for `--help` and for `-h`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from scripts import steering

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


def test_h_is_the_same_as_the_long_option() -> None:
    """Programs of Python by argparse have both; the others are asked."""
    wrong = []
    for name in SCRIPTS:
        text = (TOP / "scripts" / name).read_text("utf-8")
        if program := re.search(r"-m (scripts\.\w+)|scripts/(\w+)\.py", text):
            module = import_module(program[1] or f"scripts.{program[2]}")
            if module.__spec__ and module.__spec__.submodule_search_locations:
                module = import_module(f"{module.__name__}.__main__")
            for command in vars(module).values():
                if isinstance(command, click.Command):
                    done = CliRunner().invoke(command, ["-h"])
                    wrong += [name] * ("-h, --help " not in done.stdout)
        else:
            said = [
                subprocess.run(
                    [TOP / "scripts" / name, option], capture_output=True, timeout=60, check=True
                ).stdout
                for option in ("-h", "--help")
            ]
            wrong += [name] * (said[0] != said[1])
    assert wrong == []


def test_with_a_beacon_a_last_mover_gains_nothing() -> None:
    """`scripts/steer`: of a server that works with the last mover, and of one that tries seeds."""
    words = ["--rounds", "60", "--seeds", "60"]
    printed = CliRunner().invoke(steering.main, words).stdout
    leads = [float(each) for each in re.findall(r"([+-]\d\.\d\d) ±", printed)]
    honest, without_salts, with_salts, last_mover, with_beacon = leads
    assert min(without_salts, last_mover) > 1.5
    assert max(honest, with_salts, with_beacon) < 0.6
