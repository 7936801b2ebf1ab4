"""Letters that answer a command at a board can be answered themselves: they show who writes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stories.town import PASSWORD, Letter, Town, town_at

ANN, BOB, ELSEWHERE = "ann@example.org", "bob@example.org", "bob@work.example"


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    """Ann, bob and cleo are at board 1, where nobody has moved; ann is on turn."""
    with town_at(home) as town:
        town.sign_up("ann", "bob", "cleo")
        town.challenge("ann", "bob", "cleo")
        yield town


def answer(town: Town, command: str, sender: str = BOB, text: str = "") -> Letter:
    """The letter to bob about a command of his."""
    letters = town.write(sender, f"perudo {command}", text)
    (mine,) = [each for each in letters if each.to == sender]
    return mine


COMMANDS = {
    f"accept bob {PASSWORD} 1": "Perudo Board 1 accepted",
    f"decline bob {PASSWORD} 1": "Perudo Board 1 declined",
    f"chat 1 bob {PASSWORD}": "Your message to Perudo board 1",
    f"queue 1 bob {PASSWORD} 4-2s": "Your queue on Perudo board 1",
    f"mute 1 bob {PASSWORD}": "Messages of Perudo board 1 are muted",
    f"report bob {PASSWORD} 1": "Your report of Perudo board 1",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_token_in_an_answer_identifies_the_player(town: Town, command: str) -> None:
    letter = answer(town, command, text="Hello!")
    assert letter.subject == COMMANDS[command]
    (muted,) = town.reply(letter, "unmute" if "mute" in command else "mute")
    assert "muted" in muted.subject


def test_the_answers_to_a_resignation_and_to_the_end_identify_the_player(town: Town) -> None:
    town.write(BOB, f"perudo accept bob {PASSWORD} 1")
    noted = answer(town, f"resign 1 bob {PASSWORD}")
    assert noted.subject == "Your resignation from Perudo board 1 is noted"
    (cancelled,) = town.reply(noted, "resign")
    assert cancelled.subject == "Your resignation from Perudo board 1 is cancelled"
    assert town.reply(cancelled, "resign")[0].subject == noted.subject


@pytest.mark.parametrize(
    ("command", "reply", "subject"),
    [
        (f"decline bob {PASSWORD} 1", "accept", "Perudo Board 1 accepted"),
        (f"mute 1 bob {PASSWORD}", "unmute", "Messages of Perudo board 1 are no longer muted"),
    ],
)
def test_a_reply_undoes_what_was_done(town: Town, command: str, reply: str, subject: str) -> None:
    assert town.reply(answer(town, command), reply)[-1].subject == subject


def test_a_reply_to_the_answer_can_be_a_move(town: Town) -> None:
    """It is as good as the letter of the board, until the next move."""
    letter = answer(town, f"accept ann {PASSWORD} 1", sender=ANN)
    letters = town.reply(letter, "1-2s")
    assert any("You bid one 2" in each.text for each in letters)
    (late,) = town.reply(letter, "2-2s")
    assert "You have already made move 1 of board 1" in " ".join(late.text.split())


def test_an_answer_to_an_unknown_address_holds_no_token(town: Town) -> None:
    """A writer who knows the password may use any address, and gets no more by it."""
    letter = answer(town, f"chat 1 bob {PASSWORD}", sender=ELSEWHERE, text="Hello!")
    assert letter.reply_to == "perudo@localhost"  # the address of all email, without a token
    assert not any("muted" in each.subject for each in town.reply(letter, "mute"))
