"""The text form names calls as people of its language write them; a reply so is understood."""

from __future__ import annotations

import re

import pytest

from pbmserv.games.perudo.notation import read_action
from pbmserv.games.perudo.table import Call
from pbmserv.letters import render
from pbmserv.letters.catalogues import languages
from tests.letters.game_letters import bid, opened

CALLS = {"en": "dudo calza", "es": "dudo calza", "fr": "dudo calza", "ru": "дудо кальца"}


@pytest.mark.parametrize("language", languages())
def test_the_words_of_calls_in_text_are_moves(language: str) -> None:
    game = opened("pyrudo")
    game.play(bid(2, 3))
    facts = game.facts(game.table.turn)
    text = render.word("perudo/moved", facts, language).text
    words = re.findall(r"^ {2,3}([^\W\d_]+) {2,}\S", text.split("\n\n")[2], re.MULTILINE)
    assert words == CALLS[language].split()
    assert [read_action(word) for word in words] == [Call("dudo"), Call("calza")]


@pytest.mark.parametrize("right", [True, False])
@pytest.mark.parametrize("language", languages())
def test_the_call_with_the_most_luck_is_named_in_the_same_words(language: str, right: bool) -> None:
    game = opened("pyrudo")
    seat = {"name": "ann", "lost": [1], "gained": [], "resigned": 0, "dice": 4}
    luckiest = {"round": 1, "who": "bob", "call": "calza", "right": right}
    luckiest["chance"] = 20 if right else 80
    result = {"placed": True, "seats": [seat], "ratings": [], "luckiest": luckiest}
    text = render.word("perudo/ended", {**game.facts(0), "result": result}, language).text
    (told,) = [each for each in text.split("\n\n") if "bob" in each and "%" in each]
    assert CALLS[language].split()[1] in told
