"""Moves in the words of other languages than English."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from pbmserv.errors import Refused
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.events import Call, Raise, Resign
from pbmserv.games.perudo.move_words import in_english, words_of_moves
from pbmserv.games.perudo.notation import bare_move, is_action, read_action
from pbmserv.text.phrases import by_language
from pbmserv.text.unicode_forms import unmarked
from tests.rows import each_row

TABLE = Path(__file__).parent / "data" / "move_words.txt"
ROWS = [
    (move, text)
    for line in TABLE.read_text("utf-8").splitlines()
    if not line.startswith("#")
    for move, _, texts in [line.partition(" | ")]
    for text in texts.split(" · ")
]
ACTIONS = {
    "dudo": Call("dudo"),
    "calza": Call("calza"),
    "pacao": Call("pacao"),
    "resign": Resign(),
}
BID = re.compile("([0-9]+)-([0-9]+)")


@each_row(("move", "text"), ROWS)
def test_a_text_is_the_move_that_it_means_or_none(move: str, text: str) -> None:
    if move == "none":
        with pytest.raises(Refused):
            read_action(text)
        assert bare_move(text) not in {"propose", "accept", "reject", "decline"}
    elif found := BID.fullmatch(move):
        assert read_action(text) == Raise(Bid(int(found[1]), int(found[2])))
    else:
        assert bare_move(text) == move
        assert move not in ACTIONS or read_action(text) == ACTIONS[move]


def test_no_word_means_two_things() -> None:
    """Also not in two languages, because every language is understood in every email."""
    kinds = ["doubt", "calza", "pacao", "resign", "propose", "accept", "reject", "decline"]
    phrases = Counter(
        unmarked(phrase)
        for kind in kinds
        for some in by_language(f"{kind}_moves").values()
        for phrase in some
    )
    assert [phrase for phrase, count in phrases.items() if count > 1] == []
    numbers: dict[str, set[int]] = {}
    for kind in ("numbers", "faces"):
        for some in by_language(kind).values():
            for number, words in enumerate(some, 1):
                for word in words.split():
                    numbers.setdefault(unmarked(word), set()).add(number)
    assert {word: found for word, found in numbers.items() if len(found) > 1} == {}


def test_english_stays_as_it_is() -> None:
    """No move in English words is another one in a foreign language."""
    english = ["dudo", "calza", "pacao", "resign", "call", "exact", "accept", "4-2s", "four twos"]
    assert [in_english(word) for word in english] == [""] * len(english)
    assert all(is_action(word) for word in english if word != "accept")


def test_the_words_of_moves_are_single_and_plain() -> None:
    words = words_of_moves()
    assert {"quatre", "doses", "двоики", "кальца", "doute", "relance"} <= words
    assert not any(" " in word or word != word.lower() for word in words)
