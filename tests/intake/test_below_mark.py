"""Words below the mark of a signature in the text of a button."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbmserv.intake.below_mark import TOLD_OF_WEEK
from pbmserv.ratelimit import fixed_window
from tests.stories.town import Letter, Town, town_at

NOTICE = "The words below the line -- were not sent"


def notices(letters: list[Letter]) -> list[Letter]:
    return [each for each in letters if NOTICE in " ".join(each.text.split())]


def pressed(town: Town, text: str) -> list[Letter]:
    return town.reply(town.last_letter_to("ann@example.org"), text)


def test_words_below_the_mark_of_a_button_are_told_of_once(home: Path) -> None:
    """A signature is the same each time; a quoted letter, an advertisement and others are none."""
    with town_at(home) as town:
        town.sign_up_and_challenge("ann", "bob")
        letters = pressed(town, "2-2s #1\n\n-- \nGood luck to all of you!")
        (notice,) = notices(letters)
        assert notice.to == "ann@example.org"
        assert not any("Good luck" in each.text for each in letters)
        town.move("bob", "2-3s")
        again = pressed(town, "2-4s #3\n\n-- \nGood luck to all of you!")
        assert any("You bid two 4s" in each.text for each in again)
        assert notices(again) == []
        (refused,) = pressed(town, "chat\n\n\n-- \nHello, bob!")
        assert notices([refused])
        told = [
            notices(pressed(town, f"chat\n\n-- \nHello {each}!")) for each in ("Al", "Bo", "Cy")
        ]
        assert list(map(len, told)) == [1, 0, 0]  # three a week, with any words
        town.now += fixed_window.LONG[TOLD_OF_WEEK]
        assert notices(pressed(town, "chat\n\n-- \nHello Di!"))


@pytest.mark.parametrize(
    "text",
    [
        "2-2s #1\n\n-- \n",
        "2-2s #1\n\n-- \n\nSent from my iPhone",
        "2-2s #1\n\n-- \n-- \nAnn Smith\n12 Elm Street",
        "2-2s #1\n\n-- \n> It is your turn",
        "2-2s #1\n\n-- \nAnn Smith\nHead of Sales, Acme Ltd.\n+44 20 7946 0000",
        "2-2s\n-- \nGood luck!",
        "2-2s #1\nHello!\n-- \nAnn Smith",
    ],
)
def test_words_of_a_mail_program_below_the_mark_are_not_told_of(text: str, home: Path) -> None:
    with town_at(home) as town:
        town.sign_up_and_challenge("ann", "bob")
        letters = pressed(town, text)
        assert any("You bid two 2s" in each.text for each in letters)
        assert notices(letters) == []
