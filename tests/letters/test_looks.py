"""What is told evenly: columns, rows of buttons, headlines and the last lines of paragraphs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pbmserv.letters import render
from pbmserv.letters.catalogues import languages
from pbmserv.letters.document import (
    SMALL,
    Answer,
    Answers,
    Block,
    Commands,
    Cup,
    Cups,
    Definition,
    Definitions,
    Die,
    Document,
    Headline,
    Link,
    Links,
    Listing,
    Paragraph,
    Said,
    Seat,
    Seats,
    Section,
    Steps,
    typed,
)
from pbmserv.letters.document_writer import DocumentWriter
from pbmserv.letters.forms import text
from pbmserv.letters.render import WordedLetter
from pbmserv.players.preferences import PREFERENCES
from tests.intake.buttons import buttons
from tests.letters.pages import page_of, read
from tests.rows import each_row
from tests.stories.town import PASSWORD, town_at

LONG = "x" * 18 + "-1"


def html_of(block: Block) -> str:
    """The page of a letter that has nothing but this block."""
    return page_of(WordedLetter(Document("en", "Hello", blocks=[block])))


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


@pytest.mark.parametrize("compact", [False, True])
def test_the_bar_beside_a_players_words_is_green_in_the_dark_too(*, compact: bool) -> None:
    first = Section("Board 12", compact=compact)
    blocks: list[Block] = [first, Said("bob writes:", "Hello!"), Answers((), ())]
    page = page_of(WordedLetter(Document("en", "Hello", blocks=blocks)))
    assert '<td class="k y" ' in page
    assert ".y{border-color:#2fae7d!important}" in page
    assert (".w{border-color:#2fae7d}" in page) == compact


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
    writer = DocumentWriter("en")
    writer.headline("Board 12 is over: ann has won.")
    writer.headline("Welcome, ann!")
    titles = [each.title for each in writer.document.blocks if isinstance(each, Headline)]
    assert titles == ["Board 12 is over: ann has won", "Welcome, ann!"]


LONG_COMMAND = "perudo challenge -rules=classic -calza -palifico -dice=3 -inorder ann bob cleo dan"


def test_a_line_to_send_of_any_length_is_whole() -> None:
    """Half of a command, copied into an email, is another one."""
    assert text.lines(Commands((LONG_COMMAND, "help"))) == [f"  {LONG_COMMAND}", "  help"]
    step: tuple[Block, ...] = (Paragraph("Send it:"), Commands((LONG_COMMAND,)))
    assert text.lines(Steps((step,)))[1].strip() == LONG_COMMAND
    rows = Definitions((Definition("rules of the board", step),))
    assert LONG_COMMAND in map(str.strip, text.lines(rows))
    exact = "x" * 71
    assert text.lines(Commands((exact,))) == [f" {exact}"]


@each_row("place", range(40, 80))
def test_no_line_ends_within_a_command_in_a_sentence(place: int) -> None:
    words = ("word " * 20)[:place].rstrip()
    lines = text.lines(Paragraph(f"{words} {typed('perudo move 12 ann PASSWORD 4-2s')} and more."))
    assert any("perudo move 12 ann PASSWORD 4-2s" in line for line in lines)
    assert all(len(line.rstrip()) <= 72 for line in lines)


def test_a_word_and_its_number_are_in_one_line_and_commands_keep_their_blanks() -> None:
    page = html_of(Paragraph(f"bob one 6, ann 5: {typed('perudo move 12 4-2s')}."))
    assert "bob one~6, ann~5: <b>perudo move 12" in page.replace("\u00a0", "~").replace("\n", " ")
    page = html_of(Paragraph("On Tuesday 21 November, at 09:13, board 2147483647"))
    assert "On Tuesday~21 November, at 09:13, board 2147483647" in " ".join(
        page.replace("\u00a0", "~").split("\n")
    )
    page = html_of(Definitions((Definition("perudo show 12", (Paragraph("x"),)),), typed=True))
    assert "perudo show 12" in page


def test_a_bid_at_a_table_is_in_one_line_where_the_names_leave_room() -> None:
    seats = Seats((Seat("bob", 5, 5, bid_words="one 6"),))
    assert '<td align="right" nowrap>one~6</td>' in html_of(seats).replace("\u00a0", "~")
    seats = Seats((Seat("x" * 20, 5, 5, bid_words="четыре тройки"),))
    assert " nowrap style" not in html_of(seats)


def test_squares_for_dice_are_left_out_where_names_and_bids_need_their_room() -> None:
    for name, bid in (("bob", "one 6"), ("x" * 20, "")):
        assert "■" * 5 in html_of(Seats((Seat(name, 5, 5, bid_words=bid),)))
    seats = Seats((Seat("x" * 15, 5, 5), Seat("bob", 5, 5, bid_words="eight 2s")))
    assert "■" not in html_of(seats)
    assert "<td nowrap>5</td>" in html_of(seats)


def test_a_remark_and_being_out_leave_a_long_bid_less_room() -> None:
    """The row of cleo was wider than the page's column."""
    seats = Seat("ann", 3, 5), Seat("cleo", 1, 5, remark="вы следом", bid_words="четыре пятёрки")
    assert "■" not in html_of(Seats(seats))
    assert '<td align="right" nowrap' in html_of(Seats(seats))
    out = Seats((*seats, Seat("bob", 0, 5)), out="вне игры")
    assert '<td align="right" nowrap' not in html_of(out)


def test_five_dice_are_in_one_line_beside_a_name_of_twenty_letters() -> None:
    dice = tuple(Die(face, counts=False) for face in range(1, 6))
    beside_long = html_of(Cups("", (Cup("x" * 20, dice, 0), Cup("bob", dice, 0)), 0, "counted"))
    assert beside_long.count("nowrap style") == 2
    assert "padding:3px 4px" in beside_long
    assert "padding:3px 7px" in html_of(Cups("", (Cup("bob", dice, 0),), 0, "counted"))


