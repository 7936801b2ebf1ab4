"""Letters that answer a command at a board can be answered themselves: they show who writes."""

from __future__ import annotations

import pytest

from tests.stories.town import PASSWORD, Letter, Town

ANN, BOB, ELSEWHERE = "ann@example.org", "bob@example.org", "bob@work.example"
CLEO = "cleo@example.org"


@pytest.fixture
def town(town_of_three: Town) -> Town:
    return town_of_three


def answer(town: Town, command: str, sender: str = BOB, text: str = "") -> Letter:
    """The letter to bob about a command of his."""
    letters = town.write(sender, f"perudo {command}", text)
    (mine,) = [each for each in letters if each.to == sender]
    return mine


COMMANDS = {
    f"accept bob {PASSWORD} 1": "You have taken your seat at board 1.",
    f"decline bob {PASSWORD} 1": "You have declined board 1.",
    f"chat 1 bob {PASSWORD}": "Sent to ann and cleo.",
    f"queue 1 bob {PASSWORD} 4-2s": "Noted for board 1.",
    f"mute 1 bob {PASSWORD}": "You no longer get what the others write at board 1.",
    f"report bob {PASSWORD} 1": "Your report of board 1 is kept",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_token_in_an_answer_identifies_the_player(town: Town, command: str) -> None:
    letter = answer(town, command, text="Hello!")
    assert letter.opening.startswith(COMMANDS[command])
    assert letter.subject == "Perudo board 1"
    (muted,) = town.reply(letter, "unmute" if "mute" in command else "mute")
    assert "what the others write at board 1" in muted.opening


def test_the_answers_to_a_resignation_and_to_the_end_identify_the_player(town: Town) -> None:
    town.write(BOB, f"perudo accept bob {PASSWORD} 1")
    noted = answer(town, f"resign 1 bob {PASSWORD}")
    assert noted.opening.startswith("You will leave board 1 as soon as")
    (cancelled,) = town.reply(noted, "resign")
    assert cancelled.opening == "You stay on board 1: your resignation is cancelled."
    assert "To leave after all, send it once more." in " ".join(cancelled.text.split())
    assert town.reply(cancelled, "resign")[0].opening == noted.opening


def test_a_message_to_house_players_alone_is_answered_with_what_to_do(town: Town) -> None:
    """And words that may mean a raise are asked about, in every language."""
    town.challenge("ann", "house")
    letter = town.last_letter_to(ANN)
    (told,) = town.reply(letter, "Good morning to all of you!")
    assert "It is still your turn: reply with your move on the first line." in told.text
    for text in ("I'd like to raise", "je voudrais relancer", "me gustaría subir", "хочу повысить"):
        (asked,) = town.reply(letter, text)
        assert asked.subject == "What did you mean?"


def test_a_letter_to_who_has_resigned_says_how_to_stay_and_not_how_to_leave(town: Town) -> None:
    """The word is the same, so a reply with it would take the resignation back."""
    town.write(CLEO, f"perudo accept cleo {PASSWORD} 1")
    (noted,) = town.reply(town.last_letter_to(CLEO), "resign")
    told = " ".join(noted.text.split())
    assert "You need to do nothing more." in told
    assert "reply again with just the word resign: that cancels your resignation." in told
    town.move("ann", "2-2s")
    told = " ".join(town.last_letter_to(CLEO).text.split())
    assert "To leave the game" not in told
    assert (
        "You have resigned: you leave the game when your turn comes. To stay in it, reply" in told
    )


@pytest.mark.parametrize(
    ("command", "reply", "said"),
    [
        (f"decline bob {PASSWORD} 1", "accept", "You have taken your seat at board 1."),
        (f"mute 1 bob {PASSWORD}", "unmute", "You get what the others write at board 1 again."),
    ],
)
def test_a_reply_undoes_what_was_done(town: Town, command: str, reply: str, said: str) -> None:
    assert town.reply(answer(town, command), reply)[-1].opening.startswith(said)


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
    assert not any("You no longer get" in each.text for each in town.reply(letter, "mute"))
