"""Tokens: every token of ours can be read back, and no other text."""

from __future__ import annotations

import re
from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from pbmserv.security.credentials import ANSWER, DRAW, TALK, Identity
from pbmserv.security.tokens import Tokens, digest

TOKENS = Tokens(bytes(range(32)))
BOARDS = st.integers(0, 2**32 - 1)
SMALL = st.integers(0, 2**24 - 1)


@given(BOARDS, SMALL, SMALL)
def test_a_letters_token_reads_back_in_either_case(board: int, player: int, move: int) -> None:
    token = TOKENS.letter(board, player, move)
    assert re.fullmatch("[A-Z2-7]{32}", token)
    meaning = Identity(player, board, move)
    assert TOKENS.read(token) == TOKENS.read(token.lower()) == meaning


@given(BOARDS, SMALL, SMALL)
def test_a_token_says_what_its_letter_asks_for(board: int, player: int, move: int) -> None:
    found = {about: TOKENS.letter(board, player, move, about) for about in ("", TALK, DRAW)}
    assert len(set(found.values())) == len(found)
    for about, token in found.items():
        assert TOKENS.read(token) == Identity(player, board, move, about=about)
    later = Tokens(bytes(range(32)), restores=(1_700_000_000,))
    read = [later.read(token) for token in found.values()]
    assert [each and (each.about, each.is_void) for each in read] == [(a, True) for a in found]


def test_a_token_says_what_its_letter_asks_about() -> None:
    for asked in ("dudo", "resign", "verify", "1-1s", "60-20s", "4-2s"):
        token = TOKENS.asking(12, 7, 8191, asked)
        assert TOKENS.good(token) == Identity(7, 12, 8191, about=ANSWER, asked=asked)


def test_an_answer_without_a_number_of_its_own_is_not_in_the_token() -> None:
    """Such an answer has the token of all others, so a yes to it is asked about."""
    beyond = ("98-20s", 1), ("4-21s", 1), ("0-2s", 1), ("hello", 1), ("", 1), ("dudo", 8192)
    for asked, move in beyond:
        assert TOKENS.asking(12, 7, move, asked) == TOKENS.letter(12, 7, move, ANSWER)


@given(
    BOARDS, SMALL, SMALL, st.integers(0, 31), st.sampled_from("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
)
def test_a_token_with_a_changed_character_is_invalid(
    board: int, player: int, move: int, place: int, other: str
) -> None:
    token = TOKENS.letter(board, player, move)
    changed = token[:place] + other + token[place + 1 :]
    assert changed == token or TOKENS.read(changed) is None


@given(st.text(max_size=40))
def test_no_text_that_we_did_not_write_is_a_token(text: str) -> None:
    assert TOKENS.read(text) is None


def test_words_of_other_alphabets_are_not_tokens() -> None:
    for text in ("1" * 32, "é" * 32, "ß" * 32, "=" * 32, " " * 32):
        assert TOKENS.read(text) is None


def test_the_token_of_another_server_is_invalid() -> None:
    assert Tokens(bytes(32)).read(TOKENS.letter(1, 2, 3)) is None


def test_the_form_of_a_token_does_not_change() -> None:
    """Letters that are out there must stay answerable by a newer program."""
    assert TOKENS.letter(12, 3, 17) == "AAAAADAAAABQAAARSPVRGAIFKE25RC54"
    assert TOKENS.asking(12, 3, 17, "4-2s") == "AAAAADAAAABQVQAR7FGS4GIPWMRKMSH4"


def test_a_confirmation_is_fresh_each_time() -> None:
    made = {TOKENS.confirmation() for _ in range(100)}
    assert len(made) == 100
    assert all(re.fullmatch("[A-Z2-7]{26}", token) for token in made)


def test_the_database_keeps_a_digest_that_does_not_heed_case() -> None:
    token = TOKENS.confirmation()
    assert digest(token.lower()) == digest(token) == sha256(token.encode()).hexdigest()


def test_a_restore_makes_earlier_buttons_worthless() -> None:
    """The command may be done already, and numbers are given again: board 1 is another board."""
    words, address = "perudo resign 1 ann", "ann@example.org"
    token = TOKENS.button(words, letter=7, address=address, until=20_000)
    later = Tokens(bytes(range(32)), restores=(1_700_000_000,))
    assert TOKENS.pressed(token, [words], [address]) == 20_000
    assert later.pressed(token, [words], [address]) is None
    token = later.button(words, letter=7, address=address, until=20_000)
    assert later.pressed(token, [words], [address]) == 20_000
