"""A move above words that ask to wait with it is asked about; talk of other plans is sent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbmserv.commands.move_lines.held_moves import is_held_back
from tests.intake.new_towns import town_with_bid
from tests.intake.test_doubted_moves import ANN, BOB, played
from tests.rows import each_row
from tests.stories.town import Town


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    """Board 1 with a bid, which no question changes."""
    with town_with_bid(tmp_path) as made:
        yield made


HOLDS = (
    *("Please do not play this until I confirm", "I haven't decided yet", "Not final yet!"),
    *("Hmm, I haven't decided yet, sorry", "don't play this move, I'm not ready"),
    *("I have not decided yet between this bid and dudo", "Luc, please don't play this yet"),
    *("Before I bid I'd like to know how many dice are left", "still deciding..."),
    *("Don't count this one, I was only trying", "this is just a draft", "not my final bid"),
    *("How many dice does luc have? I haven't decided yet.", "Ne joue pas encore, je réfléchis"),
    *("That's not my move, wrong button", "Wait, ask me first before playing it"),
    *("Pas encore définitif", "Je n'ai pas encore décidé"),
    *("Ne le jouez pas avant que je confirme", "Avant de jouer : combien de dés a luc ?"),
    *("No lo juegues hasta que te diga", "Todavía no he decidido"),
    *("No es mi jugada definitiva", "es un borrador"),
    *("Antes de jugar, ¿cuántos dados tiene luc?", "Не играй пока, пожалуйста", "Я ещё не решил"),
    *("Это ещё не окончательно", "Прежде чем ходить: сколько кубиков у Боба?"),
    *("Я ещё не решил, что делать", "не отправляй это пока я не скажу"),
    *("hmm, maybe not", "oh well, perhaps not", "Actually, no", "Let me think again"),
    *("hang on, let me look at my dice again", "euh, peut-être pas", "En fait, non"),
    *("Attends, laisse-moi regarder mes dés", "Bueno, mejor no", "Хотя нет"),
    *("Espera, déjame mirar mis dados", "погоди, дай посмотрю кубики"),
    *(
        "juego esta noche",
        "Je joue ce soir.",
        "Сыграю вечером",
        "I'll play tomorrow",
        "Let me think",
    ),
)
TALK = (
    *("What are your plans for summer? I haven't decided yet.", "Don't send this to my wife ;)"),
    *("The exam results are not final yet", "Before I move house I'd like to finish this game"),
    *("That's not my move, it's the move of a genius", "Tell luc to ask me first next time"),
    *("still deciding about dinner", "Je n'ai pas encore décidé pour les vacances"),
    *("Aún no he decidido adónde ir de vacaciones", "Я ещё не решил, приеду ли в субботу"),
    *("We might go to Spain this summer, we haven't decided yet.", "Don't play with my feelings!"),
    *("Before I play, happy birthday Ann!", "It's not my bid that should worry you, luc"),
    *("Please do not count on me on Saturday", "I'm still thinking about your party"),
    *("Always check the weather before you play golf", "My boss said: do not enter my office"),
    *("Vous partez où ? On n'a pas encore décidé.", "Avant de jouer, bon anniversaire Ann !"),
    *("Ne joue pas avec le feu !", "Ce n'est pas mon coup de chance habituel"),
    *("¿Adónde vais este verano? Aún no hemos decidido", "No cuentes con mi compasión"),
    *("Antes de jugar, ¡feliz cumpleaños Ann!", "No mandes más fotos de comida"),
    *("Мы ещё не решили, куда поедем летом", "Не играй с огнём, Боб"),
    *("Это не мой ход мыслей", "Не отправляй мне больше котиков"),
    *("Let me check with my wife about Friday", "Let me see you beat that"),
    *("Sorry, maybe not my best joke", "Hold on, I'll get my popcorn"),
    *("Laisse-moi regarder le match tranquille", "Déjame mirar la agenda y te digo"),
    *("Quizás no vaya el sábado", "Дай посмотрю расписание и напишу"),
    *("I'm waiting", "J'attends", "Жду!", "I'll play chess later", "Esta noche juego al tenis"),
)


LONG = pytest.mark.long
MOVES = ["4-2s", *(pytest.param(each, marks=LONG) for each in ("dudo", "resign"))]


@pytest.mark.parametrize("move", MOVES)
def test_a_move_above_words_that_ask_to_wait_with_it_is_asked_about(move: str, town: Town) -> None:
    assert played(town, (f"{move}\n{words}" for words in HOLDS)) == []


def test_no_talk_of_plans_asks_to_wait_with_a_move() -> None:
    """This reads the rule itself: each of them would need a board of its own."""
    assert [each for each in TALK if is_held_back(each)] == []


@each_row("words", TALK[:10])
def test_talk_of_plans_reaches_the_others_with_the_move(tmp_path: Path, words: str) -> None:
    with town_with_bid(tmp_path) as town:
        letters = town.reply(town.last_letter_to(BOB), f"4-2s\n{words}")
        (to_ann,) = [each for each in letters if each.to == ANN]
        assert words in " ".join(to_ann.text.replace("\n| ", " ").split())


@each_row(
    "text",
    [
        "dudo\nWe haven't decided about Friday yet, have we?",
        "resign\nSorry all, I have not decided to leave lightly",
        "4-2s\nWe may go to Spain this summer.\nWe haven't decided yet.",
    ],
)
def test_so_does_talk_below_other_moves_and_in_later_lines(tmp_path: Path, text: str) -> None:
    with town_with_bid(tmp_path) as town:
        letters = town.reply(town.last_letter_to(BOB), text)
        last = text.splitlines()[-1]
        assert [each.to for each in letters if last in each.text and each.to == ANN] == [ANN]
