"""We ask "Did you mean dudo?", and a person replies "yes": that very move is made, once."""

from __future__ import annotations

import re

import pytest

from pbmserv.timeunits import DAY
from tests.stories.town import Town

BOB = "bob@example.org"


AGREED = [
    *(
        ("duddo", yes, "You lose a die.")
        for yes in ("Yes", "Oui merci", "Sí, por favor", "Да!", "👍", "Si, eso", "yes dudo")
    ),
    *(("four 3ss", yes, "You bid four 3s.") for yes in ("ok", "d'accord", "vale", "да, спасибо")),
    *(
        ("four 3ss", yes, "You bid four 3s.")
        for yes in ("Oui, c’est ça !", "да, верно", "sí exacto")
    ),
    *(
        ("duddo", yes, "You lose a die.")
        for yes in (
            "Yes, I meant dudo. Sorry!\n\nNice try Luc :)",
            "Sí, quería decir dudo",
            "sí quiero dudar",
            "oui, je voulais dire dudo",
            "да, я имел в виду дудо",
        )
    ),
    ("four 3ss", "yes, I meant four 3s", "You bid four 3s."),
    ("je dout", "Bonjour,\noui", "You lose a die."),
    *(
        ("duddo", yes, "You lose a die.")
        for yes in ("yes, I call you", "yes, I want to call", "oui, je voudrais douter")
    ),
    *(("duddo", yes, "You lose a die.") for yes in ("да, хочу проверить", "sí, no te creo")),
    ("I quit", "yes", "ann wins."),
    *(("I give up", yes, "ann wins.") for yes in ("yes, I give up", "yes, I quit")),
    *(("I give up", yes, "ann wins.") for yes in ("oui, je veux abandonner", "да, хочу сдаться")),
    ("I give up", "sí, quiero abandonar", "ann wins."),
    ("hepl", "oui", "You asked for help at board 1. What you wrote was not sent to the other"),
    ("mtue", "sí", "You no longer get what the others write at board 1."),
]


@pytest.mark.parametrize(("text", "yes", "done"), AGREED)
def test_a_yes_means_what_we_asked(town: Town, text: str, yes: str, done: str) -> None:
    """It does so once: pressed twice, it is late like any other move, or changes nothing."""
    town.move("ann", "2-2s")
    (asked,) = town.reply(town.last_letter_to(BOB), text)
    assert "Did you mean" in asked.text
    assert done in [each.opening for each in town.reply(asked, yes) if each.to == BOB]
    for each in town.reply(asked, yes):
        assert each.to == BOB
        assert re.search("already|You resigned|you resigned|You asked for help", each.text)


ASKED_AGAIN = {
    "duddo": (
        "no",
        "yes, I don't call you",
        "yes, I call you tonight",
        "yes?",
        "yes, but not now",
        "ok, bob wins",
        "oui non",
        "yes 4-2s",
        "sí, eso creo",
        "yes, I meant 4-2s",
        "yes, I meant calza",
        "yes, I meant dudo. No wait",
        "yes, I meant dudo. Or not?",
        "oui, je voulais dire que non",
        "yes\nno wait",
        *(
            "oui\n\n4-5s",
            "Yes.\n\nActually, 5-2s",
            "yes\nresign",
            "да\n\nнет, подожди",
            "sí\nes broma",
        ),
    ),
    "I quit": ("👍", "✅", "ok no", "yes, I quit smoking", "yes, I never give up"),
    "hm, dudo or 4-2s": ("yes", "да"),
}


def test_no_other_words_are_that_yes(town: Town) -> None:
    """A yes to a question about nothing, or about several moves, is not one either."""
    town.move("ann", "2-2s")
    turn = town.last_letter_to(BOB)
    for text, words in ASKED_AGAIN.items():
        (asked,) = town.reply(turn, text)
        for each in words:
            town.reply(asked, each)
        town.now += DAY
    assert any("You call" in each.text for each in town.reply(turn, "dudo")), "it is his turn still"


def test_a_yes_to_the_answer_to_a_move_with_a_password_means_it_too(town: Town) -> None:
    town.move("ann", "2-2s")
    (asked,) = town.move("bob", "duddo")
    assert "Did you mean dudo?" in asked.text
    assert "You lose a die." in [each.opening for each in town.reply(asked, "Да")]


@pytest.mark.parametrize("yes", ["yes", "Yes, I resign"])
def test_a_yes_to_leaving_after_a_move_of_ones_own_is_late(town: Town, yes: str) -> None:
    """Who was asked "Did you mean resign?" and has bid since plays on."""
    town.move("ann", "2-2s")
    (asked,) = town.reply(town.last_letter_to(BOB), "I give up")
    town.move("bob", "2-3s")
    (late,) = town.reply(asked, yes)
    told = " ".join(late.text.split())
    assert "a letter about board 1 that is no longer the latest. So you did not leave" in told
    town.move("ann", "2-4s")
    assert "You bid two 5s." in {each.opening for each in town.move("bob", "2-5s")}


def test_a_yes_to_leaving_counts_after_moves_of_others(town: Town) -> None:
    """Asked out of turn, it is a resignation for the next turn, also on that turn."""
    town.move("ann", "2-2s")
    (asked,) = town.reply(town.last_letter_to("ann@example.org"), "I give up")
    (planned,) = town.reply(asked, "yes")
    assert "You will leave board 1 as soon as it is your turn." in planned.text


def test_a_yes_may_mean_the_draw_on_offer(town: Town) -> None:
    town.move("ann", "propose")
    town.move("ann", "2-2s")
    town.move("ann", "propose")
    (asked,) = town.reply(town.last_letter_to(BOB), "duddo")
    (again,) = town.reply(asked, "yes")
    assert again.subject == "What did you mean?"


def test_the_question_about_leaving_says_that_it_is_a_loss_once_a_die_is_lost(town: Town) -> None:
    town.move("ann", "9-2s")
    town.reply(town.last_letter_to(BOB), "dudo")
    board = town.last_letter_to(BOB)
    (asked,) = town.reply(board, "I give up")
    assert "For the ratings it is a loss." in " ".join(asked.text.split())


@pytest.mark.parametrize(
    "said",
    ["Yes, I resign. Bye everybody!", "Yes! I resign. Bye everybody!", "Yes. Bye everybody!"],
)
def test_words_behind_a_resignation_go_to_the_others(town: Town, said: str) -> None:
    town.move("ann", "2-2s")
    (asked,) = town.reply(town.last_letter_to(BOB), "I give up")
    assert "For the ratings" not in asked.text  # nobody has lost a die
    letters = town.reply(asked, said)
    told = [each for each in letters if "| Bye everybody!" in each.text]
    assert [each.to for each in told] == ["ann@example.org", BOB]
    assert not any("| I resign" in each.text or "| Yes" in each.text for each in told)
