"""What is told evenly: columns, rows of buttons, headlines and the last lines of paragraphs."""

from __future__ import annotations

import re

import pytest

from pbmserv.letters.document import (
    Answer,
    Answers,
    Block,
    Cup,
    Cups,
    Die,
    Document,
    Headline,
    Link,
    Links,
    Listing,
    Said,
    Seat,
    Seats,
    Section,
)
from pbmserv.letters.forms import text
from pbmserv.letters.render import Words
from pbmserv.letters.writer import Writer
from tests.letters.pages import page_of

LONG = "x" * 18 + "-1"


def html_of(block: Block) -> str:
    """The page of a letter that has nothing but this block."""
    return page_of(Words(Document("en", "Hello", blocks=[block])))


def test_the_last_column_of_a_table_ends_at_its_edge_also_above_a_line_below_its_row() -> None:
    page = html_of(Listing(("Player", "On time"), (("ann", "98%", "seeks"), ("bob", "-"))))
    assert len(re.findall(r'style="padding:6px 0px 6px 0[^>]*>(?:98%|-)<', page)) == 2


@pytest.mark.parametrize(
    ("words", "columns"),
    [
        (("yes ann", "you play as ann"), 2),
        ((f"yes {LONG}", "you play"), 1),
        (("yes", f"you play as {LONG}"), 1),
    ],
)
def test_a_button_with_a_long_word_has_a_row_of_its_own(
    words: tuple[str, str], columns: int
) -> None:
    page = html_of(Answers((), (Answer(*words, kind="yes"), Answer("no", "not this time"))))
    assert page.count(f'width="{100 // columns}%" align="center"') == (2 if columns == 2 else 0)
    assert page.count('colspan="1" align="center"') == (0 if columns == 2 else 2)


def test_a_link_is_not_divided_if_it_fits_into_a_line() -> None:
    page = html_of(Links((Link("The game", command="help perudo"), Link("x " * 17, command="x"))))
    assert page.count('class="l" style="color:#0f6b4a;line-height:28px;white-space:nowrap"') == 1
    assert "The game</a>\u00a0·\n<a " in page


def test_no_paragraph_ends_with_a_word_alone_where_a_mail_program_can_help_it() -> None:
    assert "text-wrap:pretty" in html_of(Links(()))


def test_no_line_ends_within_a_part_of_a_title() -> None:
    for block in Headline("Hi", "Board 12 · round 1"), Section("Board 12 · round 1"):
        assert ">Board~12~· round~1</" in html_of(block).replace("\u00a0", "~")
    assert ">What happened here</h2>" in html_of(Section("What happened here"))


def test_the_bar_beside_a_players_words_is_green_in_the_dark_too() -> None:
    blocks: list[Block] = [Said("bob writes:", "Hello!"), Answers((), ())]
    page = page_of(Words(Document("en", "Hello", blocks=blocks)))
    assert '<td class="k y" ' in page
    assert ".y{border-color:#2fae7d!important}" in page


def test_the_numbers_of_opened_cups_and_their_sum_are_below_each_other() -> None:
    cups = Cup("bob", (Die(3, True), Die(6)), 1), Cup("cleo", (Die(4),), 0)
    for note in ("counted; three were bid", "sum"):
        lines = text.lines(Cups("", cups, total=1, note=note))
        assert len({len(line) for line in lines}) == 1
        assert [line.split()[-1] for line in lines] == ["1", "0", "1"]


def test_the_numbers_of_dice_at_a_table_are_below_each_other() -> None:
    seats = Seats((Seat("ann", 10, 10), Seat("bob", 9, 10, bid="3-2s"), Seat("cleo", 0, 10)))
    assert text.lines(seats) == ["  ann   10", "  bob    9  3-2s", "  cleo  out"]


def test_a_headline_has_no_full_stop() -> None:
    writer = Writer("en")
    writer.headline("Board 12 is over: ann has won.")
    writer.headline("Welcome, ann!")
    titles = [each.title for each in writer.document.blocks if isinstance(each, Headline)]
    assert titles == ["Board 12 is over: ann has won", "Welcome, ann!"]
