"""The layout: layers, docstrings, sizes, and a map that names what there is."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from pbmserv.database.models import Base
from tests.rows import each_row

TOP = Path(__file__).parents[1]
MODULES = sorted([*(TOP / "pbmserv").rglob("*.py"), *(TOP / "migrations").rglob("*.py")])
LONGEST_MODULE, LONGEST_FUNCTION, LONGEST_DOCSTRING = 400, 45, 100  # lines, lines, characters
LONGEST_MAP = 150  # lines
NOT_OF_OURS = {"pbmserv.toml"}  # in backticks on the map, and no file or function of the program
NAMELESS = {"utils", "helpers", "common", "core", "manager", "service", "handler"}

every_module = each_row("module", MODULES, ids=lambda path: str(path.relative_to(TOP)))


def functions(module: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_imports_only_ever_point_down() -> None:
    """The contracts of setup.cfg hold: the layers, and the purity of the games."""
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


def test_the_map_fits_on_a_few_screens() -> None:
    assert len((TOP / "ARCHITECTURE.md").read_text("utf-8").splitlines()) <= LONGEST_MAP


def files_of_ours() -> list[str]:
    """Every file and folder that the pages may name, as paths from the top."""
    folders = ("pbmserv", "migrations", "tests", "docs", "scripts", ".ci")
    inside = [path for folder in folders for path in (TOP / folder).rglob("*")]
    found = [path for path in [*TOP.iterdir(), *inside] if "__pycache__" not in path.parts]
    return [str(path.relative_to(TOP)) + "/" * path.is_dir() for path in found]


def is_a_path(name: str) -> bool:
    return "/" in name or name.endswith((".py", ".txt", ".toml", ".cfg", ".md"))


def has_file(name: str, paths: Sequence[str]) -> bool:
    """Whether a path exists, from the top or from a folder; NAME and CODE stand for any."""
    pattern = re.sub("NAME|CODE", "[^/]+", re.escape(name))
    return any(re.search(rf"(?:^|/){pattern}/?$", path) for path in paths)


def has_attribute(name: str) -> bool:
    """Whether `module.function`, of any module with this name, or `table.column` exists."""
    first, *rest = name.split(".")
    for path in MODULES:
        whole = [part for part in path.relative_to(TOP).with_suffix("").parts if part != "__init__"]
        for place, part in enumerate(whole):
            inside = whole[place:] if part == first else []
            if inside and inside == name.split(".")[: len(inside)]:
                found: object = importlib.import_module(".".join(whole))
                for attribute in name.split(".")[len(inside) :]:
                    found = getattr(found, attribute, None)
                if found is not None:
                    return True
    table = Base.metadata.tables.get(first)
    return table is not None and ".".join(rest) in table.columns


def has_test(name: str) -> bool:
    file, _, function = name.partition("::")
    return (TOP / file).is_file() and any(each.name == function for each in functions(TOP / file))


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "docs/design.md"])
def test_everything_named_on_the_map_exists(page: str) -> None:
    """Files, folders, functions of modules, columns of tables, and tests, each in backticks."""
    paths, missing = files_of_ours(), []
    for name in re.findall(r"`([^`\s]+)`", (TOP / page).read_text("utf-8")):
        if "::" in name:
            is_there = has_test(name)
        elif is_a_path(name):
            is_there = has_file(name, paths)
        else:
            is_there = not re.fullmatch(r"\w+(\.\w+)+", name) or has_attribute(name)
        if not is_there and name not in NOT_OF_OURS:
            missing.append(name)
    assert missing == []


def test_missing_names_on_the_map_are_noticed() -> None:
    paths = files_of_ours()
    assert has_file("boards/play.py", paths) and not has_file("boards/nothing.py", paths)
    assert has_file("transports/NAME_in.py", paths) and not has_file("transports/NAME_no.py", paths)
    assert has_attribute("play.move") and not has_attribute("play.nothing")
    assert has_attribute("seats.taken_at") and not has_attribute("seats.nothing")
    here = "tests/test_architecture.py"
    assert has_test(f"{here}::test_the_map_fits_on_a_few_screens")
    assert not has_test(f"{here}::test_of_nothing") and not has_test("tests/nothing.py::test_it")


@every_module
def test_a_module_has_a_docstring_of_one_sentence(module: Path) -> None:
    """Its first line ends a sentence and fits in 100 columns."""
    first_line = (ast.get_docstring(ast.parse(module.read_text("utf-8"))) or "").partition("\n")[0]
    assert first_line.endswith((".", "?")), first_line
    assert len(first_line) <= LONGEST_DOCSTRING


@every_module
def test_a_module_is_short_and_has_a_telling_name(module: Path) -> None:
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


def test_a_function_that_others_do_not_call_is_private() -> None:
    """Its name begins with `_`, unless click or alembic calls it, or a page or a test names it.

    A test alone is not enough: at least the function's own module calls it.
    """
    texts = {
        each: {*re.findall(r"\w+", (TOP / each).read_text("utf-8"))}
        for each in files_of_ours()
        if each.endswith((".py", ".jinja", ".md"))
    }
    of_tests = set().union(*(texts.pop(each) for each in [*texts] if each.startswith("tests/")))
    users = Counter(word for each in texts.values() for word in each)
    public = [
        f"{module.relative_to(TOP)}: {node.name}"
        for module in MODULES
        for node in ast.parse(module.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and not (node.name.startswith("_") or node.decorator_list)
    ]
    assert [
        each
        for each in public
        if users[(name := each.split()[-1])] == 1
        and not (name in of_tests and name in used_in(each.partition(":")[0]))
    ] == []


def used_in(module: str) -> set[str]:
    """The names that the code of a module uses."""
    nodes = ast.walk(ast.parse((TOP / module).read_text("utf-8")))
    return {node.id for node in nodes if isinstance(node, ast.Name)}


def test_a_script_says_in_its_second_line_what_it_does() -> None:
    for script in [*(TOP / "scripts").iterdir(), TOP / ".ci" / "run"]:
        if script.is_file() and not script.suffix:
            first, second = script.read_text("utf-8").splitlines()[:2]
            assert first.startswith("#!"), script
            assert second.startswith(("# ", '"""')), script
            assert script.stat().st_mode & 0o111, f"{script} cannot be run"
