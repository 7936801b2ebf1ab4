"""The token of a button is worthless for everything but its own command and reader."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import insert, select, update

from pbmserv.commands.framework import GAMES, Secret, commands_of
from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.security.tokens import BUTTON_DAYS, is_of_button
from pbmserv.timeunits import DAY
from tests.intake.buttons import ANN, BOB, CLEO, REPLIES, a_blocker, buttons, one, players, press
from tests.letters.pages import Anchor, read
from tests.stories.town import PASSWORD, Town

WORK = "ann@work.example"
WITH_PASSWORD = [
    (game, command)
    for game in ("", *GAMES)
    for command in commands_of(game).values()
    if any(isinstance(each, Secret) and each.name == "password" for each in command.params)
]
ELSEWHERE = "A button works only for the command that it shows"


def token_of(link: Anchor) -> str:
    """The token of a button."""
    return next(each for each in link.subject.split() if is_of_button(each))


# --- attacks


def is_blocked(town: Town) -> bool:
    """Whether ann has blocked somebody."""
    with reading(town.engine) as connection:
        return connection.execute(select(models.Block.__table__)).first() is not None


@REPLIES
@pytest.mark.parametrize("sender", ["eve@evil.example", BOB, WORK])
def test_a_forwarded_letter_is_worthless_at_another_address(
    home: Path, replies: str, sender: str
) -> None:
    with players(home, replies) as town:
        link = a_blocker(town)
        for subject in (link.subject, f"Fwd: {link.subject}", f"Re: {link.subject}"):
            letters = town.write(sender, subject, to=link.to)
            assert all(each.to != ANN for each in letters)
            town.now += DAY
        assert is_blocked(town)


def test_a_token_is_worthless_for_another_player_of_the_same_address(home: Path) -> None:
    with players(home) as town:
        (asked,) = town.write(ANN, f"signup anna {PASSWORD}")
        town.reply(asked, "yes")
        link = a_blocker(town)
        assert ELSEWHERE in one(press(town, link, change=("unblock ann ", "unblock anna ")))
        assert is_blocked(town)


def test_a_token_is_worthless_for_every_other_command(home: Path) -> None:
    """It never changes a password or an address, and never closes an account."""
    with players(home) as town:
        town.challenge("bob", "ann")
        (told,) = town.write(ANN, f"set ann {PASSWORD}")
        token = token_of(buttons(told)["Change the time zone"])
        before = everything(town)
        for game, command in WITH_PASSWORD:
            place = (words := command.example.split()).index("secret")
            words[place - 1 : place + 1] = ["ann", token]
            letters = town.write(ANN, " ".join(words), "Words for the others.\n")
            assert all(each.to == ANN for each in letters), (game, words)
            assert everything(town) == before, (game, words)
            town.now += DAY // 2


def everything(town: Town) -> list[object]:
    """What commands may change."""
    tables = (models.Player, models.Address, models.Block, models.Board, models.Seat)
    with reading(town.engine) as connection:
        return [connection.execute(select(each.__table__)).all() for each in tables]


def test_a_token_is_worthless_for_another_object(home: Path) -> None:
    with players(home) as town:
        town.write(ANN, f"block ann {PASSWORD} cleo")
        link = a_blocker(town)
        assert ELSEWHERE in one(press(town, link, change=(" bob", " cleo")))
        (told,) = town.write(ANN, f"set ann {PASSWORD}")
        zone = buttons(told)["Change the time zone"]
        for changed in ("challenges=off", "timezone=UTC challenges=off"):
            assert ELSEWHERE in one(press(town, zone, change=("timezone=Europe/Zurich", changed)))


def test_one_token_is_not_for_two_lines(home: Path) -> None:
    with players(home) as town:
        link = a_blocker(town)
        token = token_of(link)
        letters = town.write(
            ANN,
            "multiple",
            f"{link.subject}\nset ann {token} challenges=off\n"
            f"change address ann {token} eve@evil.example\nend\n",
        )
        text = one([each for each in letters if each.to == ANN])
        assert "You have unblocked bob" in text and text.count("NOT DONE") == 2
        assert not any(each.to == "eve@evil.example" for each in letters)


def test_it_proves_nothing_for_other_lines_of_the_email(home: Path) -> None:
    """A challenge beside it waits for proof, and its message, too."""
    with players(home) as town:
        link = a_blocker(town)
        letters = town.write(
            ANN, "multiple", f"{link.subject}\nperudo challenge ann cleo\nend\nHello cleo!\n"
        )
        assert not any("Hello cleo!" in each.text for each in letters if each.to == CLEO)


@pytest.mark.parametrize("days", [BUTTON_DAYS, BUTTON_DAYS + 1])
def test_after_its_days_it_is_late(home: Path, days: int) -> None:
    with players(home) as town:
        link = a_blocker(town)
        town.now += days * DAY
        told = one(press(town, link))
        assert ("This button has expired" in told) == is_blocked(town)
        assert is_blocked(town) == (days > BUTTON_DAYS)


def test_after_a_change_of_the_mailbox_old_letters_are_worthless(home: Path) -> None:
    """Also for somebody who reads the old mailbox and forges the new address."""
    with players(home) as town:
        link = a_blocker(town)
        with writing(town.engine) as connection:
            row = models.Address
            connection.execute(update(row).where(row.address == ANN).values(address=WORK))
        for sender in (ANN, WORK):
            press(town, link, sender)
            assert is_blocked(town)


def test_with_two_addresses_a_letter_to_one_is_pressed_from_the_other(home: Path) -> None:
    with players(home) as town:
        link = a_blocker(town)
        with writing(town.engine) as connection:
            ann = connection.execute(
                select(models.Player.id).where(models.Player.userid == "ann")
            ).scalar_one()
            connection.execute(
                insert(models.Address).values(player_id=ann, address=WORK, confirmed_at=1)
            )
        assert "You have unblocked bob" in one(press(town, link, WORK))


def test_a_forged_sender_presses_nothing_where_senders_are_checked(home: Path) -> None:
    checked = 'authserv_id = "mx.example.org"\nauthserv_transport = "socket"\n'
    with players(home, more=checked) as town:
        link = a_blocker(town)
        verdict = "mx.example.org; dmarc=fail header.from=example.org; spf=fail"
        town.write(ANN, link.subject, to=link.to, headers={"Authentication-Results": verdict})
        assert is_blocked(town)


def test_a_suspended_player_presses_nothing(home: Path) -> None:
    with players(home) as town:
        link = a_blocker(town)
        with writing(town.engine) as connection:
            row = models.Player
            connection.execute(
                update(row).where(row.userid == "ann").values(suspended_until=10**10)
            )
        press(town, link)
        assert is_blocked(town)


def test_a_quoted_button_is_left_out_for_others(home: Path) -> None:
    """As a mail program writes out the links of a page, in one line or cut."""
    with players(home) as town:
        town.challenge("ann", "bob")
        (told,) = town.write(ANN, f"set ann {PASSWORD}")
        quoted = "\n".join(f"> {title} <{each.href}>" for title, each in buttons(told).items())
        token = token_of(buttons(told)["Change the time zone"])
        text = f"Hello bob, I like that page.\n\n{quoted}\n\nThe code is {token}\nSee you!\n"
        town.write(ANN, f"perudo chat 1 ann {PASSWORD}", text)
        (said,) = [
            each for each in town.letters if each.to == BOB and "I like that page" in each.text
        ]
        for link in buttons(told).values():
            for word in link.subject.split():
                if is_of_button(word):
                    assert word[6:].casefold() not in str(said.message).casefold()


def test_an_answer_that_goes_elsewhere_has_no_tokens(home: Path) -> None:
    """Ann writes from the office, with her password: the answer asks for it again."""
    with players(home) as town:
        (told,) = town.write(WORK, f"block ann {PASSWORD} bob")
        assert told.to == WORK
        page = told.message.get_body(("html",))
        assert page is None or "unblock ann PASSWORD bob" in read(page.get_content()).text
        assert "unblock ann PASSWORD bob" in told.text


def test_a_token_is_neither_logged_nor_kept(home: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    with players(home) as town:
        link = a_blocker(town)
        token = token_of(link).lower()
        letters = [*press(town, link, change=(" bob", " cleo")), *press(town, link)]
        letters += press(town, link, BOB)
        for each in letters:
            assert token not in f"{each.subject} {each.body}".lower()
        assert token not in caplog.text.lower()
        with reading(town.engine) as connection:
            for table in (models.InboxMail, models.OperatorAlert, models.Counter):
                assert token not in repr(connection.execute(select(table.__table__)).all()).lower()


def test_the_values_that_a_reader_may_write_are_those_of_the_button(home: Path) -> None:
    with players(home) as town:
        zoe = "zoe@example.net"
        (asked,) = town.write(zoe, f"signup zoe {PASSWORD}")
        (welcome,) = town.reply(asked, "yes")
        link = buttons(welcome)["Change this"]
        more = ("format=", "challenges=off format=")
        assert ELSEWHERE in one(press(town, link, zoe, change=more))
        zone = link.subject.partition("timezone=")[2].partition(" ")[0]
        changed = one(press(town, link, zoe, change=(f"timezone={zone}", "timezone=Asia/Tokyo")))
        assert "timezone is now Asia/Tokyo." in changed
