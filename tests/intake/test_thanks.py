"""Thanks in reply to a letter about a board go to the table; other thanks do nothing."""

from __future__ import annotations

import pytest

from tests.stories.town import PASSWORD, Town

ANN, BOB = "ann@example.org", "bob@example.org"


@pytest.mark.parametrize("command", ["perudo standings", "help", f"set ann {PASSWORD}"])
def test_thanks_for_a_letter_about_no_board_need_no_answer(town: Town, command: str) -> None:
    (answer,) = town.write(ANN, command)
    for text in ("Thanks!", "Merci beaucoup !", "Gracias", "Спасибо", "👍", "Thank you\n\nAnn"):
        assert town.reply(answer, text) == []


def test_other_words_in_reply_to_it_are_asked_about(town: Town) -> None:
    """So are thanks that answer nothing."""
    (answer,) = town.write(ANN, "perudo standings")
    for text in ("Thanks, but who is house?", "4-2s", "yes"):
        assert len(town.reply(answer, text)) == 1
    assert len(town.write(ANN, "Thanks!")) == 1


RECEIPTS = ["queue 1 bob {} dudo", "mute 1 bob {}", "accept bob {} 1"]


@pytest.mark.parametrize("command", RECEIPTS)
def test_thanks_for_an_answer_about_a_board_are_for_nobody(town: Town, command: str) -> None:
    """A message to the others is still sent, and a move is made."""
    letters = town.write(BOB, f"perudo {command.format(PASSWORD)}")
    (answer,) = [each for each in letters if each.to == BOB]
    for text in ("👍", "Thanks!", "gracias"):
        assert town.reply(answer, text) == []
    assert ANN in [each.to for each in town.reply(answer, "Good luck everybody")]


def test_thanks_for_a_game_letter_go_to_the_table(town: Town) -> None:
    assert ANN in [each.to for each in town.reply(town.last_letter_to(BOB), "Thanks!")]


@pytest.mark.parametrize("text", ["I doubt that", "No te creo!", "Не верю", "Liar!"])
def test_doubts_after_the_end_are_talk(town: Town, text: str) -> None:
    town.move("ann", "resign")
    letters = town.reply(town.last_letter_to(BOB), text)
    assert any(f"| {text}" in each.text for each in letters if each.to == ANN)


def test_a_call_by_its_name_after_the_end_is_late(town: Town) -> None:
    """So are doubts in reply to an older letter: they may be meant as a move."""
    town.move("ann", "2-2s")
    turn = town.last_letter_to(BOB)
    town.move("ann", "resign")
    town.move("bob", "resign")
    for letter, text in ((town.last_letter_to(BOB), "dudo"), (turn, "I doubt that")):
        (late,) = town.reply(letter, text)
        assert late.to == BOB
