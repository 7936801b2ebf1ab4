"""A plain yes or no in a reply to an invitation answers it; other words are asked about."""

from __future__ import annotations

import pytest

from tests.stories.town import PASSWORD, Letter, Town

ANN, BOB, CLEO = "ann@example.org", "bob@example.org", "cleo@example.org"


@pytest.fixture
def invitation(town_of_three: Town) -> Letter:
    """The invitation to bob, for board 2."""
    town = town_of_three
    town.write(BOB, f"set bob {PASSWORD} challenges=ask")
    town.challenge("ann", "bob", "cleo")
    return town.last_letter_to(BOB)


@pytest.mark.parametrize(
    "text",
    [
        "Yes",
        "yes, thanks!",
        "OK",
        "Oui !",
        "oui j'accepte avec plaisir",
        "OK pour moi",
        "да",
        "ok cleo",
        *("sounds fun", "lets go!", "on joue !", "vale, juguemos", "suena bien", "погнали!"),
    ],
)
def test_a_yes_accepts(town_of_three: Town, invitation: Letter, text: str) -> None:
    letters = town_of_three.reply(invitation, text)
    assert "Perudo board 2" in letters[0].subject
    assert any("A new game of Perudo has begun" in each.text for each in letters)


@pytest.mark.parametrize(
    "text", ["No", "no, thanks", "Désolé, non", "нет", "non merci, pas cette fois"]
)
def test_a_no_rejects(town_of_three: Town, invitation: Letter, text: str) -> None:
    letters = town_of_three.reply(invitation, f"{text}\n\nI have no time.")
    assert any("bob rejects the invitation to board 2" in each.text for each in letters)
    assert any("I have no time." in each.text for each in letters if each.to == ANN)


@pytest.mark.parametrize(
    "text",
    [
        "Yes, but not now",
        "no problem, I play",
        "Yes?",
        "maybe",
        "ok boomer",
        "sorry",
        "oui, mais pas cette fois",
    ],
)
def test_other_words_are_asked_about(town_of_three: Town, invitation: Letter, text: str) -> None:
    (asked,) = town_of_three.reply(invitation, text)
    assert asked.opening == "I found no command in your email, so nothing was done."
    assert "\nYour email answers a letter about board 2.\n" in asked.text
    assert "  accept  I play\n  reject  not this time\n" in asked.text
    assert "a bid such as" not in asked.text
    letters = town_of_three.reply(asked, "accept")
    assert any("A new game of Perudo has begun" in each.text for each in letters)


def test_a_yes_counts_only_for_an_invitation_that_waits(
    town_of_three: Town, invitation: Letter
) -> None:
    """Not from another address, and not after the board has begun or was given up."""
    town = town_of_three
    headers = {"In-Reply-To": str(invitation.message["Message-ID"])}
    letters = town.write("eve@example.net", "Re: x", "yes", to=invitation.reply_to, headers=headers)
    assert not any("has begun" in each.text for each in letters)
    town.reply(invitation, "no")
    (asked,) = town.reply(invitation, "yes")
    assert "nothing was done" in asked.text
