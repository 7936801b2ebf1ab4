"""Commands in letters hold the userid of the reader, where it is certain who that is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stories.town import PASSWORD, Town, town_at

ANN, HOME = "ann@example.org", "home@example.org"
TOO_MANY = "perudo limit {} {} many"


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    """Ann has an address of her own, and shares another one with bob."""
    with town_at(home) as town:
        for words in (f"ann {PASSWORD} {ANN} {HOME}", f"bob {PASSWORD} {HOME}"):
            for letter in town.write(HOME, f"signup {words}"):
                town.reply(letter, "yes")
        yield town


def shown(town: Town, sender: str, subject: str, text: str = "") -> str:
    (letter,) = town.write(sender, subject, text)
    return letter.text


def test_a_command_in_a_refusal_holds_the_userid_of_its_reader(town: Town) -> None:
    assert "  perudo limit ann PASSWORD 5\n" in shown(town, ANN, TOO_MANY.format("ann", PASSWORD))
    assert "  perudo games ann\n" in shown(town, ANN, "perudo record x")
    lines = f"perudo record x\n{TOO_MANY.format('ann', PASSWORD)}"
    text = shown(town, ANN, "multiple", lines)
    assert "  perudo games ann\n" in text
    assert "  perudo limit ann PASSWORD 5\n" in text


def test_the_password_identifies_a_player_at_a_shared_address(town: Town) -> None:
    assert "perudo limit bob PASSWORD" in shown(town, HOME, TOO_MANY.format("bob", PASSWORD))
    assert "  perudo games USERID\n" in shown(town, HOME, "perudo record x")
