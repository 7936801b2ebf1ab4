"""A reply to a confirmation that was used says what it did, and what can be done now."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lobby.inviting import MIA, invited, three_players
from tests.stories.town import PASSWORD, Letter, Town, town_at

ZOE = "zoe@example.org"


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    """zoe has confirmed an account."""
    with town_at(home) as town:
        town.sign_up("ann")
        town.write(ZOE, f"signup zoe {PASSWORD}")
        town.reply(town.last_letter_to(ZOE), "yes")
        yield town


def asked(town: Town) -> Letter:
    """The letter that asked for the yes."""
    return next(each for each in town.letters if each.to == ZOE)


@pytest.mark.parametrize(
    "text",
    [
        "no",
        "yes",
        "What is this about?",
        "No, I never asked for this",
        "нет",
        "Hello\n\nWho writes this?",
    ],
)
def test_a_reply_is_told_of_the_account_and_of_what_can_be_done(town: Town, text: str) -> None:
    (told,) = town.reply(asked(town), text)
    assert told.subject == "Your address is confirmed already, zoe"
    said = " ".join(told.text.split())
    assert f"On Tuesday 14 November 2023, 22:13 UTC you confirmed {ZOE}." in said
    for command in ("stop", "signoff zoe PASSWORD", "perudo challenge zoe house house house"):
        assert command in told.text


def test_thanks_bring_no_answer_and_a_command_is_carried_out(town: Town) -> None:
    assert town.reply(asked(town), "Thanks!") == []
    assert town.reply(asked(town), "perudo games")[0].subject.startswith("Perudo")
    assert "Your letters are paused" in town.reply(asked(town), "stop")[0].subject


def test_somebody_else_who_has_the_letter_is_told_nothing_of_the_account(town: Town) -> None:
    letter = asked(town)
    told = town.write("eve@example.org", f"Re: {letter.subject}", "no", to=letter.reply_to)
    assert [each for each in told if "zoe" in each.text or "zoe" in each.subject] == []


@pytest.mark.parametrize("answer", ["no", "never"])
def test_a_guest_who_has_said_no_is_not_asked_for_an_answer_again(home: Path, answer: str) -> None:
    with three_players(home) as town:
        letter = invited(town)
        town.reply(letter, answer)
        (told,) = [each for each in town.reply(letter, "What is this?") if each.to == MIA]
        assert "That invitation is over" in told.text
