"""Reactions and pictures: a picture to a board's letter goes to the table, and asks for nothing."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from pbmserv.database import models
from pbmserv.database.engine import reading
from tests.intake.test_replies_in_all_states import letters_of_states
from tests.stories.town import OUR_ADDRESS, PASSWORD, Letter, Town, answering

ANN, BOB, CLEO = "ann@example.org", "bob@example.org", "cleo@example.org"
REACTION = """\
From: {sender}
To: {to}
Subject: Re: {subject}
Message-ID: {number}
{headers}
Date: Fri, 27 Nov 2026 10:15:00 +0100
Content-Type: multipart/alternative; boundary=b

--b
Content-Type: text/plain; charset=utf-8

{picture}

Ann Example reacted via Gmail
<https://www.google.com/gmail/about/?utm_campaign=emojireactionemail#app>

On Fri, 27 Nov 2026 at 10:12, Perudo game server <{to}> wrote:

> {quoted}

--b
Content-Type: text/vnd.google.email-reaction+json; charset=utf-8

{{"emoji": "{picture}", "version": 1}}
--b--
"""


def react(town: Town, letter: Letter, picture: str, sender: str = "") -> list[Letter]:
    """Tap a picture below a letter; returns the letters that this causes."""
    sender = sender or letter.to
    raw = REACTION.format(
        sender=sender,
        to=letter.reply_to or OUR_ADDRESS,
        subject=letter.subject,
        number=town.next_message_id(),
        headers="\n".join(f"{name}: {value}" for name, value in answering(letter).items()),
        picture=picture,
        quoted=letter.text.replace("\n", "\n> "),
    )
    return town.carry(raw.encode(), sender, letter.reply_to or OUR_ADDRESS)


def said(letters: list[Letter]) -> dict[str, str]:
    """What the others are told, by their addresses."""
    return {each.to: each.text for each in letters if "writes:" in each.text}


@pytest.fixture
def states(town_of_three: Town) -> dict[str, Letter]:
    return letters_of_states(town_of_three)


def test_a_picture_to_a_letter_of_a_game_goes_to_the_table(
    town_of_three: Town, states: dict[str, Letter]
) -> None:
    town = town_of_three
    for picture in ("👍", "❤️", "🤥", "👎"):
        for state, others in (("out of turn", {ANN, CLEO}), ("in turn", {BOB, CLEO})):
            letters = react(town, states[state], picture)
            assert set(said(letters)) == others
            assert all(f"| {picture}\n" in text for text in said(letters).values())
            assert not any("reacted" in each.text for each in letters)
    (told,) = said(react(town, states["the end"], "👍")).values()
    assert "| 👍\n" in told
    letters = town.reply(states["in turn"], "😂 😂")  # typed, it does the same
    assert set(said(letters)) == {BOB, CLEO}
    mine = [" ".join(each.text.split()) for each in letters if each.to == ANN]
    assert len(mine) == 1
    assert "Sent to bob and cleo" in mine[0]
    thief = react(town, states["in turn"], "😂", sender="thief@example.net")
    assert said(thief) == {}
    (late,) = react(town, states["an old letter"], "😂")
    assert late.to == ANN
    assert "Your message was not sent to the others" in late.text


def test_a_thumb_accepts_what_waits_for_a_yes_and_a_heart_does_not(
    town_of_three: Town, states: dict[str, Letter]
) -> None:
    town = town_of_three
    invitation = town.last_letter_to(BOB)
    (asked,) = react(town, invitation, "❤️")
    assert asked.to == BOB
    assert "accept" in asked.text
    begun = react(town, invitation, "👍")
    assert any("A new game of Perudo has begun" in each.text for each in begun)


def test_a_thumb_confirms_a_sign_up(town_of_three: Town) -> None:
    (asked,) = town_of_three.write("gina@example.org", f"signup gina {PASSWORD}")
    assert asked.is_to_be_confirmed
    assert any("yes" in each.text for each in react(town_of_three, asked, "❤️"))
    welcome = react(town_of_three, asked, "👍")
    assert any("gina" in each.text for each in welcome)
    with reading(town_of_three.engine) as connection:
        query = select(models.Player.id).where(models.Player.userid == "gina")
        assert connection.execute(query).first()


def test_a_picture_to_an_answer_of_ours_reaches_nobody(town_of_three: Town) -> None:
    town = town_of_three
    (page,) = town.write(ANN, "help rules")
    (unsure,) = town.reply(town.last_letter_to(BOB), "hdjskahd")
    (stranger,) = town.write("stranger@example.org", "help")
    for answer in (page, unsure, stranger):
        assert react(town, answer, "👍") == []
