"""Packaging: we ship all files of the package, and they are enough to play."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from configparser import ConfigParser
from email.parser import Parser
from importlib import import_module
from importlib.metadata import packages_distributions
from pathlib import Path, PurePosixPath

import pytest

TOP = Path(__file__).parents[1]
MAPPED = {"pbmserv": "pbmserv", "migrations": "pbmserv/migrations"}  # folder here, folder shipped
LITTER = shutil.ignore_patterns("__pycache__", "*.pyc", ".*")


@pytest.fixture(scope="module")
def setup() -> ConfigParser:
    parser = ConfigParser()
    parser.read(TOP / "setup.cfg")
    return parser


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    """A wheel built from a copy, so that it has no files of an earlier build."""
    source = tmp_path_factory.mktemp("source")
    for folder in MAPPED:
        shutil.copytree(TOP / folder, source / folder, ignore=LITTER)
    for file in ("setup.cfg", "pyproject.toml", "LICENSE", "README.md"):
        shutil.copy(TOP / file, source)
    out = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        str(out),
        ".",
    ]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (built,) = out.glob("*.whl")
    with zipfile.ZipFile(built) as opened:
        yield opened


def shipped_files() -> set[str]:
    """Every file of ours by the name it must have in the wheel."""
    return {
        (PurePosixPath(target) / file.relative_to(TOP / folder).as_posix()).as_posix()
        for folder, target in MAPPED.items()
        for file in (TOP / folder).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts and not file.name.startswith(".")
    }


def metadata(wheel: zipfile.ZipFile, name: str) -> str:
    (found,) = [each for each in wheel.namelist() if each.endswith(f".dist-info/{name}")]
    return wheel.read(found).decode()


def test_the_list_of_packages_is_that_of_the_folders(setup: ConfigParser) -> None:
    folders = {
        str(PurePosixPath(name).parent).replace("/", ".")
        for name in shipped_files()
        if name.endswith("__init__.py")
    }
    listed = setup["options"]["packages"].split()
    assert listed == sorted(folders)


def test_the_wheel_holds_every_file_and_no_other(wheel: zipfile.ZipFile) -> None:
    inside = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert inside == shipped_files()


def test_letters_and_migrations_are_among_them(wheel: zipfile.ZipFile) -> None:
    names = wheel.namelist()
    for ending in (
        "pbmserv/letters/templates/refusals/accounts.jinja",
        "pbmserv/games/perudo/letters/refusals/bids.jinja",
        "pbmserv/games/perudo/letters/sentences.jinja",
        "pbmserv/migrations/env.py",
        "pbmserv/migrations/script.py.mako",
        "pbmserv/py.typed",
    ):
        assert ending in names


def test_the_wheel_has_our_metadata(wheel: zipfile.ZipFile) -> None:
    said = Parser().parsestr(metadata(wheel, "METADATA"))
    assert (said["Name"], said["Requires-Python"]) == ("pbmserv", ">=3.11")
    assert said["License"] == "MIT"
    assert said.get_payload(), "the README is the long description"


def test_the_commands_of_the_wheel_exist(wheel: zipfile.ZipFile) -> None:
    parser = ConfigParser()
    parser.read_string(metadata(wheel, "entry_points.txt"))
    commands = dict(parser["console_scripts"])
    assert sorted(commands) == ["pbmserv", "perudo"]
    for place in commands.values():
        module, _, name = place.partition(":")
        assert callable(getattr(import_module(module), name))


def test_everything_imported_is_asked_for_with_a_lower_bound(setup: ConfigParser) -> None:
    required = setup["options"]["install_requires"].strip().splitlines()
    for name, extra in setup["options.extras_require"].items():
        # What only tests and scripts need; SQLAlchemy imports the driver of a database by its URL.
        if name not in {"bench", "test", "train", "fuzz", "pictures", "postgresql"}:
            required += extra.strip().splitlines()
    bounds = {
        name.lower(): bound for name, _, bound in (line.partition(" >= ") for line in required)
    }
    assert all(bounds.values()), bounds
    belongs_to = packages_distributions()
    used = {name for name in imported() if name not in sys.stdlib_module_names} - {"pbmserv"}
    # zoneinfo of the standard library reads tzdata where the system has no time zones.
    assert {belongs_to[name][0].lower() for name in used} | {"tzdata"} == set(bounds)


def imported() -> set[str]:
    """The first part of every module's name that our code imports, early or late."""
    found: set[str] = set()
    for folder in MAPPED:
        for file in (TOP / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if isinstance(node, ast.Import):
                    found |= {alias.name.partition(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and node.module:
                    found.add(node.module.partition(".")[0])
    return found
