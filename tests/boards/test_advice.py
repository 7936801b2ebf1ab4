"""`advise`: the answer about a board, and the lines of the last letter that offer it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbmserv.boards import advice
from pbmserv.games.perudo.rules import rules_named, with_options
from pbmserv.letters import render, shortening
from pbmserv.letters.reply_link import LetterLinks
from pbmserv.outbox.letter_sizes import LARGEST_LETTER, formed
from tests.letters import samples
from tests.letters.pages import REPLIES, SERVER, token_of
from tests.stories.town import Town, town_at


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    with town_at(home) as town:
        town.sign_up("ann", "bob", "cleo")
        yield town


def said(town: Town, command: str) -> str:
    (letter,) = town.write("cleo@example.org", command)
    return " ".join(letter.text.split())


def test_a_running_game_has_advice_about_its_finished_rounds(town: Town) -> None:
    """Before the first one is over there is none, also for a player of the board."""
    town.challenge("ann", "bob")
    town.move("ann", "2-2s")
    assert "No round of board 1 is over yet." in said(town, "perudo advise 1")
    town.move("bob", "10-6s")
    town.move("ann", "dudo")
    text = said(town, "perudo advise 1")
    assert "Round 1 of board 1" in text
    assert "ann 2-2s" in text and "bob 10-6s" in text and "ann dudo" in text
    assert text == said(town, "perudo advice 1 1") == said(town, "perudo advise 1#1")
    assert "by its number. The last one of board 1 is 1" in said(town, "perudo advise 1#")
    assert 'no finished round "2". Its last finished round is 1' in said(town, "perudo advise 1#2")
    assert 'no finished round "2". Its last finished round is 1' in said(town, "perudo advise 1 2")


def test_a_reply_to_the_last_letter_brings_the_whole(town: Town) -> None:
    town.challenge("ann", "bob", options=("-inorder", "-dice=1"))
    town.move("ann", "2-6s")
    letters = town.move("bob", "dudo")
    for letter in letters:
        text = " ".join(letter.text.split())
        assert "reply with advise on the first line" in text
    (last,) = [each for each in letters if each.to == "ann@example.org"]
    (answer,) = town.reply(last, "advise please")
    text = " ".join(answer.text.split())
    assert "Round 1 of board 1" in text and "ann 2-6s" in text and "bob dudo" in text


@pytest.mark.slow
@pytest.mark.parametrize("end", ["resign", "draw", "time", "total"])
def test_a_game_that_ended_early_has_advice_about_its_last_round(home: Path, end: str) -> None:
    """Its cups were opened, too; the last letter names the reply that brings all."""
    with town_at(home) as town:
        town.sign_up("ann", "bob", "cleo")
        times = ["--nagtime=1", "--forfeittime=2", *(["--totaltime=3"] if end == "total" else [])]
        town.challenge("ann", "bob", options=["-inorder", *times])
        town.move("ann", "3-2s")
        town.move("bob", "4-2s")
        if end == "resign":
            town.move("ann", "resign")
        elif end == "draw":
            town.move("ann", "propose")
            town.move("bob", "accept")
        else:
            town.waited(24 * 4)
        letter = town.last_letter_to("ann@example.org")
        assert "reply with advise on the first line" in " ".join(letter.text.split())
        text = said(town, "perudo advise 1")
        assert "Round 1 of board 1." in text
        assert re.search(r"ann 3-2s .* bob 4-2s ", text)


def test_a_long_game_is_cut_to_its_last_rounds(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advice, "MOST_MOVES", 3)
    town.challenge("ann", "bob", options=("-inorder", "-rules=bga"))
    for _ in range(2):
        turn = "ann" if "ann" in said(town, "perudo games ann next") else "bob"
        town.move(turn, "9-6s")
        town.move("bob" if turn == "ann" else "ann", "dudo")
    text = said(town, "perudo advise 1")
    assert "Round 2 of board 1" in text and "1 earlier round is left out." in text


def test_a_board_of_many_dice_is_judged_in_fewer_moves() -> None:
    rules = rules_named("bga")
    assert advice.most_moves(rules) == advice.most_moves(with_options(rules, {"dice": "3"}))
    many = with_options(rules, {"dice": "10", "faces": "20"})
    assert advice.most_moves(many) < advice.most_moves(rules)


def test_the_advice_about_a_long_game_of_six_fits_into_a_letter() -> None:
    """The text has every round; the page has the first ones, and says that there are more."""
    (_, facts) = [each for each in samples.EVERY if each[0] == "advice"][-1]
    moves = [move for each in facts["rounds"] for move in each["moves"]] * 2
    rounds = [
        {"round": number, "cups": facts["rounds"][0]["cups"], "moves": moves}
        for number in range(1, advice.MOST_MOVES // len(moves) + 1)
    ]
    words = render.word("advice", {**facts, "rounds": rounds, "left_out": 0}, "en")
    links = LetterLinks(SERVER, token_of(REPLIES), "plus", words.subject)
    forms = formed(words, (), links, shortening.notes("en"))
    page = "".join(forms.page)
    assert len(forms.text) + len(page) <= LARGEST_LETTER
    assert f"ROUND {len(rounds)}" in forms.text
    page = " ".join(page.split())
    assert "Round 1" in page and "did not fit here" in page
