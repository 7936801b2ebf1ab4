"""A yes or no answers a draw that waits for its writer, if it says no more than that."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbmserv.intake.draw_replies import LONGEST, answer_to_draw
from tests.rows import each_row
from tests.stories.town import Letter, Town, town_at

ANN, BOB, CLEO = "ann@example.org", "bob@example.org", "cleo@example.org"
ASKED = "I couldn't read this line"


@each_row(
    "text, answer",
    [
        *((text, "accept") for text in ("yes", "Yes, please!", "OK", "\nagreed", "I accept it")),
        *((text, "accept") for text in ("I agree to the draw.", "Ja", "Sí, thank you")),
        *((text, "reject") for text in ("no", "No thanks", "Nope, sorry.", "nein", "no draw")),
        *((text, "reject") for text in ("I decline the draw", "Rejected")),
        *((text, "") for text in ("", "sorry", "yes?", "yes and no", "no problem", "decline")),
        *((text, "") for text in ("yes, but not now", "not now", "yes swordfish", "the draw")),
        *((text, "") for text in ("tak", "yes " * LONGEST)),  # "tak" is Danish for thanks
    ],
)
def test_an_answer_is_a_line_of_known_words(text: str, answer: str) -> None:
    assert answer_to_draw(text.split("\n")) == answer


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    with town_at(tmp_path / "home") as town:
        town.sign_up("ann", "bob", "cleo")
        town.challenge("ann", "bob", "cleo")
        yield town


ABOUT_DRAWS = ("accept", "reject", "no longer agree")  # the verbs, with "you" and with a name


def told_of_draw(letters: list[Letter]) -> dict[str, str]:
    """What each letter says of the answer to a draw."""
    return {
        each.to: next((verb for verb in ABOUT_DRAWS if verb in each.opening), "")
        for each in letters
    }


def test_a_yes_accepts_out_of_turn_and_a_no_rejects(town: Town) -> None:
    town.move("ann", "1-2s")
    town.move("bob", "draw?")
    told = town.reply(town.last_letter_to(ANN), "Yes, thanks\n\nUntil next year!")
    assert told_of_draw(told) == dict.fromkeys((ANN, BOB, CLEO), "accept")
    assert "| Until next year!" in told[1].text
    (asked,) = town.reply(town.last_letter_to(ANN), "yes")  # she has answered
    assert ASKED in asked.text
    told = town.reply(town.last_letter_to(CLEO), "no thanks")
    assert told_of_draw(told) == dict.fromkeys((ANN, BOB, CLEO), "reject")
    (asked,) = town.reply(town.last_letter_to(CLEO), "no")  # nothing is on offer any more
    assert ASKED in asked.text


def test_a_yes_that_takes_itself_back_or_may_mean_another_thing_is_asked_about(
    town: Town,
) -> None:
    begun = town.last_letter_to(BOB)
    town.move("ann", "I offer a draw")
    for letter, words in (
        (begun, "yes"),  # he may mean the challenge
        (town.last_letter_to(BOB), "yes\nbut not before Monday"),
    ):
        (asked,) = town.reply(letter, words)
        assert asked.subject == "What did you mean?"
    told = town.reply(town.last_letter_to(CLEO), "agreed")
    assert told_of_draw(told) == dict.fromkeys((ANN, BOB, CLEO), "accept")


def test_a_yes_from_elsewhere_or_to_an_earlier_letter_accepts_nothing(town: Town) -> None:
    earlier = town.last_letter_to(ANN)
    town.move("ann", "1-2s")
    town.move("bob", "propose")
    offer = town.last_letter_to(ANN)
    letters = town.reply(earlier, "yes")
    letters += town.write("eve@example.net", f"Re: {offer.subject}", "yes", to=offer.reply_to)
    assert [each.to for each in letters] == [ANN, "eve@example.net"]
    assert not any("draw" in each.opening for each in letters[:1])
    told = town.reply(offer, "yes")
    assert told_of_draw(told) == dict.fromkeys((ANN, BOB, CLEO), "accept")


def test_a_player_who_agreed_is_told_how_to_take_it_back(town: Town) -> None:
    town.move("bob", "propose")
    how = "To take it back, reply with reject on the first line."
    assert how in town.last_letter_to(BOB).text
    assert how not in town.last_letter_to(ANN).text
    town.reply(town.last_letter_to(ANN), "accept")
    assert how in town.last_letter_to(ANN).text
    assert how in town.last_letter_to(BOB).text
    (seen,) = town.write(BOB, "perudo showas bob swordfish 1")
    assert "To take it back," in seen.text
    told = town.reply(town.last_letter_to(BOB), "reject")
    assert told_of_draw(told) == dict.fromkeys((ANN, BOB, CLEO), "no longer agree")
    assert "bob no longer agrees to a draw.\n\nThe game goes on." in told[0].text
    (asked,) = town.reply(town.last_letter_to(ANN), "accept")
    assert "Nobody has proposed a draw" in asked.text
