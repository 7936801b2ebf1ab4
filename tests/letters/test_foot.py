"""The foot of a letter says why it comes and how to get fewer; what it says works."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbmserv.letters.foot import foot
from tests.stories.town import PASSWORD, Town, town_at

ANN, BOB, ZOE = "ann@example.org", "bob@example.org", "zoe@example.net"
FOOT = f"\n{foot('en')}"


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    with town_at(tmp_path / "home") as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob")
        yield town


def test_every_letter_to_a_player_says_how_to_get_fewer(town: Town) -> None:
    """Letters of games, answers, refusals and letters about accounts."""
    town.move("ann", "1-2s")
    town.write(BOB, "perudo show 1")
    town.write(BOB, "perudo dance 1")
    town.write(BOB, f"message bob {PASSWORD} ann", "Hello!")
    town.write(BOB, f"change password bob {PASSWORD} herring9")
    without = {each.subject for each in town.letters if not each.body.endswith(FOOT)}
    assert without == {f"Please confirm your address, {name}" for name in ("ann", "bob")}


def test_a_letter_says_why_it_comes(town: Town) -> None:
    """To players, to those who watch, to those who asked to hear of the end, and to the invited."""
    town.sign_up("cleo", "dora", "eve")
    town.write("cleo@example.org", f"perudo subscribe 1 cleo {PASSWORD}")
    town.write("dora@example.org", f"perudo notify dora {PASSWORD} 1")
    town.write("eve@example.org", f"set eve {PASSWORD} challenges=ask")
    letters = [*town.move("ann", "1-2s"), *town.challenge("ann", "eve")]
    letters += [*town.move("bob", "resign"), *town.write("eve@example.org", "perudo show 1")]
    said = {
        (each.to.partition("@")[0], found[0])
        for each in letters
        for found in [re.findall("^You get this because .*$", each.body, re.MULTILINE)]
    }
    ending = "You get this because you watch board 1 or asked to hear how it ends."
    assert said == {
        ("ann", "You get this because you play on board 1."),
        ("bob", "You get this because you play on board 1."),
        ("cleo", "You get this because you watch board 1."),
        ("cleo", ending),
        ("dora", ending),
        ("ann", "You get this because you have an account here."),  # what becomes of her challenge
        ("eve", "You get this because you are invited to board 2."),
        ("eve", "You get this because you have an account here."),
    }


def test_who_is_no_player_gets_no_foot(town: Town) -> None:
    letters = [*town.write(ZOE, "help"), *town.write(ZOE, f"signup zoe {PASSWORD}")]
    assert [each.body.endswith(FOOT) for each in letters] == [False, False]


def test_what_the_foot_says_works_in_a_reply_that_quotes_it(town: Town) -> None:
    letter = town.last_letter_to(ANN)
    quoted = "\n".join(f"> {line}" for line in letter.body.splitlines())
    (page,) = town.write(ANN, "help set")
    assert "letters=games" in page.text
    *_, told = town.reply(letter, f"stop\n\nOn Monday the server wrote:\n{quoted}")
    assert told.subject == "Your letters are paused, ann"
    assert not told.body.endswith(FOOT)


def test_a_quoted_foot_reaches_no_other_player(town: Town) -> None:
    """Also where a mail program marks no quotation."""
    letter = town.last_letter_to(ANN)
    letters = town.reply(letter, f"1-2s\n\nGood luck!\n\n{letter.body}")
    told = next(each for each in letters if each.to == BOB)
    assert "Good luck!" in told.text
    assert "reply with only this word" not in told.text
