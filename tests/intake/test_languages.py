"""Replies in the words of other languages, from the first email to the end of a game."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stories.town import PASSWORD, Town, town_at

ANN, BOB = "ann@example.org", "bob@example.org"


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    with town_at(tmp_path / "home") as town:
        yield town


FRENCH, RUSSIAN = "Votre compte est prêt, zoe", "Ваш аккаунт работает, zoe"
SPANISH = "Tu cuenta ya funciona, zoe"


@pytest.mark.parametrize(
    ("said", "subject"),
    [
        ("oui", FRENCH),
        ("да", RUSSIAN),
        ("sí", SPANISH),
        ("confirmer", FRENCH),
        ("подтвердить", RUSSIAN),
        ("Confirmar", SPANISH),
    ],
)
def test_an_account_is_confirmed_in_any_language(town: Town, said: str, subject: str) -> None:
    """It has that language then, because the sign-up showed none."""
    (asking,) = town.write("zoe@example.org", f"signup zoe {PASSWORD}")
    (welcome,) = town.reply(asking, said)
    assert welcome.subject == subject


@pytest.mark.parametrize(
    ("bid", "doubt"),
    [
        ("relance deux trois", "je doute"),
        ("Dos treses.", "¡Lo dudo!"),
        ("две тройки", "Не верю!"),
        ("повышаю до 2-3s", "дудо"),
    ],
)
def test_a_round_is_played_in_any_language(town: Town, bid: str, doubt: str) -> None:
    """By replies; a word for the others is below."""
    town.sign_up("ann", "bob")
    town.challenge("ann", "bob")
    told = town.reply(town.last_letter_to(ANN), f"{bid}\n\nBonne chance !")
    (turn,) = (each for each in told if each.to == BOB)
    assert "two 3s" in turn.text
    assert "Bonne chance !" in turn.text
    ended = town.reply(turn, doubt)
    assert any("bob called dudo" in " ".join(each.text.split()) for each in ended)


def test_an_offer_of_a_draw_is_made_and_taken_in_any_language(town: Town) -> None:
    town.sign_up("ann", "bob")
    town.challenge("ann", "bob")
    town.reply(town.last_letter_to(ANN), "je propose la nulle")
    ended = town.reply(town.last_letter_to(BOB), "aceptar")
    assert {each.subject for each in ended} == {"Perudo board 1"}
    assert "The game is drawn" in ended[0].text


def test_a_subject_of_a_new_email_may_have_a_move_in_words(town: Town) -> None:
    town.sign_up("ann", "bob")
    town.challenge("ann", "bob")
    town.write(ANN, f"perudo move 1 ann {PASSWORD} quatre deux")
    assert "four 2s" in town.last_letter_to(BOB).text


@pytest.mark.parametrize(
    "said", ["vingt deux", "exacto", "quatre doses", "doute ?", "двадцать две"]
)
def test_words_that_may_mean_something_else_are_asked_about(town: Town, said: str) -> None:
    town.sign_up("ann", "bob")
    town.challenge("ann", "bob")
    (asked,) = town.reply(town.last_letter_to(ANN), said)
    assert asked.to == ANN
    assert "4-2s" not in town.last_letter_to(BOB).text
