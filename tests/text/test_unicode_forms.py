"""Unicode in one form: ordinary text becomes NFC, and any marks take linear time."""

from __future__ import annotations

import ast
import re
import sys
from functools import partial
from pathlib import Path
from unicodedata import combining, normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.text.unicode_forms import MOST_MARKS, compatible, is_pictures, normalized
from tests.processor_time import usual_seconds
from tests.rows import each_row

TOP = Path(__file__).parents[2]
ACUTE, DOT_BELOW, TIBETAN = "\u0301", "\u0323", "\u0f73"


@given(st.text())
def test_ordinary_text_is_normalized_to_nfc(text: str) -> None:
    assert normalized(text) == normalize("NFC", text)


@each_row("marks", [ACUTE, DOT_BELOW + ACUTE, TIBETAN, "\u0345\u0301\u0323"])
@each_row("letter", ["", "a", "अ", "🙂"])
def test_thirty_combining_marks_in_a_row_are_kept(letter: str, marks: str) -> None:
    kept = (marks * MOST_MARKS)[:MOST_MARKS]
    for text in ("{}x{}", "{}", "abc {} {} def"):
        long, short = (text.format(letter + each, each) for each in (marks * MOST_MARKS * 9, kept))
        assert normalized(long) == normalize("NFC", text.format(letter + kept, kept)), text
        assert normalized(short) == normalize("NFC", short)


@pytest.mark.parametrize("marks", [DOT_BELOW + ACUTE, TIBETAN, "a" + (DOT_BELOW + ACUTE) * 15])
def test_the_time_grows_with_the_length_alone(marks: str) -> None:
    """120,000 marks took 56 seconds of CPU."""
    text = marks * (120_000 // len(marks))
    assert usual_seconds(partial(normalized, text), 0.5) <= 0.5


def test_pictures_are_not_letters() -> None:
    """Signs with letters in them may spell a word."""
    for text in ("👍", "😂 ❤️", "👍🏽", "🆗", "🇫🇷", "⭐"):
        assert is_pictures(text), text
    for text in ("🅂🅆", "👍🅂", "🄰", "🅰", "👍ⓢ", "⚂", "㊙", "👍 ok", ""):
        assert not is_pictures(text), text


@pytest.mark.slow
def test_every_combining_mark_of_unicode_is_recognized() -> None:
    """A run that could be too long is searched for by what marks are not: letters, and ASCII."""
    for number in range(sys.maxunicode + 1):
        character = chr(number)
        if combining(character):
            assert not (character.isascii() or character.isalnum()), hex(number)
        elif not character.isascii() and combining(normalize("NFD", character)[0]):
            assert normalized(character * 31) == normalize("NFC", character * 30), hex(number)


def test_only_this_module_normalizes() -> None:
    """`unicodedata.normalize` is called in one place, behind the cut."""
    callers = set()
    for file in (TOP / "pbmserv").rglob("*.py"):
        text = file.read_text("utf-8")
        if not re.search("normalize|ucd_3_2_0", text):
            continue  # parsing all files takes seconds
        for node in ast.walk(ast.parse(text)):
            named = {
                *([node.attr] if isinstance(node, ast.Attribute) else ()),
                *([each.name for each in node.names] if isinstance(node, ast.ImportFrom) else ()),
            }
            if named & {"normalize", "is_normalized", "ucd_3_2_0"}:
                callers.add(file.name)
    assert callers == {"unicode_forms.py"}


def test_wide_letters_are_plain_ones_in_the_compatible_form() -> None:
    assert compatible("ｅxample。org") == "example。org"
    assert compatible("example.org") == "example.org"
    assert len(compatible("é" + "\u0301" * 5000)) <= MOST_MARKS + 2
