"""Answers in text say which reply is enough: it needs no password, and it does what they say."""

from __future__ import annotations

import pytest

from tests.stories.town import PASSWORD, Letter, Town

ANN, BOB = "ann@example.org", "bob@example.org"
REPLY = "reply to this letter"


@pytest.fixture
def town(town_of_three: Town) -> Town:
    return town_of_three


def one_line(letter: Letter) -> str:
    return " ".join(letter.text.split())


def test_queued_moves_are_cancelled_and_made_by_a_reply(town: Town) -> None:
    (answer,) = town.write(BOB, f"perudo queue 1 bob {PASSWORD} dudo")
    assert f"To cancel the queue, {REPLY} with the words queue off." in one_line(answer)
    (cancelled,) = town.reply(answer, "queue off")
    assert "You have no queued moves on board 1 now" in one_line(cancelled)
    (again,) = town.reply(cancelled, "Queue 2-2s dudo\n\n-- \nBob")
    assert "2-2s, dudo" in one_line(again)
    letters = town.move("ann", "1-2s")
    assert any("bob two 2s" in one_line(each) for each in letters)


def test_words_that_begin_with_queue_and_are_not_moves_queue_nothing(town: Town) -> None:
    letters = town.reply(town.last_letter_to(BOB), "Queue for the bus was long, sorry for my delay")
    assert not any("queued" in one_line(each) for each in letters)
    (answer,) = town.write(BOB, f"perudo queue 1 bob {PASSWORD} off")
    assert "You have no queued moves on board 1 now" in one_line(answer)


def test_a_reply_takes_a_decline_back(town: Town) -> None:
    (answer,) = town.write(BOB, f"perudo decline bob {PASSWORD} 1")
    assert f"{REPLY} before then, with the word accept." in one_line(answer)
    (taken,) = [each for each in town.reply(answer, "accept") if each.to == BOB]
    assert "You have taken your seat at board 1" in one_line(taken)


def test_a_reply_unmutes(town: Town) -> None:
    (answer,) = town.write(BOB, f"perudo mute bob {PASSWORD} 1")
    assert f"To unmute, {REPLY} with the word unmute." in one_line(answer)
    (heard,) = town.reply(answer, "unmute")
    assert "You get what the others write at board 1 again" in one_line(heard)


def test_words_that_went_to_nobody_are_sent_by_a_reply(town: Town) -> None:
    (answer,) = town.write(BOB, f"perudo queue 1 bob {PASSWORD} dudo", "Hello, everybody!")
    assert f"{REPLY} with chat on the first line, and your message below it." in one_line(answer)
    letters = town.reply(answer, "chat\nHello, everybody!")
    assert "| Hello, everybody!" in next(each for each in letters if each.to == ANN).text


def test_an_answer_to_another_address_asks_for_the_password(town: Town) -> None:
    """A reply to it is not understood."""
    letters = town.write("other@example.net", f"perudo queue 1 bob {PASSWORD} dudo")
    answer = next(each for each in letters if each.to == "other@example.net")
    assert REPLY not in one_line(answer)
    assert "perudo queue 1 bob PASSWORD off" in one_line(answer)


@pytest.mark.parametrize(
    ("lines", "is_understood"),
    [
        ("perudo show 1\nperudo advise 1", True),
        ("perudo show 1\nperudo show 99", False),
        ("perudo show 1\nperudo games", False),
        ("perudo show 1\nperudo show 2", False),
        (f"perudo show 1\nperudo move 2 ann {PASSWORD} 2-2s", False),
    ],
)
def test_a_reply_to_the_answer_to_several_lines_is_a_move_if_all_are_about_its_board(
    town: Town, lines: str, is_understood: bool
) -> None:
    """A move in reply to lines about two boards may be meant for either."""
    letter = town.last_letter_to(ANN)
    town.challenge("ann", "bob")
    found = town.reply(letter, lines)
    answer = next(each for each in found if each.subject == "Your commands")
    letters = town.reply(answer, "2-2s")
    assert any("You bid two 2s." in each.text for each in letters) == is_understood
    assert is_understood or letters[0].subject == "What did you mean?"
    (asked,) = town.reply(answer, "yes")
    assert asked.subject == "What did you mean?"
