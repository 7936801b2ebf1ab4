"""Daily counts: what others write under a player's From is not counted against the player."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stories.town import OUR_ADDRESS, PASSWORD, Letter, Town, answering, town_at

pytestmark = pytest.mark.long

ANN, BOB, EVE = "ann@example.org", "bob@example.org", "eve@example.org"
ELSEWHERE = "eve@elsewhere.example"


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    """A town in which a player's messages may cause three letters a day."""
    with town_at(home, settings="messages_daily = 3\nnewcomers_daily = 100\n") as town:
        town.sign_up("ann", "bob", "eve")
        town.challenge("ann", "bob")
        yield town


def message(town: Town, sender: str, writer: str) -> bool:
    """Whether bob gets a message that a player writes to him from an address."""
    letters = town.write(sender, f"message {writer} {PASSWORD} bob", "Hello.")
    return BOB in [each.to for each in letters]


def test_messages_under_a_forged_from_do_not_use_up_the_players_limit(town: Town) -> None:
    """They count for who shows the password, and for no address of somebody else."""
    heard = [message(town, ANN, "eve") for _ in range(5)]
    assert heard == [True, True, True, False, False]
    letters = town.write(ANN, f"perudo chat 1 ann {PASSWORD}", "Hello.")
    assert BOB in [each.to for each in letters]
    assert [message(town, ANN, "ann") for _ in range(3)] == [True, True, False]


@pytest.mark.parametrize("address", [ELSEWHERE, EVE])
def test_two_players_have_one_count_for_an_address_of_theirs(town: Town, address: str) -> None:
    """An address without a player has one count, too, for all accounts that write from it."""
    (asked,) = town.write(EVE, f"signup fay {PASSWORD}")
    town.reply(asked, "yes")
    assert [message(town, address, "eve") for _ in range(3)] == [True] * 3
    assert not message(town, address, "fay")
    assert message(town, "fay@elsewhere.example", "fay")


BEGUN = "has begun"


def begins(town: Town, text: str = "", answered: Letter | None = None) -> bool:
    """Whether a challenge under ann's From begins a board."""
    headers = answering(answered) if answered else {}
    to = answered.reply_to if answered else OUR_ADDRESS
    letters = town.write(ANN, "perudo challenge ann house", text, to=to, headers=headers)
    return any(BEGUN in each.text for each in letters)


@pytest.mark.parametrize("setting", ["newcomers_daily", "challenges_daily"])
def test_unproven_challenges_do_not_use_up_the_players_limit(home: Path, setting: str) -> None:
    """They have a count of their own, with the same limit, and so have the proven ones."""
    with town_at(home, settings=f"{setting} = 3\n") as town:
        town.sign_up("ann")
        assert [begins(town) for _ in range(4)] == [True, True, True, False]
        own = [begins(town, answered=town.last_letter_to(ANN)) for _ in range(4)]
        assert own == [True, True, True, False]
        assert not begins(town)
        town.waited(25)
        assert begins(town)


def test_a_newcomers_last_message_of_a_day_is_answered_with_the_limit(home: Path) -> None:
    with town_at(home, settings="newcomers_daily = 2\n") as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob")
        said = "This was your last message of today. A newcomer sends at most 2 messages a day."
        for words, is_last in (("Hello there.", False), ("Are you ready?", True)):
            *_, receipt = town.write(ANN, f"perudo chat 1 ann {PASSWORD}", words)
            assert (said in " ".join(receipt.text.split())) == is_last
        *_, receipt = town.write(BOB, f"message bob {PASSWORD} ann", "Hello.")
        assert "last message" not in receipt.text
