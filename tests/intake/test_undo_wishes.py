"""A move cannot be taken back, and a player who wants that is told so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.intake.new_towns import new_town
from tests.rows import each_row
from tests.stories.town import Letter, Town

ANN, BOB = "ann@example.org", "bob@example.org"
STAYS = "A move cannot be taken back"
UNSENT = "What you wrote now was not sent to the other players."


def after_a_bid(town: Town) -> tuple[Letter, Letter]:
    """The first letter to ann, and the one about the bid that she makes in reply to it."""
    first = town.last_letter_to(ANN)
    town.reply(first, "4-2s")
    return first, town.last_letter_to(ANN)


def said(letter: Letter) -> str:
    return " ".join(letter.text.split())


@each_row(
    "words",
    [
        "Oh wait, I meant three fives, can I change it?",
        "Attends, je voulais dire trois cinq, je peux changer ?",
        "Perdón, quería decir tres cincos, ¿puedo cambiarlo?",
        "Ой, я хотел сказать три пятёрки, можно изменить?",
        *("I meant 3-5s!", "wait, wrong move. undo please", "Hi bob\nno wait, 3-3s"),
    ],
)
def test_words_that_correct_a_bid_are_answered_and_go_to_nobody(tmp_path: Path, words: str) -> None:
    with new_town(tmp_path) as town:
        _, last = after_a_bid(town)
        (told,) = town.reply(last, words)
        assert told.to == ANN
        assert f"{STAYS}: the others have seen it. {UNSENT}" in said(told)
        assert "It is not your turn: bob has to move first." in said(told)


@each_row("words", ["oops, can I take that back?", "Zut, c'est un mauvais bouton, je crois bien"])
def test_words_for_the_table_are_sent_and_answered(tmp_path: Path, words: str) -> None:
    with new_town(tmp_path) as town:
        _, last = after_a_bid(town)
        to_bob, told = town.reply(last, words)
        assert (to_bob.to, told.to) == (BOB, ANN)
        assert words in said(to_bob)
        assert STAYS not in said(to_bob)
        assert f"Sent to bob. {STAYS}" in said(told)


@each_row("words", ["Good luck Bob, you will need it", "I hope this is the right button game"])
def test_other_words_for_the_table_bring_the_usual_receipt(tmp_path: Path, words: str) -> None:
    with new_town(tmp_path) as town:
        _, last = after_a_bid(town)
        _, told = town.reply(last, words)
        assert said(told) == "Sent to bob."


@pytest.mark.parametrize("words", ["no wait, I meant 3-3s", "non attends, 3-3s", "ой нет, 3-3s"])
def test_a_move_repeated_above_words_that_take_it_back(tmp_path: Path, words: str) -> None:
    with new_town(tmp_path) as town:
        first, _ = after_a_bid(town)
        (told,) = town.reply(first, f"4-2s\n{words}")
        assert told.to == ANN
        assert "You have already made move 1 of board 1: you bid 4-2s." in said(told)
        assert f"{STAYS}. Your other words changed nothing" in said(told)
        assert "nobody else received them." in said(told)


def test_a_move_that_is_only_repeated_is_answered_as_before(tmp_path: Path) -> None:
    with new_town(tmp_path) as town:
        first, _ = after_a_bid(town)
        (told,) = town.reply(first, "4-2s")
        assert STAYS not in said(told)


def test_who_has_not_moved_is_told_nothing_of_moves_that_stay(tmp_path: Path) -> None:
    with new_town(tmp_path) as town:
        (told,) = town.reply(town.last_letter_to(ANN), "no wait, or should I?")
        assert STAYS not in said(told)
