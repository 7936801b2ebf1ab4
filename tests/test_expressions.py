"""Every regular expression of the program takes linear time on its own worst inputs."""

from __future__ import annotations

import ast
import re

import pytest

from tests.expressions import (
    ENOUGH,
    Expression,
    compiled_in,
    expressions,
    hidden_in,
    repeats_a_group_possessively,
    slow,
    sources,
)
from tests.rows import each_row

pytestmark = pytest.mark.long

LARGEST_MAIL = 256 * 1024  # characters: no caller lets more through


@each_row("each", expressions, ids=lambda each: each.name)
def test_doubling_its_input_does_not_triple_the_time_of_an_expression(each: Expression) -> None:
    assert slow(each.pattern, each.methods, LARGEST_MAIL) == ""


@each_row("each", expressions, ids=lambda each: each.name)
def test_how_an_expression_is_used_is_known(each: Expression) -> None:
    assert each.methods


@each_row("each", expressions, ids=lambda each: each.name)
def test_every_version_of_python_finds_the_same(each: Expression) -> None:
    assert not repeats_a_group_possessively(each.pattern)


@pytest.mark.parametrize(
    ("text", "repeats"),
    [
        (r"(?:ab)++", True),
        (r"x(?:(?:ab|c)?+d|e)", True),
        (r"(?=(?:a.)*+)", True),
        (r"(?:x*+y){2}[ab]++.?+", False),
        (r"(?>(?:ab)+)", False),
    ],
)
def test_a_group_that_is_repeated_possessively_is_noticed(text: str, repeats: bool) -> None:
    assert repeats_a_group_possessively(re.compile(text)) is repeats


def test_every_expression_can_be_found() -> None:
    """Each is compiled where it can be found, and none is handed to `re` as a text."""
    for module, tree in sources().items():
        assert [*hidden_in(tree)] == [], module
        assert None not in {*compiled_in(tree)}, module


@pytest.mark.parametrize(
    "code",
    [
        "import re\ndef f(t):\n    return re.compile('a').match(t)",
        "import re\ndef f(t):\n    return re.sub('a', '', t)",
        "import re\nX = [re.split('a', 'b')]",
        "from re import compile",
        "from functools import cache\nimport re\n@cache\ndef f(a):\n    return re.compile(a)",
        "import re\nclass A:\n    x = re.compile('a')",
        "from fnmatch import fnmatch",
    ],
)
def test_a_hidden_expression_is_noticed(code: str) -> None:
    tree = ast.parse(code)
    assert [*hidden_in(tree)] or None in {*compiled_in(tree)}


OLD_YES = "(?:我|我们)?(?:是我|是的|是|好)(?:是的|是我|是|我|的|了|谢谢|です)*"
OLD_REPLY_MARK = r"\s*(?:antwort|aw|fwd|re|r)\s*(?:\[\d{1,3}\]|\(\d{1,3}\)|[*^]\d{1,3})?\s*[:：]"


@pytest.mark.parametrize(
    ("text", "method"),
    [
        (OLD_YES, "fullmatch"),
        (OLD_REPLY_MARK, "match"),
        (r"(a+)+$", "search"),
        (r"\s+$", "search"),
        (r"(a|aa)+b", "fullmatch"),
        (r"(\w+\s?)*$", "match"),
        (r"x*x*y", "match"),
        (r"<[^>]*>", "findall"),
        (r"a.*b", "split"),
        (r"(?:.*?,){9}P", "match"),
        (r"(?<=x)\s*y|\s*z", "sub"),
    ],
)
def test_a_slow_expression_is_found_out(text: str, method: str) -> None:
    assert slow(re.compile(text), {method}, LARGEST_MAIL)


def test_an_expression_for_bytes_can_be_slow_too() -> None:
    assert slow(re.compile(rb"\s+$"), {"search"}, LARGEST_MAIL)
    assert slow(re.compile(rb"\S+$"), {"match"}, LARGEST_MAIL) == ""


@pytest.mark.parametrize(
    ("text", "method"),
    [
        (r"\s+$", "match"),
        (r"(?>a|ab)*+c", "fullmatch"),
        (r"\s*+re\s*+:", "match"),
        (r"<[^<>]{0,40}>", "findall"),
        (r"[^\s]+", "sub"),
    ],
)
def test_a_fast_expression_passes(text: str, method: str) -> None:
    assert slow(re.compile(text), {method}, LARGEST_MAIL) == ""


def test_an_expression_may_be_slow_on_more_than_its_callers_let_through() -> None:
    assert ENOUGH == 0.004
    assert slow(re.compile(r"\s+$"), {"search"}, 500) == ""
