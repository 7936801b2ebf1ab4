"""In a reply to a game letter, `-` in place of the password is that letter's token."""

from __future__ import annotations

import pytest

from tests.stories.town import Letter, Town

STRANGER = "mallory@evil.example"


@pytest.fixture
def town(town: Town) -> Town:
    """ann and bob play at two boards; ann begins each."""
    town.challenge("ann", "bob")
    return town


def asked(town: Town, board: int = 1) -> Letter:
    """The letter that asks ann for a move at a board."""
    subject = f"Your turn: Perudo board {board}"
    return next(each for each in town.letters if each.subject == subject and "ann" in each.to)


def answer(town: Town, text: str, sender: str = "ann@example.org") -> str:
    """What a reply to the letter of board 1 is answered with, in one line."""
    letter = asked(town)
    told = town.write(sender, f"Re: {letter.subject}", text, to=letter.reply_to)
    return " ".join(next(each for each in told if each.to == sender).text.split())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("perudo move 1 ann - 2-2s", "You bid two 2s."),
        ("move 1 ann - 2-2s", "You bid two 2s."),
        ("queue 1 ann - 2-2s", "You bid two 2s."),
        ("showas ann - 1", "Board 1 as you see it, ann."),
        ("mute ann - 1", "You no longer get what the others write at board 1."),
        ("decline ann - 1", "You have declined the game."),
        ("block ann - bob", "You have blocked bob."),
    ],
)
def test_a_command_of_the_letters_board_needs_no_password(town: Town, text: str, said: str) -> None:
    assert said in answer(town, text)


@pytest.mark.parametrize(
    "text",
    [
        "set ann - letters=all",
        "perudo seek ann - 2",
        "vacation ann - 2027-01-01 2027-01-03",
        "change address ann - ann@example.net",
        "perudo move 2 ann - 2-2s",
        "showas ann - 2",
        "perudo takeover 2 ann -",
        "signoff ann -",
    ],
)
def test_any_other_command_is_told_where_the_password_goes(town: Town, text: str) -> None:
    said = answer(town, text)
    assert "so - in place of the password works for that board only." in said
    assert "This command needs your password where you wrote -." in said


def test_a_reply_proves_nobody_but_the_reader_of_its_letter(town: Town) -> None:
    assert "Wrong user name or password" in answer(town, "perudo move 1 bob - 2-2s")


def test_a_reply_from_elsewhere_can_make_the_move_alone(town: Town) -> None:
    assert "can make the move, and nothing else" in answer(town, "showas ann - 1", STRANGER)


def test_without_a_reply_a_dash_proves_nothing(town: Town) -> None:
    (letter,) = town.write("ann@example.org", "perudo move 1 ann - 2-2s")
    assert "Without it, only replies to game letters work" in " ".join(letter.text.split())
