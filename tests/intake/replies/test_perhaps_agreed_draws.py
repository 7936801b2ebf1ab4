"""Words that may accept a draw are asked about while it waits for their writer."""

from __future__ import annotations

import pytest

from tests.intake.test_doubted_moves import ANN, ASKED, BOB
from tests.stories.town import Town

AGREED = (
    *("I would rather not end it like that", "Je ne veux pas finir comme ça ce soir"),
    *("Prefiero que no termine así todavía", "Я бы пока не заканчивал эту партию"),
    *("I have no problem with that", "I have no objections to that at all"),
    *("Why not end it here then", "It is fine by me to stop here", "Not a problem for me at all"),
    *("That sounds like a good idea to me", "I am happy with that, thank you"),
    *("Je n'ai pas de problème avec ça", "Pourquoi pas finir comme ça ce soir"),
    *("Je n'ai aucune objection à cela", "Ça me va très bien, merci"),
    *("No tengo ningún problema con eso", "¿Por qué no terminar aquí y ya?"),
    *("Por mí no hay problema, terminamos", "Me parece muy bien, gracias amigos"),
    *("У меня нет никаких возражений на это", "Почему бы и нет, пора спать"),
    *("Мне это вполне подходит, спасибо", "Хорошая мысль, давай на этом закончим"),
)
TALK = (
    *("Who would have thought that we get this far", "My train is late again, what a country"),
    *("Qui vient au cinéma samedi soir avec nous", "Qué partido el de anoche, increíble de verdad"),
    *("Кто идёт в кино в субботу вечером?", "I was away for a week in the mountains"),
    *("Good luck to all of you in the next game", "Sorry for the long silence, I was in hospital"),
    *("You are all far too clever for me", "Bon anniversaire à Ann, profite bien de ta journée"),
    *("Merci pour les belles photos de vacances", "Feliz cumpleaños a Ann de toda la familia"),
    *("Gracias por las fotos tan bonitas", "Спасибо большое за красивые фотографии"),
    *("Мои дети болеют с самого понедельника", "Has the postman brought your parcel, Cleo?"),
)


def test_words_that_may_accept_a_draw_are_asked_about_and_other_words_are_sent(
    town_of_three: Town,
) -> None:
    town = town_of_three
    town.reply(town.last_letter_to(BOB), "accept")
    town.move("ann", "1-2s")
    town.move("cleo", "propose")
    offer = town.last_letter_to(BOB)
    for words in AGREED:
        town.now += 3 * 3600  # ten answers of this kind leave in a day
        asked = [(each.to, each.subject) for each in town.reply(offer, words)]
        assert asked == [(BOB, ASKED)], words
    for words in TALK:
        letters = town.reply(offer, words)
        readers = [each.to for each in letters if words in " ".join(each.text.split())]
        assert readers[:1] == [ANN], words


REJECTED = (
    *("No thanks, I'd rather play on!", "No, let's play on", "Let's play on"),
    *("Non merci, je préfère continuer !", "No gracias, prefiero seguir jugando"),
    *("Нет, давайте играть дальше", "Sorry, I want to play on"),
)
ACCEPTED = (
    *("Yes, let's call it a draw", "Oui, faisons match nul", "Sí, dejémoslo en tablas"),
    "Да, давайте ничью",
)
UNCLEAR = (
    *("Yes, let's play on", "Let's call it a draw", "No, let's call it a draw"),
    *("No, I will not play on", "Let's play on tonight?", "Let's finish the game"),
)


@pytest.mark.parametrize("line", REJECTED)
def test_a_wish_to_play_on_rejects_a_draw(town: Town, line: str) -> None:
    town.move("ann", "propose")
    letters = town.reply(town.last_letter_to(BOB), line)
    assert any("rejects the draw" in each.opening for each in letters)


def test_an_unclear_wish_is_asked_about(town: Town) -> None:
    town.move("ann", "propose")
    offer = town.last_letter_to(BOB)
    for line in UNCLEAR:
        town.now += 3 * 3600
        assert [(each.to, each.subject) for each in town.reply(offer, line)] == [(BOB, ASKED)]


def test_a_condition_accepts_no_draw(town: Town) -> None:
    """In French, and often in Spanish, "si" means "if"."""
    town.move("ann", "propose")
    offer = town.last_letter_to(BOB)
    for line in ("si on fait nulle", "Si on fait match nul...", "si lo dejamos en tablas"):
        town.now += 3 * 3600
        assert not any("drawn" in each.text for each in town.reply(offer, line)), line


@pytest.mark.parametrize("line", ACCEPTED)
def test_a_yes_with_a_wish_for_the_draw_accepts_it(town: Town, line: str) -> None:
    town.move("ann", "propose")
    letters = town.reply(town.last_letter_to(BOB), line)
    assert any("The game is drawn." in each.opening for each in letters)
