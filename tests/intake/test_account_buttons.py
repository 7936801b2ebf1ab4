"""The buttons of letters about accounts: the email that each opens is understood."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import select

from pbmserv.database import models
from pbmserv.database.engine import reading
from pbmserv.letters.reply_link import LetterLinks
from pbmserv.timeunits import DAY
from tests.intake.buttons import one
from tests.letters.pages import Anchor, read
from tests.stories.town import OUR_ADDRESS, PASSWORD, Letter, Town, town_at

ANN, NEW, ZOE = "ann@example.org", "ann@new.example", "zoe@example.net"
USED = "That confirmation code is wrong, used or more than 14 days old."
REPLIES = pytest.mark.parametrize("replies", ["plus", "plain"])


@contextmanager
def accounts(home: Path, replies: str) -> Iterator[Town]:
    """A server with this setting, where ann and bob have accounts."""
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "pbmserv.toml").write_text(f'replies = "{replies}"\n')
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        town.write(ANN, f"set ann {PASSWORD} format=both")
        yield town


def buttons(letter: Letter) -> dict[str, Anchor]:
    """The links of a letter's page, by their titles."""
    page = letter.message.get_body(("html",))
    assert page is not None
    return {" ".join(each.text.split()): each for each in read(page.get_content()).anchors}


def opened(letter: Letter, command: str, replies: str = "plus", token: str = "") -> Anchor:
    """The link of a button in a letter that is sent without a page, with a command or a word."""
    about_stopping = str(letter.message["List-Unsubscribe"]).strip(" <>").removeprefix("mailto:")
    links = LetterLinks(OUR_ADDRESS, token, replies, letter.subject, unsubscribe=about_stopping)
    return Anchor("".join(links.reply(command) if links.reply else links.command(command)), {})


def press(town: Town, sender: str, link: Anchor, more: str = "") -> list[Letter]:
    """Send the email that a link opens, with more words at the end of its Subject."""
    body = parse_qs(urlsplit(link.href).query).get("body", [""])[0].replace("\r\n", "\n")
    return town.write(sender, link.subject + more, body, to=link.to)


def addresses(town: Town) -> set[str]:
    with reading(town.engine) as connection:
        row = models.Address
        return set(
            connection.execute(select(row.address).where(row.confirmed_at.is_not(None))).scalars()
        )


@REPLIES
def test_a_player_who_leaves_presses_again_and_a_second_press_is_harmless(
    home: Path, replies: str
) -> None:
    with accounts(home, replies) as town:
        (asked,) = town.write(ANN, f"signoff ann {PASSWORD}")
        found = buttons(asked)
        assert ANN in addresses(town)
        assert "Goodbye, ann" in one(press(town, ANN, found["Close my account"]))
        assert ANN not in addresses(town)
        assert USED in one(press(town, ANN, found["Close my account"])), "twice"


@REPLIES
def test_a_player_who_did_not_want_to_leave_gets_a_new_password(home: Path, replies: str) -> None:
    with accounts(home, replies) as town:
        (asked,) = town.write(ANN, f"signoff ann {PASSWORD}")
        letters = press(town, ANN, buttons(asked)["Get a new password"])
        (reset,) = [each for each in letters if each.subject == "A new password, ann"]
        choose = buttons(reset)["Choose a password"]
        assert "new password" in one(press(town, ANN, choose)), "without one nothing is changed"
        changed = press(town, ANN, choose, "another-fish")
        assert "The password of the account ann was changed" in one(changed)
        town.now += 1
        assert "used" in one(press(town, ANN, choose, "third-fish")), "twice"
        assert "Your limit" in one(town.write(ANN, "perudo limit ann another-fish"))
        assert "Get a new password" in buttons(changed[0])


@REPLIES
def test_a_button_pressed_late_is_harmless(home: Path, replies: str) -> None:
    with accounts(home, replies) as town:
        (asked,) = town.write(ANN, f"signoff ann {PASSWORD}")
        reset = next(
            each for each in town.write(ANN, "reset ann") if each.subject == "A new password, ann"
        )
        town.now += 2 * DAY
        late = press(town, ANN, buttons(asked)["Close my account"])
        assert USED in one(late)
        assert "used" in one(press(town, ANN, buttons(reset)["Choose a password"], "another-fish"))
        assert ANN in addresses(town)


@REPLIES
def test_new_addresses_are_agreed_to_and_confirmed(home: Path, replies: str) -> None:
    with accounts(home, replies) as town:
        letters = town.write(ANN, f"change address ann {PASSWORD} {NEW}")
        told = next(each for each in letters if "change" in each.subject)
        agree = opened(told, f"confirm {told.token}")
        asked = next(each for each in press(town, ANN, agree) if each.to == NEW)
        assert USED in one(press(town, ANN, agree)), "twice"
        confirm = opened(asked, "confirm", replies, asked.token)
        assert "Your address is confirmed" in one(
            [each for each in press(town, NEW, confirm) if each.to == NEW]
        )
        assert "Your address is confirmed" in one(press(town, NEW, confirm)), "twice"
        assert NEW in addresses(town) and ANN not in addresses(town)


@REPLIES
def test_a_player_presses_for_no_more_letters_and_gets_them_again(home: Path, replies: str) -> None:
    with accounts(home, replies) as town:
        (asked,) = town.write(ANN, "unsubscribe")
        stop = opened(asked, "stop")
        paused = press(town, ANN, stop)
        assert "Your letters are paused, ann" in one(paused)
        assert press(town, ANN, stop) == []  # twice
        again = press(town, ANN, buttons(paused[0])["Get letters again"])
        assert "You get letters again, ann" in [each.subject for each in again]
        awake = next(each for each in again if each.subject == "You get letters again, ann")
        stopped = press(town, ANN, buttons(awake)["No more letters"])
        assert "Your letters are paused, ann" in one(stopped)


def test_a_password_that_is_not_filled_in_changes_nothing(home: Path) -> None:
    with accounts(home, "plus") as town:
        (told,) = town.write(ANN, f"perudo accept ann {PASSWORD}")
        link = opened(told, "set ann PASSWORD challenges=ask")
        assert "Wrong" in one(press(town, ANN, link))
        link.href = link.href.replace("PASSWORD", PASSWORD)
        assert "challenges" in one(press(town, ANN, link))


@REPLIES
def test_the_first_game_of_a_new_account_is_a_press_away(home: Path, replies: str) -> None:
    with accounts(home, replies) as town:
        (asked,) = town.write(ZOE, f"signup zoe {PASSWORD}")
        (welcome,) = press(town, ZOE, opened(asked, "confirm", replies, asked.token))
        game = "perudo challenge zoe house house house"
        assert f"\n  {game}\n" in welcome.text
        (begun,) = press(town, ZOE, opened(welcome, game))
        assert begun.subject == "Your turn: Perudo board 1"


@REPLIES
@pytest.mark.parametrize(
    ("title", "answer"),
    [
        ("Yes you play", "name"),
        ("No not this time", "your seat at board 1 is given up"),
        ("Never no invitation comes to this address again", "No more invitations"),
    ],
)
def test_a_guests_button_works_once(home: Path, replies: str, title: str, answer: str) -> None:
    with accounts(home, replies) as town:
        challenge = f"perudo challenge ann {ZOE}"
        (asked,) = town.write(ANN, challenge)
        letters = town.reply(asked, challenge)
        found = buttons(next(each for each in letters if each.to == ZOE))
        told = [each for each in press(town, ZOE, found[title]) if each.to == ZOE]
        assert answer in one(told)
        assert [each.to for each in press(town, ZOE, found[title])] in ([ZOE], [])  # twice
