"""The house: floors, doors with signs, and rooms that are not too large."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

TOP = Path(__file__).parents[1]
MODULES = sorted([*(TOP / "pbmserv").rglob("*.py"), *(TOP / "migrations").rglob("*.py")])
LONGEST_MODULE, LONGEST_FUNCTION, LONGEST_SIGN = 400, 45, 100  # lines, lines, characters
NAMELESS = {"utils", "helpers", "common", "core", "manager", "service", "handler"}

every_module = pytest.mark.parametrize(
    "module", MODULES, ids=lambda path: str(path.relative_to(TOP))
)


def functions(module: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_imports_only_ever_point_down() -> None:
    """The contracts of setup.cfg: the floors, and the purity of the games."""
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    said = subprocess.run(command, cwd=TOP, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stdout


def test_every_package_is_on_the_map() -> None:
    """ARCHITECTURE names each package and module of the program's top level, and no other."""
    top = TOP / "pbmserv"
    there = {f"{each.parent.name}/" for each in top.glob("*/__init__.py")}
    there |= {each.name for each in top.glob("*.py")} - {"__init__.py"}
    rows = re.findall(r"^\| (`.*?) \|", (TOP / "ARCHITECTURE.md").read_text("utf-8"), re.MULTILINE)
    assert set(re.findall(r"`(\w+(?:\.py|/))`", "".join(rows))) == there


@every_module
def test_a_module_has_a_sign_on_its_door(module: Path) -> None:
    """One line that says what is inside, as a sentence."""
    sign = (ast.get_docstring(ast.parse(module.read_text("utf-8"))) or "").partition("\n")[0]
    assert sign.endswith((".", "?")), sign
    assert len(sign) <= LONGEST_SIGN


@every_module
def test_a_module_is_a_room_and_not_a_hall(module: Path) -> None:
    assert len(module.read_text("utf-8").splitlines()) <= LONGEST_MODULE
    assert module.stem not in NAMELESS


@every_module
def test_a_function_fits_on_a_screen(module: Path) -> None:
    long = {
        function.name: lines
        for function in functions(module)
        if (lines := (function.end_lineno or 0) - function.lineno + 1) > LONGEST_FUNCTION
        and module.parent.name != "versions"  # a migration is a list, and read as one
    }
    assert long == {}


def test_a_script_says_in_its_second_line_what_it_does() -> None:
    for script in [*(TOP / "scripts").iterdir(), TOP / ".ci" / "run"]:
        if script.is_file() and not script.suffix:
            first, second = script.read_text("utf-8").splitlines()[:2]
            assert first.startswith("#!"), script
            assert second.startswith(("# ", '"""')), script
            assert script.stat().st_mode & 0o111, f"{script} cannot be run"
