"""The written pages of the manual: their format, and what all languages have in common."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbmserv.letters import manual_pages, render
from pbmserv.letters.catalogues import Untranslated
from pbmserv.letters.document import (
    Commands,
    Definition,
    Definitions,
    Document,
    Headline,
    Items,
    Listing,
    Paragraph,
    Section,
    Steps,
)
from pbmserv.letters.forms import html_quoted_lines, text
from pbmserv.letters.forms.shared_blocks import Pieces
from pbmserv.letters.reply_link import LetterLinks
from pbmserv.letters.wrapping import columns_of
from pbmserv.text.board_subjects import of_turn
from scripts.arena_games import manual, read
from tests.letters.lines_to_send import lines_to_send
from tests.rows import each_row

WRITTEN = """\
# Rules `bga`

Two to six players
play. To learn more: `help rules`

> perudo games
> list
>> signup ann secret

## Two dice
`-calza`:: also on turn
  or not
`-raise=one_or_both_or_none`:: both

Numbers:: A last word.

  Another sentence.
  > perudo move 12
Luck with the dice:: This is about rounds.

1. Reply:
   `4-2s`:: a bid
   > set ann secret

   Then wait.
2. Wait.

These do not count:
- boards with a
  break
- others
| rules, against | 2 | 10 |
| bga | 99 | 5 | 2000: 98-99 |
"""
TEXT = """\
RULES bga

Two to six players play. To learn more: help rules
  perudo games
  list

  signup ann secret

TWO DICE
  -calza  also on turn or not
  -raise=one_or_both_or_none
          both

NUMBERS  A last word.
         Another sentence.
           perudo move 12

LUCK WITH THE DICE
         This is about rounds.

1. Reply:
     4-2s  a bid
     set ann secret
   Then wait.

2. Wait.

These do not count:
  - boards with a break
  - others

  rules, against   2  10
  bga             99   5
      2000: 98-99
"""
LETTERS = Path(manual_pages.__file__).parent
EVERY_PAGE = [
    (language, subject)
    for language in sorted(file.parent.name for file in LETTERS.glob("*/help"))
    for subject in manual_pages.subjects(language)
]


def test_a_page_is_blocks() -> None:
    found = manual_pages.read(WRITTEN)
    assert [type(each) for each in found] == [
        *(Headline, Paragraph, Commands, Commands, Section, Definitions, Definitions),
        *(Steps, Paragraph, Items, Listing),
    ]
    assert found[2] == Commands(("perudo games", "list"))
    assert found[3] == Commands(("signup ann secret",), of_email=True)
    options, words = found[5], found[6]
    assert isinstance(options, Definitions) and options.typed
    assert options.rows[0] == Definition("-calza", (Paragraph("also on turn or not"),))
    assert isinstance(words, Definitions) and not words.typed
    assert found[-1] == Listing(
        ("rules, against", "2", "10"), (("bga", "99", "5", "2000: 98-99"),), frozenset({1, 2})
    )


def test_a_page_is_written_as_text() -> None:
    assert text.plain(text.written(Document("en", blocks=[*manual_pages.read(WRITTEN)]))) == TEXT


def test_a_page_is_written_as_html() -> None:
    links = LetterLinks("pbm@example.org", "", "plus", "Help", None)
    pieces = Pieces(Document("en", blocks=[*manual_pages.read(WRITTEN)]))
    page = "".join(pieces.page(links))
    assert "Rules <b>bga</b></h1>" in page and "<b>help rules</b></p>" in page
    for tag, count in (("<dl ", 2), ("<dt ", 4), ("<ol ", 1), ("<ul ", 1), ("<li ", 4)):
        assert page.count(tag) == count, tag
    assert page.count("set ann secret") == 1
    own = [
        line for block in manual_pages.read(WRITTEN) for line in html_quoted_lines.of_block(block)
    ]
    assert {"Numbers", "perudo move 12", "4-2s", "a bid"} <= {*own}


def test_a_line_that_belongs_to_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="this line is indented:   perudo games"):
        manual_pages.read("A paragraph.\n\n  perudo games\n")


def test_a_page_that_a_language_lacks_is_not_written_in_another_one() -> None:
    with pytest.raises(Untranslated):
        manual_pages.page("dice", "tlh")


@each_row(("language", "subject"), EVERY_PAGE)
def test_a_page_is_lines_of_72_columns(language: str, subject: str) -> None:
    found = Document(language, blocks=[*manual_pages.page(subject, language)])
    for line in text.plain(text.written(found)).split("\n"):
        assert columns_of(line) <= 72 and line.isprintable(), line


def test_a_page_is_made_once_for_all_its_readers() -> None:
    """Each letter has a document of its own, to which a foot can be added."""
    facts = {"subject": "dice", "written": "dice"}
    first, second = (
        render.word("help", {**facts, "account": each}, "en").document for each in ("ann", "bob")
    )
    assert first.foot is not second.foot
    assert all(one is other for one, other in zip(first.blocks, second.blocks, strict=True))


@each_row(("language", "subject"), EVERY_PAGE)
def test_a_page_is_small_enough_for_mail_programs(language: str, subject: str) -> None:
    """A letter's HTML has at most 24 KB, of which the page leaves some for the foot."""
    links = LetterLinks("pbm@example.org", "", "plus", "Help", None)
    page = Pieces(Document(language, blocks=[*manual_pages.page(subject, language)])).page(links)
    assert len("".join(page).encode()) < 21 * 1024


@each_row(("language", "subject"), EVERY_PAGE)
def test_a_translated_page_shows_the_commands_of_the_english_one(
    language: str, subject: str
) -> None:
    """Readers type the same in every language, and tables have the same numbers.

    The Subject of a letter is the one that the language has.
    """
    assert [*typed(subject, language)] == [*typed(subject, "en")]


def typed(subject: str, language: str) -> Iterator[object]:
    """The blocks of a page, each with what a reader can type, and the cells of tables."""
    turn = of_turn(12, language)
    for block in manual_pages.page(subject, language):
        yield type(block), sorted(each.replace(turn, "TURN") for each in lines_to_send([block]))
        if isinstance(block, Listing):
            yield [row[1:] for row in block.rows]


def test_the_table_of_house_players_has_the_figures_that_were_measured() -> None:
    """`docs/house-players.json` has them; `scripts/arena --manual` prints the rows."""
    measured = Path(__file__).parents[2] / "docs" / "house-players.json"
    (table,) = [each for each in manual_pages.page("house", "en") if isinstance(each, Listing)]
    found = read(measured, 1)
    (rows,) = manual_pages.read("\n".join(manual(found)))
    assert isinstance(rows, Listing)
    assert (table.heads, table.rows[:-1]) == (rows.heads, rows.rows)
    assert {tally.games for tally in found.values()} == {2000}, "the page says so"
