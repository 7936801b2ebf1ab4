"""Words that decline no game are answered with the line that does, while it is possible."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stories.town import PASSWORD, Letter, Town, town_at

HOW = "Reply with decline: you leave the game, and it does not count for you."


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    """ann has challenged bob and cleo; bob and cleo have not answered."""
    with town_at(home) as town:
        town.sign_up("ann", "bob", "cleo")
        town.challenge("ann", "bob", "cleo")
        yield town


def answer(town: Town, text: str) -> Letter:
    """The answer to bob's reply to his latest letter."""
    town.reply(town.last_letter_to("bob@example.org"), text)
    return town.last_letter_to("bob@example.org")


def line(letter: Letter) -> str:
    return " ".join(letter.text.split())


@pytest.mark.parametrize("text", ["no thanks", "no", "non merci", "no gracias", "нет, спасибо"])
def test_no_thanks_to_a_challenge_is_told_how_to_decline(town: Town, text: str) -> None:
    assert HOW in line(answer(town, text))
    assert "You have declined board 1." in line(answer(town, "decline"))


@pytest.mark.parametrize(
    ("language", "how"),
    [
        ("fr", "Pas envie de jouer ? Répondez decline"),
        ("es", "¿No quieres jugar? Responde decline"),
        ("ru", "Не хотите играть? Ответьте decline"),
    ],
)
def test_it_is_told_in_the_players_language(town: Town, language: str, how: str) -> None:
    town.write("bob@example.org", f"set bob {PASSWORD} language={language}")
    town.challenge("ann", "bob", "cleo")
    assert how in line(answer(town, "no thanks")).replace("\u202f", " ").replace("\u00a0", " ")


@pytest.mark.parametrize("text", ["no thanks", "No, gracias.", "annuler", "cancel"])
def test_who_has_taken_the_seat_is_told_how_to_resign(text: str, town: Town) -> None:
    """A player who plays can only resign."""
    town.reply(town.last_letter_to("bob@example.org"), "accept")
    town.move("ann", "2-2s")
    said = line(answer(town, text))
    assert "What did you mean?" in town.letters[-1].subject
    assert HOW not in said
    assert "To leave the game, reply with resign." in said
    assert "To leave the game" not in line(answer(town, "4-2x"))


def test_at_the_end_no_move_is_asked_for(town: Town) -> None:
    """A reply to an old letter, and to the last one, is told that the board is over."""
    old = town.last_letter_to("bob@example.org")
    for name, move in (("cleo", "resign"), ("ann", "resign"), ("bob", "2-2s")):
        town.move(name, move)
    for letter in (old, town.last_letter_to("bob@example.org")):
        (said,) = town.reply(letter, "annuler")
        assert "This game is over: bob has won. You can make no more moves here." in line(said)
        assert "your move on the first line" not in line(said)
        assert "To leave the game" not in said.text
