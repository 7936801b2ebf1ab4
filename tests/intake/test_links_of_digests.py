"""Links of letters about several boards: digests and reminders."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import select

from pbmserv.database import models
from pbmserv.database.engine import reading
from tests.intake.links import ALREADY, ANN, BOB, REPLIES, one, played
from tests.letters.pages import Anchor, read
from tests.stories.town import OUR_ADDRESS, PASSWORD, Letter, Town

# --- letters about several boards


def links_of(letter: Letter) -> list[Anchor]:
    """The links of a letter's page."""
    page = letter.message.get_body(("html",))
    assert page is not None
    return read(page.get_content()).anchors


def press(town: Town, sender: str, link: Anchor) -> list[Letter]:
    """Send the email that a link opens."""
    body = parse_qs(urlsplit(link.href).query)["body"][0].replace("\r\n", "\n")
    return town.write(sender, link.subject, body, to=link.to)


def moves_of(town: Town) -> dict[int, int]:
    """The number of the next move of each board."""
    with reading(town.engine) as connection:
        row = models.Board
        return {each.id: each.move for each in connection.execute(select(row.id, row.move))}


def a_digest(town: Town, boards: int = 2) -> Letter:
    town.write(ANN, f"set ann {PASSWORD} digest=daily format=both")
    for number in range(1, boards + 1):
        town.challenge("ann", "bob")
        if number > 3:  # more of a person with whom bob has never played are invitations
            town.write(BOB, f"perudo accept bob {PASSWORD} {number}")
    return next(each for each in town.waited(24) if each.to == ANN)


def a_reminder(town: Town) -> Letter:
    town.write(ANN, f"set ann {PASSWORD} format=both")
    for _ in range(2):
        town.challenge("ann", "bob")
    return next(each for each in town.waited(8 * 24) if each.to == ANN)


@pytest.mark.slow
@pytest.mark.parametrize("replies", REPLIES)
@pytest.mark.parametrize("letter_of", [a_digest, a_reminder])
def test_every_board_of_a_digest_or_reminder_has_its_buttons(
    home: Path, replies: str, letter_of: Callable[[Town], Letter]
) -> None:
    """Each plays on its own board; pressed twice or late it changes nothing."""
    with played(home, replies) as town:
        letter = letter_of(town)
        bids = [each for each in links_of(letter) if each.body.startswith("2-2s")]
        assert len(bids) == 2
        assert "\n  perudo move 1 ann PASSWORD " in letter.text
        assert "Reply with your move" not in letter.text
        press(town, ANN, bids[1])
        assert moves_of(town) == {1: 1, 2: 2}
        assert ALREADY.search(one(press(town, ANN, bids[1])))
        press(town, ANN, bids[0])
        assert moves_of(town) == {1: 2, 2: 2}
        town.move("bob", "3-2s", board=1)
        assert ALREADY.search(one(press(town, ANN, bids[0])))
        assert moves_of(town) == {1: 3, 2: 2}


@pytest.mark.slow
@pytest.mark.parametrize("replies", REPLIES)
@pytest.mark.parametrize("language", ["en", "ru"])
def test_every_board_of_a_large_digest_has_its_buttons(
    home: Path, replies: str, language: str
) -> None:
    """They are smaller, with a short Subject; each still plays on its own board."""
    with played(home, replies, "newcomers_daily = 20") as town:
        town.write(ANN, f"set ann {PASSWORD} language={language}")
        letter = a_digest(town, 8)
        assert {each.height for each in links_of(letter)} == {0, 44}
        anchors = links_of(letter)
        for board in range(1, 9):
            (bid,) = [
                each
                for each in anchors
                if each.body == "2-3s #1" and f"Perudo {board} " in f"{each.subject} "
            ]
            told = press(town, ANN, bid)
            assert moves_of(town)[board] == 2
            again = one(press(town, ANN, bid))
            assert ALREADY.search(again) or language != "en"
            assert moves_of(town)[board] == 2
            assert any(f"<board-{board}@" in str(each.message["References"]) for each in told)
        assert set(moves_of(town).values()) == {2}
        another = next(each for each in anchors if not each.body and "Perudo 3" in each.subject)
        assert len(press(town, ANN, another)) == 1
        assert set(moves_of(town).values()) == {2}


@pytest.mark.parametrize("replies", REPLIES)
def test_a_digest_of_one_board_has_its_buttons(home: Path, replies: str) -> None:
    with played(home, replies) as town:
        letter = a_digest(town, 1)
        (bid,) = [each for each in links_of(letter) if each.body.startswith("2-2s")]
        press(town, ANN, bid)
        assert moves_of(town) == {1: 2}


@pytest.mark.parametrize("replies", REPLIES)
def test_a_draw_is_answered_from_a_digest(home: Path, replies: str) -> None:
    with played(home, replies) as town:
        town.write(ANN, f"set ann {PASSWORD} digest=daily format=both")
        for _ in range(2):
            town.challenge("ann", "bob")
        town.move("bob", "draw", board=2)
        letter = next(each for each in town.waited(24) if each.to == ANN)
        (yes,) = [each for each in links_of(letter) if each.body.startswith("accept")]
        press(town, ANN, yes)
        with reading(town.engine) as connection:
            row = models.Board
            over = select(row.id).where(row.ended_at.is_not(None))
            assert connection.execute(over).scalars().all() == [2]


def test_a_token_of_a_digest_opens_what_that_of_the_boards_own_letter_opens(home: Path) -> None:
    """It is the same token.  From an address of somebody else it moves, and tells nothing."""
    with played(home, "plus") as town:
        letter = a_digest(town)
        tokens = {each.to for each in links_of(letter) if each.body.startswith("2-")}
        with reading(town.engine) as connection:
            ids = select(models.Player.id).where(models.Player.userid == "ann")
            ann = connection.execute(ids).scalar_one()
        local, _, domain = OUR_ADDRESS.partition("@")
        assert tokens == {
            f"{local}+{town.processor.tokens.letter(board, ann, 1).lower()}@{domain}"
            for board in (1, 2)
        }


def test_a_quoted_digest_gives_away_no_token(home: Path) -> None:
    """Its page is quoted below a chat, with the links as a mail program writes them out."""
    with played(home, "plus") as town:
        letter = a_digest(town)
        quoted = "\n".join(f"> {each.text.strip()} <{each.href}>" for each in links_of(letter))
        town.write(ANN, f"perudo chat 1 ann {PASSWORD}", f"Have a look at this:\n\n{quoted}")
        (told,) = [each for each in town.letters if each.to == BOB and "Have a look" in each.text][
            -1:
        ]
        own = told.message["Reply-To"].partition("+")[2].partition("@")[0]
        for link in links_of(letter):
            token = link.to.partition("+")[2].partition("@")[0]
            assert not token or token == own or token.casefold() not in str(told.message).casefold()
