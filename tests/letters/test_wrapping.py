"""Layout: lines that fit, and other people's words that cannot do harm."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import TemplateNotFound

from pbmserv.letters import render
from pbmserv.letters.wrapping import (
    column,
    columns_of,
    dashed,
    filled,
    lined,
    plural,
    quoted,
    told,
    wrapped,
)


@given(text=st.text(), width=st.integers(4, 72))
def test_wrapped_lines_fit_and_hold_every_word(text: str, width: int) -> None:
    lines = wrapped(text, "  ", width).split("\n")
    assert all(columns_of(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_wide_letters_take_two_columns_and_accents_none() -> None:
    assert (columns_of("骰子"), columns_of("e\u0301"), columns_of("die")) == (4, 1, 3)
    assert wrapped("骰子" * 3, width=6) == "骰子骰\n子骰子"


def test_paragraphs_are_filled_and_indented_lines_kept() -> None:
    text = "\nTwo lines\nof one paragraph.\n  an   example\n\nThe end.\n"
    assert filled(text) == "Two lines of one paragraph.\n  an   example\n\nThe end."


def test_too_long_an_indented_line_hangs() -> None:
    assert filled("  " + "word " * 20).split("\n") == [
        "  " + "word " * 13 + "word",
        "    " + "word " * 5 + "word",
    ]


@given(text=st.text(min_size=1))
def test_every_line_of_a_players_words_begins_with_a_bar(text: str) -> None:
    for line in told(text).split("\n")[: len(text)]:
        assert line[:1] in {"|", ""}
        assert columns_of(line) <= 72
        assert line.isprintable()


@given(text=st.text())
def test_a_quoted_word_is_short_and_harmless(text: str) -> None:
    word = quoted(text)
    assert word[0] == word[-1] == '"'
    assert word.isprintable()
    assert len(word) <= 45


def test_lists_are_read_out() -> None:
    assert lined(["ann"], "and") == "ann"
    assert lined(["ann", "bob"], "or") == "ann or bob"
    assert lined(["ann", "bob", "cleo"], "and") == "ann, bob and cleo"
    assert lined([], "and") == ""
    assert dashed(["calza", "to1=exact"]) == ["-calza", "-to1=exact"]


def test_one_die_and_two_dice() -> None:
    assert (plural(1, "die", "dice"), plural(2, "die", "dice")) == ("1 die", "2 dice")


def test_columns_are_filled_up() -> None:
    assert (column("ann", 5), column("12", 5, True)) == ("ann  ", "   12")


def test_an_unknown_kind_of_letter_is_an_error() -> None:
    with pytest.raises(TemplateNotFound):
        render.word("nothing", {}, "en")
