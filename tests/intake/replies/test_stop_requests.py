"""An email that asks for no more letters works as the header of a letter does."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbmserv.intake.replies.stop_requests import asks_to_stop
from pbmserv.text.phrases import words_of
from tests.rows import each_row
from tests.stories.town import PASSWORD, Town, town_at

ANN, BOB = "ann@example.org", "bob@example.org"


@each_row(
    "text",
    [
        *(
            "stop",
            "STOP",
            "Stop!",
            "*unsubscribe*",
            "Unsubscribe me, please.",
            "please stop",
            "Unsub",
        ),
        *("STOP sending me mail", "Remove me from this list.", "„abmelden“", "Désabonner"),
        *words_of("stop_requests"),
    ],
)
def test_the_only_line_or_the_subject_asks(text: str) -> None:
    assert asks_to_stop("Re: Perudo Board 1 ann **", ["", text, ""])
    assert asks_to_stop(text, [])
    assert asks_to_stop(text, ["Sent with my own hands", "ann"])


@pytest.mark.parametrize(
    ("subject", "typed"),
    [
        ("Re: stop", []),
        ("[list] unsubscribe", []),
        ("Hello", ["stop", "Or I will be angry."]),
        ("Hello", ["Stop it, Bob!"]),
        ("perudo unsubscribe ann secret 12", []),
        ("unsubscribe ann secret 12", []),
        ("", []),
    ],
)
def test_no_other_words_ask(subject: str, typed: list[str]) -> None:
    assert not asks_to_stop(subject, typed)


def test_a_reply_to_a_game_letter_pauses_the_letters(town: Town) -> None:
    to_bob, told = town.reply(town.last_letter_to(ANN), "STOP sending me mail")
    assert (told.to, told.subject) == (ANN, "Your letters are paused, ann")
    assert (to_bob.to, to_bob.subject) == (BOB, "Letters do not reach ann")
    assert town.reply(told, "stop") == []  # it is paused already
    town.write(BOB, f"perudo chat 1 bob {PASSWORD}", "Hello?")
    assert town.waited(1) == []


def test_any_other_email_ends_the_pause(town: Town) -> None:
    town.reply(town.last_letter_to(ANN), "unsubscribe")
    letters = town.write(ANN, "help dice")
    assert {each.subject for each in letters if each.to == ANN} >= {"Help: dice"}


def test_an_email_beyond_the_answers_of_a_day_ends_the_pause(tmp_path: Path) -> None:
    """The letter about the pause says that any email is enough."""
    with town_at(tmp_path / "few", is_unhurried=False) as town:
        town.sign_up("ann", "bob")
        for number in range(9):
            town.write(ANN, f"perudo games {number}")
        assert town.write(ANN, "help dice") == []
        *_, told = town.reply(town.letters[-1], "stop")
        assert told.subject == "Your letters are paused, ann"
        assert [each.subject for each in town.write(ANN, "hello")] == ["You get letters again, ann"]
        town.reply(told, "stop")
        assert town.write(ANN, "hello again") == []  # a forger could do so all day


def test_an_email_that_proves_nothing_is_asked_for_a_reply(town: Town) -> None:
    """Its sender may be forged: somebody who wants ann to lose her time."""
    (asking,) = town.write(ANN, "unsubscribe")
    assert (asking.to, asking.subject) == (ANN, "No more letters?")
    *_, told = town.reply(asking, "stop")
    assert told.subject == "Your letters are paused, ann"


def test_a_stranger_who_says_stop_gets_nothing(town: Town) -> None:
    assert town.write("zoe@example.net", "stop") == []
    assert town.write("zoe@example.net", "Hello", "Unsubscribe") == []


def test_a_strangers_reply_to_no_letter_of_ours_gets_nothing(town: Town) -> None:
    """ "Re: Add ingredients categories" opened an account once."""
    for subject in ("Re: Add ingredients categories", "[cooks] signup zoe secret", "Re: hello"):
        assert town.write("zoe@example.net", subject, "Hello all!") == []
    (first,) = town.write("zoe@example.net", "hello")
    assert first.subject == "How to play Perudo by email"
    letters = town.reply(first, f"signup zoe {PASSWORD}")
    assert [each.subject for each in letters] == ["Please confirm your address, zoe"]
