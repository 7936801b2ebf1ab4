"""What people and mail programs write, in many languages: the files of words."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pbmserv.text import phrases
from pbmserv.text.phrases import one_of, words_of
from tests.rows import each_row

FOLDER = Path(phrases.__file__).parent
FILES = sorted(FOLDER.glob("*.toml"))
ENGLISH = tomllib.loads((FOLDER / "en.toml").read_text("utf-8"))
AS_WRITTEN = {
    "date_opens",  # "On" opens a sentence; "on" stands in the middle of many
    "turn_subjects", "board_subjects", "refused_subjects",  # letters have them as they are
    "message_subjects", "message_subjects_to_all",  # the same
    "zones",  # their names
    "language_names",  # letters have them as they are
}  # fmt: skip


@cache
def read() -> list[dict[str, Any]]:
    """The words of each language, by their kinds."""
    return [tomllib.loads(file.read_text("utf-8")) for file in FILES]


def asked_for() -> set[str]:
    """The kinds of words that the program asks for."""
    texts = [path.read_text("utf-8") for path in FOLDER.parents[1].rglob("*.py")]
    # To parse all of them takes seconds.
    modules = [
        ast.parse(each) for each in texts if re.search("words_of|one_of|by_language|phrases", each)
    ]
    return {kind for module in modules for kind in asked_by(module)}


def asked_by(module: ast.Module) -> Iterator[str]:
    """The kinds that one module asks for, also by a function of its own that passes them on."""
    asking = {
        "words_of",
        "one_of",
        "by_language",
        "phrases",
    }  # the last is of commands/move_lines/clauses.py
    for function in [each for each in ast.walk(module) if isinstance(each, ast.FunctionDef)]:
        own = {each.arg for each in function.args.args}
        if any(isinstance(each, ast.Name) and each.id in own for each in first(function, asking)):
            asking.add(function.name)
    for argument in first(module, asking):
        if isinstance(argument, ast.Constant):
            yield str(argument.value)


def first(tree: ast.AST, functions: set[str]) -> Iterator[ast.expr]:
    """The first argument of every call of one of the functions."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name), args=[argument]) if name in functions:
                yield argument


def test_english_has_exactly_the_required_kinds_of_words() -> None:
    assert set(ENGLISH) == asked_for()


@each_row("file", FILES, ids=lambda file: file.stem)
def test_a_language_is_a_file_of_words(file: Path) -> None:
    """Its kinds are those of English, no word of one is written twice, all are in lower case."""
    for kind, words in tomllib.loads(file.read_text("utf-8")).items():
        assert kind in ENGLISH
        assert len(words) == len(set(words)), kind
        assert all(word.strip() for word in words), kind
        if kind not in AS_WRITTEN:
            assert [word for word in words if word != word.lower()] == [], kind


@each_row("kind", sorted(ENGLISH))
def test_all_languages_are_understood_at_any_time(kind: str) -> None:
    every = [word for language in read() for word in language.get(kind, ())]
    assert set(words_of(kind)) == set(every)
    assert all(re.fullmatch(one_of(kind), word) for word in every)


def test_a_kind_that_no_language_has_is_a_mistake_of_the_program() -> None:
    with pytest.raises(KeyError):
        words_of("yess")
