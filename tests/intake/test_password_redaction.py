"""A refusal quotes a move without any word that may be a password."""

from __future__ import annotations

import pytest

from pbmserv.errors import Refused
from pbmserv.intake.password_redaction import move_shown, refusal_shown
from pbmserv.security.credentials import BLANKED
from tests.rows import each_row


@each_row(
    "words",
    ["4-2s", "4--3s", "duddo", "bid 4 2", "four twos", "100x6", "calzza!", "4*2", "is 4 2s"],
)
def test_a_mistyped_move_is_shown(words: str) -> None:
    assert move_shown(words.split()) == words.split()


@pytest.mark.parametrize("words", ["не верю", "3-7с", "no te creo", "je n'y crois pas"])
def test_words_that_make_a_move_together_are_shown(words: str) -> None:
    assert move_shown(words.split()) == words.split()


@pytest.mark.parametrize(
    "word", ["swordfish", "Secret", "pass1234", "12345678", "4-2s4-2s", "кит-рыба"]
)
def test_possible_passwords_are_not_quoted(word: str) -> None:
    assert move_shown(["ann", word, "2-3s"]) == ["ann", BLANKED, "2-3s"]


def test_the_refusal_of_a_move_quotes_no_password() -> None:
    refusal = Refused("unreadable_move", text="ann swordfish 2-3s")
    assert refusal_shown(refusal).facts == {"text": f"ann {BLANKED} 2-3s", "hidden": True}
    other = Refused("no_such_board", board=7)
    assert refusal_shown(other) is other


@each_row(
    ("text", "move"),
    [
        ("duddo", "dudo"),
        ("calzza!", "calza"),
        ("resing", "resign"),
        ("acept", "accept"),
        ("дуддо", "dudo"),
        ("je doutte", "dudo"),
        ("swordfish", ""),
        ("banana", ""),
    ],
)
def test_a_refusal_names_the_move_that_may_be_meant(text: str, move: str) -> None:
    """It may be a word of any language, also where the text itself is hidden."""
    shown = refusal_shown(Refused("unreadable_move", text=text))
    assert shown.facts.get("nearest", "") == move
