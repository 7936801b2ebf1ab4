"""Layout: lines that fit, and other people's words that cannot do harm."""

from __future__ import annotations

from html import unescape
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import TemplateNotFound

from pbmserv.letters import render
from pbmserv.letters.document import Answers, Document, Paragraph
from pbmserv.letters.render import WordedLetter
from pbmserv.letters.wrapping import (
    columns_of,
    dashed,
    lined,
    one_line,
    quoted,
    told,
    wrapped,
)
from tests.letters.pages import page_of
from tests.letters.samples import EVERY


@given(text=st.text(), width=st.integers(4, 72))
def test_wrapped_lines_fit_and_hold_every_word(text: str, width: int) -> None:
    lines = wrapped(text, "  ", width).split("\n")
    assert all(columns_of(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


@given(words=st.lists(st.text("ab-", min_size=1, max_size=90)), width=st.integers(4, 72))
def test_lines_end_at_the_same_words_with_accents_and_without(words: list[str], width: int) -> None:
    """ASCII has a faster way."""
    text = " ".join(words)
    accented = wrapped(text.replace("a", "à"), width=width)
    assert wrapped(text, width=width).replace("a", "à") == accented


@given(text=st.text("ab & \n", max_size=300))
def test_a_page_divides_its_source_at_blanks_and_in_long_words_alone(text: str) -> None:
    """A paragraph goes on in a further line behind 30 characters, a word unseen behind 40."""
    page = page_of(WordedLetter(Document("en", "Hello", blocks=[Paragraph(f"{text}<end")])))
    source = page.partition('<p style="margin:0 0 10px">')[2].partition("&lt;end")[0]
    assert unescape(source.replace("<wbr\n>", "")).split() == text.split()
    assert all(len(unescape(each)) <= 41 for each in source.replace("<wbr\n>", " ").split())
    *lines, _ = source.replace("<wbr\n>", "").split("\n")
    assert "\n" in text or all(len(unescape(line)) >= 30 for line in lines)


def test_wide_letters_take_two_columns_and_accents_none() -> None:
    assert (columns_of("骰子"), columns_of("e\u0301"), columns_of("die")) == (4, 1, 3)
    assert wrapped("骰子" * 3, width=6) == "骰子骰\n子骰子"


def test_no_line_ends_at_a_blank_before_a_colon() -> None:
    """French has a blank before a colon, and within its quotation marks."""
    assert wrapped("Ils ont dit\u00a0: non", width=12) == "Ils ont\ndit\u00a0: non"
    assert one_line("Il dit\u00a0:\n non") == "Il dit\u00a0: non"
    assert told("Bravo\u00a0! \u202f") == "| Bravo !"


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


def test_an_unknown_kind_of_letter_is_an_error() -> None:
    with pytest.raises(TemplateNotFound):
        render.word("nothing", {}, "en")


def test_a_long_address_of_a_page_is_divided_before_its_sign() -> None:
    text = "To somebody.with.a.long.name@mail.example.org and bob@example.org."
    page = page_of(WordedLetter(Document("en", "Hello", blocks=[Paragraph(text)])))
    assert "long.name<wbr\n>@mail.example" in page
    assert "bob@example.org" in page


@pytest.mark.parametrize(
    "name", ["password_changed", "address_told", "confirmed", "signoff", "reset"]
)
def test_a_button_comes_below_the_command_that_its_sentence_ends_with(name: str) -> None:
    """The sentence ends in a colon."""
    for facts in (facts for kind, facts in EVERY if kind == name):
        blocks = render.word(name, facts, "en").document.blocks
        for block, after in pairwise(blocks):
            if isinstance(block, Paragraph) and block.text.endswith(":"):
                assert not isinstance(after, Answers)
