"""Good wishes on the line of a queue or an answer go where the words below it go."""

from __future__ import annotations

import pytest

from pbmserv.commands.move_lines.good_wishes import words_apart
from tests.rows import each_row
from tests.stories.town import PASSWORD, Town

ANN, BOB = "ann@example.org", "bob@example.org"


@each_row(
    ("line", "moves", "wishes"),
    [
        ("4-2s good luck all", "4-2s", "good luck all"),
        ("4-2s dudo, good luck", "4-2s dudo", "good luck"),
        ("4-2s. Good luck!", "4-2s", "Good luck!"),
        ("dudo and have a nice day", "dudo", "have a nice day"),
        ("off thanks", "off", "thanks"),
        ("4-5s bonne chance à tous", "4-5s", "bonne chance à tous"),
        ("4-5s удачи всем", "4-5s", "удачи всем"),
        ("4-5s suerte a todos", "4-5s", "suerte a todos"),
        ("4-2s, dudo", "4-2s, dudo", ""),
        ("4-2s no wait", "4-2s no wait", ""),
        ("good luck", "good luck", ""),
        ("", "", ""),
    ],
)
def test_wishes_are_split_from_the_end(line: str, moves: str, wishes: str) -> None:
    kept, found = words_apart(line.split())
    assert (" ".join(kept), found) == (moves, wishes)


@pytest.mark.parametrize(
    ("line", "noted"),
    [
        ("queue 4-2s dudo, good luck all", "is played: 4-2s, dudo."),
        ("очередь 4-5s удачи всем", "is played: 4-5s."),
        ("queue off thanks", "You have no queued moves on board 1 now."),
    ],
)
def test_a_queue_is_noted_without_them(town: Town, line: str, noted: str) -> None:
    (told,) = town.reply(town.last_letter_to(BOB), line)
    text = " ".join(told.text.split())
    assert noted in text
    assert ("Your message was not sent to anybody." in text) == ("thanks" not in line)


def test_those_of_a_queue_that_is_played_at_once_go_to_the_others(town: Town) -> None:
    letters = town.reply(town.last_letter_to(ANN), "queue 4-2s good luck all")
    (heard,) = [each for each in letters if each.to == BOB]
    assert "| good luck all" in heard.text


@pytest.mark.parametrize(
    ("command", "done"),
    [
        ("queue 1 bob {} 4-2s", "Noted for board 1."),
        ("accept bob {} 1", "You have taken your seat at board 1."),
        ("decline bob {} 1", "You have declined the game."),
    ],
)
def test_a_command_is_carried_out_without_them(town: Town, command: str, done: str) -> None:
    letters = town.write(BOB, f"perudo {command.format(PASSWORD)} good luck all")
    assert done in [each.opening for each in letters if each.to == BOB]


def test_those_behind_an_accepted_seat_go_to_the_others(town: Town) -> None:
    letters = town.write(BOB, f"perudo accept bob {PASSWORD} 1 good luck all", "See you!")
    (heard,) = [each for each in letters if each.to == ANN]
    assert "| good luck all\n| See you!" in heard.text


def test_a_resignation_beside_them_is_asked_about(town: Town) -> None:
    """It was taken for the command, which needs the number of a board."""
    (asked,) = town.reply(town.last_letter_to(ANN), "resign good game all")
    assert (asked.to, asked.subject) == (ANN, "What did you mean?")
