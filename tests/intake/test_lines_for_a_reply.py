"""A move or a queue without its board and password is answered with the line for a reply."""

from __future__ import annotations

import pytest

from tests.stories.town import Town

OR_REPLY = "Or reply to the latest letter about the board, with just this line:"


def answer(town: Town, subject: str) -> str:
    (letter,) = town.write("ann@example.org", subject)
    return " ".join(letter.text.split())


@pytest.mark.parametrize(
    ("subject", "line"),
    [
        ("queue dudo", "queue dudo"),
        ("perudo queue 1 3-2s dudo", "queue 3-2s dudo"),
        ("queue", "queue 5-4s dudo"),
        ("move dudo", "dudo"),
        ("move bid 3 2s", "bid 3 2s"),
        ("move", "4-2s"),
    ],
)
def test_the_line_has_the_players_own_moves(town_of_three: Town, subject: str, line: str) -> None:
    assert f"{OR_REPLY} {line} Nothing was changed." in answer(town_of_three, subject)


def test_a_password_is_not_a_move(town_of_three: Town) -> None:
    said = answer(town_of_three, "perudo queue 1 ann horse4battery")
    assert "queue 5-4s dudo" in said
    assert "horse4battery" not in said


def test_other_commands_have_no_line_for_a_reply(town_of_three: Town) -> None:
    assert OR_REPLY not in answer(town_of_three, "seek")


def test_a_call_as_subject_is_not_a_mistyped_command(town_of_three: Town) -> None:
    said = answer(town_of_three, "dudo")
    assert "undo" not in said
    assert "To play, reply to a game letter." in said
