"""Every program in scripts/ prints its own usage for `--help` and for `-h`."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from runpy import run_module

import click
import pytest
from click.testing import CliRunner

from scripts import steering

TOP = Path(__file__).parents[1]
SCRIPTS = sorted(
    each.name for each in (TOP / "scripts").iterdir() if each.is_file() and not each.suffix
)


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_prints_its_own_usage_first(
    name: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A script of Python prints its options, too. The help of `scripts/test` installs nothing."""
    script = TOP / "scripts" / name
    program = re.search(r"-m (scripts\.\w+)|scripts/(\w+)\.py", script.read_text("utf-8"))
    if program:  # the shell script first installs what the program needs
        module = program[1] or f"scripts.{program[2]}"
        monkeypatch.setattr(sys, "argv", [str(script), "--help"])
        for imported in (module, f"{module}.__main__"):
            monkeypatch.delitem(sys.modules, imported, raising=False)
        with pytest.raises(SystemExit) as ended:
            run_module(module, run_name="__main__", alter_sys=True)
        assert ended.value.code in (0, None)
    else:
        subprocess.run([script, "--help"], cwd=TOP, timeout=60, check=True)
    said = capfd.readouterr()
    first = said.out.split("\n")[0]
    assert re.fullmatch(rf"(?i:usage): scripts/{name}( .*)?", first), first
    assert said.err == ""


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
    words = ["--rounds", "30", "--seeds", "60"]
    printed = CliRunner().invoke(steering.main, words).stdout
    leads = [float(each) for each in re.findall(r"([+-]\d\.\d\d) ±", printed)]
    honest, without_salts, with_salts, last_mover, with_beacon = leads
    assert min(without_salts, last_mover) > 1.5
    assert max(honest, with_salts, with_beacon) < 0.6
