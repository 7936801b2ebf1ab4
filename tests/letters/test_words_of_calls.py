"""The text form names calls and answers in the words of its language; they are understood."""

from __future__ import annotations

import re

import pytest

from pbmserv.commands import manual
from pbmserv.commands.framework import vocabulary
from pbmserv.commands.parser import CommandCall, read_line
from pbmserv.games.perudo.notation import bare_move, read_action
from pbmserv.games.perudo.table import Call
from pbmserv.letters import render
from pbmserv.letters.catalogues import catalogue, languages
from tests.letters.game_letters import at, bid, opened
from tests.rows import each_row

CALLS = {"en": "dudo calza", "es": "dudo calza", "fr": "dudo calza", "ru": "дудо кальца"}
OFFERED = {
    "To answer, reply with accept or reject on the first line.": ["accept", "reject"],
    "To take it back, reply with reject on the first line.": ["reject"],
    "A draw is on offer. To answer it, write accept or reject as your move.": ["accept", "reject"],
    "To leave the game, reply with resign.": ["resign"],
    "Want to play? Reply with accept.": ["accept"],
    "Not your challenge? Reply with decline: you leave the game, and it does not count for you.": [
        "decline"
    ],
    "To see the chances of all moves, and a house player's choices, reply with advise on the first "
    "line.": ["advise"],
    "To play again with the same players, rules and times, reply with rematch on the first line. "
    "Other words go to the players.": ["rematch"],
}


@pytest.mark.parametrize("language", languages())
def test_the_words_of_calls_in_text_are_moves(language: str) -> None:
    game = opened("pyrudo")
    game.play(bid(2, 3))
    facts = game.facts(game.table.turn)
    text = render.word("perudo/moved", facts, language).text
    words = re.findall(r"^ {2,3}([^\W\d_]+) {2,}\S", text.split("\n\n")[2], re.MULTILINE)
    assert words == CALLS[language].split()
    assert [read_action(word) for word in words] == [Call("dudo"), Call("calza")]


@each_row("right", [True, False])
@each_row("language", languages())
def test_the_call_with_the_most_luck_is_named_in_the_same_words(language: str, right: bool) -> None:
    game = opened("pyrudo")
    seat = {"name": "ann", "lost": [1], "gained": [], "resigned": 0, "dice": 4}
    luckiest = {"round": 1, "who": "bob", "call": "calza", "right": right}
    luckiest["chance"] = 20 if right else 80
    result = {"placed": True, "seats": [seat], "ratings": [], "luckiest": luckiest}
    text = render.word("perudo/ended", {**game.facts(0), "result": result}, language).text
    (told,) = [each for each in text.split("\n\n") if "bob" in each and "%" in each]
    assert CALLS[language].split()[1] in told


@each_row("language", languages())
def test_a_late_move_is_told_who_called_in_the_same_words(language: str) -> None:
    made = {"number": 7, "by": "bob", "what": "calza", "mine": False}
    facts = {"board": 12, "made": made, "turn": "bob", "yours": False, "move": 8}
    text = render.word("already_played", facts, language).text
    assert CALLS[language].split()[1] in text


@each_row("language", languages())
@each_row("sentence", OFFERED)
def test_the_words_that_a_sentence_offers_are_understood(sentence: str, language: str) -> None:
    """A translation has them in quotation marks; they may be copied with these."""
    told = catalogue(language).gettext(sentence)
    words = OFFERED[sentence] if language == "en" else re.findall("«[^»]+»", told)
    assert [meant(word) for word in words] == OFFERED[sentence]


def meant(word: str) -> str:
    read = read_line(word, vocabulary())
    return read.name if isinstance(read, CommandCall) else bare_move(word)


@pytest.mark.parametrize("language", languages())
def test_the_answers_to_a_draw_in_text_are_understood(language: str) -> None:
    facts = at("bga 2/2345/1366 A 9 40 C:2-3s").facts(0, told=False)
    facts["offer"] = {"kind": "proposed", "who": "bob", "waiting": ["ann", "cleo"]}
    text = render.word("perudo/offer", facts, language).text
    words = re.findall(r"^ {2,3}([^\W\d_]+) {2,}\S", text, re.MULTILINE)
    assert [bare_move(word) for word in words[:2]] == ["accept", "reject"]


@each_row("language", languages())
def test_a_call_that_the_rules_do_not_have_is_refused_in_the_same_words(language: str) -> None:
    facts = {"line": "", "board": 12, "code": "call_unknown_here"}
    facts |= {"facts": {"call": "calza", "rules": "pbmserv"}}
    assert CALLS[language].split()[1] in render.word("refused", facts, language).text


@each_row("language", languages()[1:])
@each_row(
    "offer",
    [
        *("with the word accept on", "with the word decline on", "with just rematch on"),
        *("with the word report on", "with the word mute on", "the word chat on"),
    ],
)
def test_the_words_that_the_help_of_a_command_offers_are_understood(
    offer: str, language: str
) -> None:
    name = offer.split()[-2]
    found = [text for text, _ in manual.messages() if offer in " ".join(text.split())]
    assert found
    for text in found:
        words = re.findall("«([^»]+)»", catalogue(language).gettext(text))
        assert name in {meant(each.strip()) for each in words}, text