def test_a_column_of_words_that_has_no_room_on_a_phone_is_below_its_row() -> None:
    """Board numbers of ten digits broke the words beside them."""
    heads = ("Board", "Move", "Rules", "Dice")
    for board, is_below in (("12", False), ("2147483647", True)):
        page = html_of(Listing(heads, ((board, "17", "pbmserv", "bob 5, ann 4"),)))
        assert ('colspan="3"' in page) == is_below
        assert "bob~5, ann~4" in page.replace("\u00a0", "~")
        assert ">Dice</th>" in page


@pytest.mark.parametrize(
    ("challenge", "why"),
    [
        ("-unrated ann bob", "the challenge asked for that"),
        ("-dice=2 ann bob", "its number of dice or of faces is not the usual one"),
        ("ann house house", "two house players or more take part"),
        ("-rated ann house house", "two house players or more take part"),
        ("ann bob", None),
    ],
)
def test_the_first_letter_of_an_unrated_board_says_why(
    home: Path, challenge: str, why: str | None
) -> None:
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        letters = town.write("ann@example.org", f"perudo challenge {challenge}")
    said = {" ".join(each.text.split()) for each in letters if "board 1" in each.subject}
    sentence = "The game does not count for ratings: "
    assert said
    for words in said:
        assert (sentence in words) == (why is not None)
        assert why is None or f"{sentence}{why}." in words


def test_the_last_letter_of_an_unrated_board_says_why_and_names_the_winner_once(
    home: Path,
) -> None:
    with town_at(home) as town:
        town.sign_up("ann", "bob", "cleo")
        games = (
            ("-unrated ann bob", "ann 1-2s, bob 2-2s, ann resign", "the challenge asked for that"),
            ("ann house", "ann 1-2s, ann resign", "a house player took part, and the challenge"),
            ("-dice=1 ann bob", "ann 1-2s, bob 2-2s, ann resign", "its number of dice or of faces"),
            ("ann bob cleo", "ann 1-2s, bob resign, cleo 1-2s, ann resign", "a player left before"),
            ("ann bob", "ann 1-2s, bob 2-2s, ann resign", ""),
        )
        for board, (challenge, moves, why) in enumerate(games, 1):
            town.write("ann@example.org", f"perudo challenge -inorder {challenge}")
            for who, move in (each.split() for each in moves.split(", ")):
                letters = town.move(who, move, board)
            ended = [each for each in letters if "THE PLACES" in each.text]
            assert ended, challenge
            for letter in ended:
                said = " ".join(letter.text.split())
                assert "won the game" not in said
                assert (f"The game does not count for ratings: {why}" in said) == bool(why)


def test_a_challenger_who_does_not_play_is_told_all_bids_and_why_a_game_does_not_count(
    home: Path,
) -> None:
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        challenge = "perudo challenge -inorder -rated house house ann"
        letters = town.write("bob@example.org", challenge)
    (told,) = [each for each in letters if each.to == "bob@example.org"]
    said = " ".join(told.text.split())
    assert re.search(r"house has bid \S+\. house2 has bid \S+\. ", said)
    assert "The game does not count for ratings: two house players or more take part." in said


def test_the_dice_of_a_cup_are_in_one_line_beside_a_long_name() -> None:
    facts = {"board": 12, "left_out": 0, "rounds": [{"round": 1, "moves": [], "cups": [
        {"name": name * 20, "dice": [1, 2, 3, 4, 5]} for name in "abc"
    ]}]}  # fmt: skip
    for language in languages():
        said = render.word("advice", facts, language).text
        assert said.count("1 2 3 4 5") == 3


def test_buttons_of_preferences_are_worded() -> None:
    facts = {"userid": "ann", "preferences": [
        {"name": name, "value": "", "words": each.words()} for name, each in PREFERENCES.items()
    ]}  # fmt: skip
    for language in languages():
        document = render.word("preferences", facts, language).document
        titles = [
            t for block in document.blocks if isinstance(block, Commands) for t in block.titles
        ]
        assert {"English", "Français", "Русский", "Español"} <= set(titles)
        assert not [title for title in titles if "=" in title]


def test_preferences_are_in_groups_and_the_chosen_value_is_marked_once_in_both_forms() -> None:
    facts = {"userid": "ann", "preferences": [
        {"name": name, "value": (*each.words(), "UTC")[0], "words": each.words()}
        for name, each in PREFERENCES.items()
    ]}  # fmt: skip
    for language in languages():
        words = render.word("preferences", facts, language)
        blocks = words.document.blocks
        assert [isinstance(each, Section) for each in blocks].count(True) == 3
        rows = [row.term for each in blocks if isinstance(each, Definitions) for row in each.rows]
        assert {row.partition("=")[0] for row in rows} == set(PREFERENCES)
        for form in (words.text, read(page_of(words)).told):
            assert form.count("✓") == len(PREFERENCES) + 1  # one in the sentence that explains it
        pressed = [each for each in blocks if isinstance(each, Commands) and each.titles]
        shown = [title for each in pressed if each.kind != SMALL for title in each.titles]
        assert len(shown) == 5


def test_a_link_that_stands_for_a_button_is_as_high_as_a_thumb(home: Path) -> None:
    with town_at(home) as town:
        town.sign_up("ann")
        (told,) = town.write("ann@example.org", f"set ann {PASSWORD}")
    high = {title for title, link in buttons(told).items() if link.style["line-height"] == "44px"}
    assert {"Español", "Français", "Русский", "Change the time zone", "Text alone"} <= high
