"""A first turn says that a bid may have fewer dice, where the rules allow it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.letters.pages import read
from tests.stories.town import PASSWORD, Letter, Town, town_at

BOB, CLEO, ANN = "bob@example.org", "cleo@example.org", "ann@example.org"
SENTENCES = {
    "en": "A bid may also have fewer dice, if its face is higher: 2-3s, for example.",
    "fr": "Une annonce peut aussi avoir moins de dés, si sa face est plus haute : 2-3s, par "
    "exemple.",
    "es": "Una apuesta también puede tener menos dados, si su cara es más alta: 2-3s, por ejemplo.",
    "ru": "В ставке может быть и меньше костей, если номинал выше: например, 2-3s.",
}


def forms(letter: Letter) -> list[str]:
    """The text and the page of a letter, without the ends of their lines."""
    page = letter.message.get_body(("html",))
    assert page is not None
    every = letter.text, read(page.get_content()).text
    return [" ".join(each.replace("\xa0", " ").split()) for each in every]


def says(letter: Letter, sentence: str = "may also have fewer dice") -> bool:
    """Whether a letter says it; both forms agree."""
    text, page = (sentence in each for each in forms(letter))
    assert text == page
    return text


def begun(town: Town, *options: str) -> None:
    town.sign_up("ann", "bob", "cleo")
    town.challenge("ann", "bob", "cleo", options=("-inorder", *options))


@pytest.mark.parametrize("language", sorted(SENTENCES))
def test_the_first_turn_says_so_in_each_language(home: Path, language: str) -> None:
    with town_at(home) as town:
        town.sign_up("ann", "bob", "cleo")
        town.write(BOB, f"set bob {PASSWORD} language={language}")
        town.challenge("ann", "bob", "cleo", options=("-inorder",))
        town.move("ann", "3-2s")
        assert says(town.last_letter_to(BOB), SENTENCES[language])


def test_later_turns_and_other_readers_are_not_told_again(home: Path) -> None:
    with town_at(home) as town:
        begun(town)
        assert not says(town.last_letter_to(ANN))  # ann opens the round
        town.move("ann", "3-2s")
        assert not says(town.last_letter_to(CLEO))
        town.move("bob", "2-3s")  # it is true
        assert says(town.last_letter_to(CLEO), "if its face is higher: 1-4s, for example.")
        town.move("cleo", "4-2s")
        assert not says(town.last_letter_to(ANN))


@pytest.mark.parametrize("option", ["-rules=bga", "-rules=classic", "-raise=quantity"])
def test_other_rules_say_nothing(home: Path, option: str) -> None:
    with town_at(home) as town:
        begun(town, option)
        town.move("ann", "3-2s")
        assert not says(town.last_letter_to(BOB))


@pytest.mark.parametrize("bid", ["1-2s", "3-6s"])
def test_where_no_bid_is_lower_nothing_is_said(home: Path, bid: str) -> None:
    with town_at(home) as town:
        begun(town)
        town.move("ann", bid)
        assert not says(town.last_letter_to(BOB))
