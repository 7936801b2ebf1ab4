"""Everyday replies simply work: polite words above a move, a name behind it, usual questions."""

from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp

from tests.intake.new_towns import town_with_bid
from tests.rows import each_row
from tests.stories.town import Town, town_at

ANN, BOB = "ann@example.org", "bob@example.org"
ASKED = "What did you mean?"


def told(town: Town, words: str) -> str:
    """The text of the letter to ann after a reply of bob's; "" for none."""
    letters = town.reply(town.last_letter_to(BOB), words)
    return "".join(each.text for each in letters if each.to == ANN)


@each_row(
    ("words", "said"),
    [
        ("Sorry for the delay!\n\n4-2s\n\nHow's everyone?", "| Sorry for the delay!\n| How's"),
        ("Hi all,\n\nSorry for the delay!\n\n4-2s", "| Sorry for the delay!"),
        ("Hello! Thanks for your patience\n4-2s", "| Hello! Thanks for your patience"),
        ("salut ! désolé du retard\n\n4-2s", "| salut ! désolé du retard"),
        ("perdón por la demora\n4-2s", "| perdón por la demora"),
        ("hola a todos, perdón por el retraso\n4-2s", "| hola a todos, perdón por el retraso"),
        ("Извините за задержку!\n4-2s", "| Извините за задержку!"),
        ("Привет всем, извините за задержку\n4-2s", "| Привет всем, извините за задержку"),
        ("Nice one Ann!\n4-2s", "| Nice one Ann!"),
    ],
)
def test_a_bid_below_polite_words_is_made_and_they_are_sent(
    tmp_path: Path, words: str, said: str
) -> None:
    with town_with_bid(tmp_path) as town:
        text = told(town, words)
        assert "bob four 2s" in text
        assert said in text


@each_row("words", ["Sorry Ann!\ndudo", "désolé\ndudo", "Dudo, sorry Ann :(", "dudo / Bob"])
def test_a_call_beside_an_apology_is_made(tmp_path: Path, words: str) -> None:
    with town_with_bid(tmp_path) as town:
        assert "bob called dudo" in told(town, words)


@each_row(
    "words",
    [
        "4-2s - Bob",
        "4-2s, Bob",
        "4-2s Bob",
        "4-2s – bob",
        "4-2s, thanks ann",
        "4-2s, your turn Luc",
    ],
)
def test_a_bid_beside_a_name_is_made(tmp_path: Path, words: str) -> None:
    """The writer's own name is a signature, and thanks may name another player."""
    with town_with_bid(tmp_path) as town:
        text = told(town, words)
        assert "bob four 2s" in text
        assert ("| thanks ann" in text) == ("thanks" in words)
        assert "| Bob" not in text


@each_row(
    "words",
    [
        *("let me think\n4-2s", "oh no\n4-2s", "Thanks for waiting!\n4-2s\njk", "no problem\n4-2s"),
        *("Sorry for the delay!\nresign", "4-2s - Luc", "4-2s, Ann", "dudo, sorry no"),
        *("4-2s, no thanks", "4-2s, thanks but no", "Sorry!\nliar", "Hello!\nHi!\nHey!\nHi!\n4-2s"),
    ],
)
def test_a_move_beside_words_that_may_mean_more_is_asked_about(tmp_path: Path, words: str) -> None:
    with town_with_bid(tmp_path) as town:
        (asked,) = town.reply(town.last_letter_to(BOB), words)
        assert (asked.to, asked.subject) == (BOB, ASKED)


@each_row(
    "words",
    [
        *("How much time do I have?", "When is the deadline?", "combien de temps il me reste ?"),
        *("¿Cuánto tiempo tengo?", "сколько у меня времени?", "How do I get fewer emails?"),
        *("too many mails!", "trop de mails", "demasiados correos", "слишком много писем"),
    ],
)
def test_questions_about_time_and_letters_are_for_the_server(tmp_path: Path, words: str) -> None:
    """The others cannot answer them."""
    with town_with_bid(tmp_path) as town:
        (helped,) = town.reply(town.last_letter_to(BOB), words)
        assert (helped.to, helped.subject) == (BOB, "How to go on: Perudo board 1")


@each_row(
    "words",
    [
        *("Challenge accepted!", "game on", "Bring it on!", "let's do this", "Défi accepté !"),
        *(
            "¡Reto aceptado!",
            "вызов принят",
            "Sure, why not",
            "oui, pourquoi pas",
            "ok, no worries",
        ),
        *("Sí, cómo no", "да, почему бы и нет"),
    ],
)
def test_everyday_words_accept_a_challenge(tmp_path: Path, words: str) -> None:
    with town_at(Path(mkdtemp(dir=tmp_path)) / "home") as town:
        town.sign_up("ann", "bob", "luc")
        town.challenge("ann", "bob", "luc")
        letters = town.reply(town.last_letter_to(BOB), words)
        assert "You have taken your seat at board 1." in {each.opening for each in letters}


def test_the_answer_to_a_question_about_time_has_the_deadline(tmp_path: Path) -> None:
    """It is that of the player on turn, also if another one asks."""
    until = "out of the game on Tuesday 5 December, 22:13 UTC."
    with town_with_bid(tmp_path) as town:
        for address, said in ((BOB, "Without a move you are"), (ANN, "Without a move bob is")):
            (helped,) = town.reply(town.last_letter_to(address), "How much time do I have?")
            assert f"{said} {until}" in " ".join(helped.text.split())


@each_row("words", ["yes, not now", "yes but no", "Yes, why not?", "why not", "no problem"])
def test_other_words_with_a_denial_are_asked_about(tmp_path: Path, words: str) -> None:
    with town_at(Path(mkdtemp(dir=tmp_path)) / "home") as town:
        town.sign_up("ann", "bob", "luc")
        town.challenge("ann", "bob", "luc")
        (asked,) = town.reply(town.last_letter_to(BOB), words)
        assert asked.subject == ASKED
