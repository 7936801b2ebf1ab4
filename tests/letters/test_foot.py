"""The foot of a letter says why it comes and how to get fewer; what it says works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pbmserv.letters.foot import foot
from scripts.letter_samples import samples, written
from tests.letters.pages import read
from tests.stories.town import PASSWORD, Town, town_at

ANN, BOB, ZOE = "ann@example.org", "bob@example.org", "zoe@example.net"
FOOT = f"\n{foot('en')}"


def test_every_letter_to_a_player_says_how_to_get_fewer(town: Town) -> None:
    """Letters of games, answers, refusals and letters about accounts."""
    town.move("ann", "1-2s")
    town.write(BOB, "perudo show 1")
    town.write(BOB, "perudo dance 1")
    town.write(BOB, f"message bob {PASSWORD} ann", "Hello!")
    town.write(BOB, f"change password bob {PASSWORD} herring9")
    assert foot("en").count("\n") == 1
    without = {each.subject for each in town.letters if not each.body.endswith(FOOT)}
    assert without == {f"Please confirm your address, {name}" for name in ("ann", "bob")}


def test_a_letter_says_why_it_comes(town: Town) -> None:
    """To players, to spectators, to those who asked to be told of the end, and to the invited."""
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


def test_a_reader_without_an_account_gets_no_foot(town: Town) -> None:
    letters = [*town.write(ZOE, "help"), *town.write(ZOE, f"signup zoe {PASSWORD}")]
    assert [each.body.endswith(FOOT) for each in letters] == [False, False]


def test_a_letter_about_a_closed_account_has_no_foot() -> None:
    letters = [written(each, "en").form("plain") for each in samples(("kinds/measure",))]
    closed = [letter.startswith("Your account is closed") for letter in letters]
    assert closed.count(True) == 2
    assert [FOOT.rstrip() in letter.replace("\r", "") for letter in letters] == [
        not each for each in closed
    ]


def test_the_words_in_the_foot_work_in_a_reply_that_quotes_it(town: Town) -> None:
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
    assert "No more here: reply" not in told.text


@pytest.mark.parametrize("replies", ["plus", "plain"])
def test_the_page_of_a_letter_has_links_for_it(home: Path, replies: str) -> None:
    """Fewer letters, none, and of a letter about a board the end of the game for its reader."""
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "pbmserv.toml").write_text(f'replies = "{replies}"\n')
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        town.write(ANN, f"set ann {PASSWORD} format=both")
        town.challenge("ann", "bob")
        town.move("ann", "1-2s")
        town.move("bob", "2-2s")
        body = town.last_letter_to(ANN).message.get_body(("html",))
        assert body is not None
        links = {each.text.strip(): each for each in read(body.get_content()).anchors}
        assert "send an email with the Subject" not in read(body.get_content()).text
        pressed = [
            town.write(ANN, links[title].subject, links[title].body, to=links[title].to)
            for title in ("Fewer letters", "Leave the game", "No more letters")
        ]
        assert "letters=games" in pressed[0][0].text
        assert any("bob wins" in each.opening for each in pressed[1])
        assert pressed[2][0].subject == "Your letters are paused, ann"
