"""Which lines below an answer, such as `accept`, take it back."""

from __future__ import annotations

import pytest

from pbmserv.commands.move_lines import replaced_moves
from pbmserv.commands.move_lines.bare_moves import reads_as_move
from pbmserv.commands.move_lines.good_wishes import wishes
from pbmserv.commands.move_lines.replaced_moves import is_taken_back
from pbmserv.commands.move_lines.retractions import is_retraction, stays, take_back
from tests.rows import each_row

TAKING_BACK = (
    *("no wait", "jk", "no", "No!!!", "Just kidding", "lol jk", "only joking", "Wait", "nevermind"),
    *("Actually, no.", "I changed my mind", "hold on", "Wait, I want to look", "or not", "not now"),
    *("haha just kidding", "maybe", "Thanks!\n\nNo, wait", "no thanks"),
    *("non attends", "je plaisante", "Attendez !", "En fait non", "peut-être", "mdr je rigole"),
    *("J\u2019ai changé d\u2019avis", "laisse tomber", "poisson d'avril !", "non"),
    *("no, espera", "¡Es broma!", "mejor no", "quizás", "olvidalo", "He cambiado de opinión"),
    *("нет, подожди", "Шучу!", "хотя нет", "ой, нет", "передумала", "не сейчас", "лол шучу"),
)
KEEPING = (
    *("thanks, have fun!", "Good luck!", "Thanks bob, see you", "Until tomorrow!", "Can't wait!"),
    *(
        "I was going to write earlier but I had no time",
        "no problem",
        "Why not?",
        "Sorry, no time.",
    ),
    *("Sorry for the long wait", "Sorry to make you wait so long", "perdón por tanta espera"),
    *("Sorry for the wait", "Next time I play better", "I should have called dudo", "No hurry"),
    *("no hard feelings", "Bob", "It was fun", "Sure!", "yes please", "What a game", "", "oops"),
    *("Merci", "Encore merci !", "Je veux jouer", "Pourquoi pas ?", "à demain", "sans hésiter"),
    *("gracias", "quiero jugar", "hasta luego", "por qué no", "gracias por la espera"),
    *("спасибо", "ещё раз спасибо", "до завтра", "почему бы и нет", "нет проблем", "Удачи всем!"),
)


@each_row("text", TAKING_BACK)
def test_a_retraction_is_a_phrase_or_nothing_but_a_denial(text: str) -> None:
    assert take_back(text.split("\n"))


@each_row("text", KEEPING)
def test_other_words_below_an_answer_keep_it(text: str) -> None:
    assert not take_back(text.split("\n"))


RETRACTIONS = (
    *(
        "no wait",
        "jk",
        "lol jk",
        "Just kidding!",
        "wait, I meant 4-2s",
        "No wait, 5-2s",
        "non attends",
    ),
    *("es broma", "нет, подожди", "шучу"),
)
TALK = (
    *("No!", "Non non non !", "Нет!", "no way"),
    *(
        "Take that!",
        "good luck",
        "wait for it",
        "No way!",
        "oops",
        "no hurry",
        "your turn",
        "thanks",
    ),
    *("I think you lie", "Not bad!", "Can't wait", "5 dice left", "3", "", "No te creo", "à toi"),
    *("Je ne te crois pas", "I don't believe you", "sorry for the wait", "Не верю тебе, Боб"),
)


@each_row("text", RETRACTIONS)
def test_a_retraction_below_a_bid_says_nothing_else_but_bids(text: str) -> None:
    assert is_retraction(text)


@each_row("text", TALK)
def test_words_to_the_table_below_a_bid_do_not_take_it_back(text: str) -> None:
    assert not is_retraction(text)


@each_row(
    ("text", "is_taken_back"),
    [
        *(("no, thanks", False), ("Sorry, no time", False), ("jk", True), ("Wait!", True)),
        *(("Not now, sorry", False), ("I don't want to play now", False), ("Not now, jk", True)),
        *(("Pas maintenant, désolé", False), ("ahora no", False), ("не сейчас", False)),
        *(("Not yet", False), ("I didn't mean that", True), ("mejor no", True)),
    ],
)
def test_below_a_no_a_denial_confirms_it(text: str, is_taken_back: bool) -> None:
    assert take_back([text], is_no=True) == is_taken_back


@each_row("text", ["I stay!", "No, I'd rather stay", "je continue", "Нет, я остаюсь", "¡me quedo!"])
def test_words_of_somebody_who_stays_take_back_nothing_but_a_resignation(text: str) -> None:
    """Below the refusal of a draw, and below a bid, they only say more of the same."""
    assert stays(text)
    assert not take_back([text], is_no=True)
    assert not is_retraction(text)


def test_a_wish_below_a_move_takes_it_back_by_none_of_the_rules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So wishes need not be compared with them, which takes long."""
    monkeypatch.setattr(replaced_moves, "is_wish", lambda line: False)
    assert is_taken_back("4-2s", ["no wait"], reads_as_move)
    for answer in ("4-2s", "dudo", "calza"):
        assert [each for each in wishes() if is_taken_back(answer, [each], reads_as_move)] == []
