"""Moves of players are read leniently, as people and mail programs write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.errors import Refused
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.move_parser import begins_politely
from pbmserv.games.perudo.notation import (
    bare_move,
    read_action,
    read_bid,
    write_bid,
)
from pbmserv.games.perudo.table import (
    Call,
    Raise,
    Resign,
)
from tests.rows import each_row


@each_row(
    "text",
    [
        "4-2s",
        "4-2",
        "4x2",
        "4 2s",
        "bid 4 2",
        "4 twos",
        "four twos",
        "Four 2s",
        "  4  2s ",
        "4–2s",
        "4—2",
        "4‒2",
        "4―2s:",
        "4 - 2s",
        "4 x 2",
        "4×2",
        "4*2s\n    ",
        "BID 4-2S",
        "raise 4-2",
        "raise to 4 2s",
        "4-2s!",
        "4-2s.",
        "four 2's",
        "4 2’s",
        "4\xa02s",
        "04-02",
        '"4-2s"',
        "“4-2s”",
        "«4 twos».",
        "'four 2's!'",
        "4 two",
        # Format characters of Hebrew and Arabic mail programs
        *("\u200e4-2s", "\u202b4-2s\u202c", "\u20664-2s\u2069", "\u061c4-\u200f2s"),
        # Wide digits and letters of East Asian keyboards
        *("４-２ｓ", "４－２", "４ x ２", "ｂｉｄ ４ ２"),
        # Digits as keys, from the keyboard of pictures
        *("4️⃣-2️⃣s", "4️⃣ 2️⃣", "4️⃣x2️⃣"),
        # What a sentence or a mail program puts around it
        *("4-2s,", "4-2s;", "_4-2s_", "*4-2s*", "~4-2s~", "(4-2s)", "[4-2s]", "4-2s…"),
        *("4-2s :-)", "4-2s ;)", "4-2s 😀", "👍🏽 4-2s", "4-2s ❤️", "4-2s :D", "4-2s please"),
        *("4-2s, thanks!", "ok, 4-2s", "4-2s pls :)", "Okay 4-2s."),
        # A drawn die
        *("4⚁", "4 ⚁", "4x⚁", "4 x ⚁", "4-⚁s", "four ⚁s"),
        # A sentence that says it
        *("I bid 4-2s", "I bid four twos", "I say 4-2s.", "I'll bid 4 2s", "I’ll say four twos!"),
        *("My move: 4-2s", "my bid is four twos", "My answer is 4-2s", "move: 4-2s", "Bid: 4-2s"),
        *("I will raise to 4-2s", "I raise it to four 2s", "I play 4-2s, please"),
        *("4-2s sorry for the delay", "4-2s, sorry for the delay!", "4-2s - sorry", "4twos"),
        *(
            "Sorry for the delay: 4-2s",
            "ok then, 4-2s",
            "Hi, 4-2s",
            "let's say 4-2s",
            "4-2s, cheers",
        ),
    ],
)
def test_a_bid_is_read_in_many_notations(text: str) -> None:
    assert read_action(text) == Raise(Bid(4, 2))


@each_row(
    "text",
    [
        *("٤-٢", "۴-۲", "४-२", "４－２", "৪-২", "๔-๒", "𝟒-𝟐"),
        *("٤ ٢", "٤x٢", "\u200f٤-٢\u200f", "bid ۴-۲", "٤ـ٢", "٤⚁", "4-٢s", "My move: ٤-٢"),
    ],
)
def test_the_digits_of_every_script_are_read(text: str) -> None:
    assert read_action(text) == Raise(Bid(4, 2))


@each_row(
    ("text", "bid"),
    [
        ("4 pacos", Bid(4, 1)),
        ("4 pasari", Bid(4, 1)),
        ("4 ones", Bid(4, 1)),
        ("four aces", Bid(4, 1)),
        ("a paco", Bid(1, 1)),
        ("one one", Bid(1, 1)),
        ("bid five fives", Bid(5, 5)),
        ("five 5s", Bid(5, 5)),
        ("six sixes", Bid(6, 6)),
        ("twenty 20s", Bid(20, 20)),
        ("twenty twos", Bid(20, 2)),
        ("twenty x two", Bid(20, 2)),
        ("four twenties", Bid(4, 20)),
        ("30-6s", Bid(30, 6)),
        ("0-2s", Bid(0, 2)),
        ("4-7s", Bid(4, 7)),
    ],
)
def test_numbers_and_faces_have_names(text: str, bid: Bid) -> None:
    """Numbers that no table has are read, so that the rules can say what is wrong with them."""
    assert read_action(text) == Raise(bid)


@each_row("text", ["bid 8-3", "I bid 8-3", "ok, 8-3", "je relance 8-3", "ставлю 8-3", "8-3 8)"])
def test_a_bid_that_looks_like_a_smile_is_a_bid(text: str) -> None:
    assert read_action(text) == Raise(Bid(8, 3))


@each_row(
    ("text", "word"),
    [
        *(
            (word, "dudo")
            for word in ["dudo", "dodo", "dudu", "call", "challenge", "doubt", "liar", "sleep"]
        ),
        ("Dudo!", "dudo"),
        ("„Dudo!“", "dudo"),
        (" LIAR! ", "dudo"),
        ("calza", "calza"),
        ("Exact.", "calza"),
        ("Pacao", "pacao"),
        *(
            (text, "dudo")
            for text in [
                *(
                    "dudo…",
                    "¡Dudo!",
                    "ｄｕｄｏ",
                    "\u200fdudo\u200f",
                    "_dudo_",
                    "Dudo :-)",
                    "dudo please",
                ),
                *(
                    "I doubt it",
                    "I doubt it!",
                    "I doubt that.",
                    "I call dudo",
                    "I call it",
                    "I call",
                ),
                *(
                    "call dudo",
                    "I'll call dudo",
                    "My move: dudo",
                    "ok dudo",
                    "I challenge",
                    "I say liar",
                ),
                *("Dudo 😀😀", "dudo, thank you", "I call Dudo, please :)"),
                *(
                    "ok dudo then",
                    "dudo, sorry",
                    "Let's call dudo",
                    "Sorry, dudo",
                    "well then, dudo",
                ),
            ]
        ),
        ("I call calza", "calza"),
        ("I say exact :)", "calza"),
        ("I call a pacao", "pacao"),
    ],
)
def test_calls_have_many_words(text: str, word: str) -> None:
    assert read_action(text) == Call(word)


def test_a_resignation_is_read() -> None:
    for text in ("Resign", "I resign", "I resign.", "I will resign", "resign :-("):
        assert read_action(text) == Resign()


def test_the_offer_of_a_draw_has_few_words() -> None:
    offers = ("propose", "draw", "Draw?", "offer a draw", "I offer a draw.", "a draw, please")
    assert {text: bare_move(text) for text in offers} == dict.fromkeys(offers, "propose")
    others = ("drawn", "no draw", "a draw it is", "I like to draw", "offer", "dudo draw")
    assert [text for text in others if bare_move(text) == "propose"] == []


@each_row(
    "text",
    [
        "",
        " ",
        "4-0s",
        "4--2s",
        "-4-2s",
        "42s",
        "4",
        "4-",
        "-",
        "4-2s 5-2s",
        "4-2t",
        "zero twos",
        '""',
        '4-"2s"',
        "4-2ss",
        "1e3-2",
        "four",
        "bid",
        "four apples",
        "4 aardvarks",
        "dudo dudo",
        *("dudo?", "4-2s?", "I doubt it was you", "you doubt it", "I call four aces to the table"),
        *("I don't doubt it", "not dudo", "I would bid 4-2s", "she bids 4-2s", "I bid", "I"),
        *("my move", "4-2s and good grief", "⚁", "⚁⚁⚁", "please", ":-)", "😀", "I pass"),
        *("I resign tomorrow", "resign it", "I accept it", "bid dudo", "4😀2", "no dudo"),
        "Thanks for the dudo",
        *(
            "4-2s, sorry for the fives",
            "let's 4-2s",
            "let's resign",
            "let's see",
            "sorry",
            "4s",
            "4a",
        ),
        # Two moves, of which one looks like a smile
        *("4-2s 8-3", "4-2s, 8-3", "dudo 8-3", "dudo. 83", "resign 8-3", "lo dudo, 8-3"),
        # May be 22
        *("twenty two", "twenty-two", "bid twenty two", "I bid twenty-two"),
        *("4-2s or dudo, sorry", "yes, 4-2s", "4-2sorry", "sorry for 4-2s", "ok then"),
        "x" * 999,
    ],
)
def test_text_that_is_not_a_move_is_refused(text: str) -> None:
    with pytest.raises(Refused) as refused:
        read_action(text)
    assert refused.value.code == "unreadable_move"
    assert refused.value.facts == {"text": text[:80]}


@given(st.text(max_size=200))
def test_reading_a_move_never_fails_otherwise(text: str) -> None:
    try:
        read_action(text)
    except Refused as refused:
        assert refused.code == "unreadable_move"


@given(st.integers(1, 60), st.integers(1, 20))
def test_a_bid_reads_back(quantity: int, face: int) -> None:
    bid = Bid(quantity, face)
    assert read_bid(write_bid(bid)) == bid
    assert read_action(write_bid(bid)) == Raise(bid)


@each_row(
    ("line", "is_polite"),
    [
        ("ok, 4-2s", True),
        ("Hello: dudo!", True),
        ("Ок, сдаюсь", True),
        ("4-2s", False),
        ("dudo, ok", False),
        ("okapi 4-2s", False),
        ("", False),
    ],
)
def test_a_line_may_begin_with_polite_words(line: str, is_polite: bool) -> None:
    """Behind them, a move in reply to words of others may answer these words."""
    assert begins_politely(line) is is_polite
