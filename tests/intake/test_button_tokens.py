"""The buttons of letters without a board: the token of each is good for its own command alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import insert, select, update

from pbmserv.commands.framework import GAMES, Secret, commands_of
from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.security.tokens import BUTTON_DAYS, is_of_button
from pbmserv.timeunits import DAY
from tests.letters.pages import Anchor, read
from tests.stories.town import PASSWORD, Letter, Town, town_at

ANN, BOB, CLEO = "ann@example.org", "bob@example.org", "cleo@example.org"
WORK = "ann@work.example"
REPLIES = pytest.mark.parametrize("replies", ["plus", "plain"])
WITH_PASSWORD = [
    (game, command)
    for game in ("", *GAMES)
    for command in commands_of(game).values()
    if any(isinstance(each, Secret) and each.name == "password" for each in command.params)
]
ELSEWHERE = "A button works only for the command that it shows"
PRESSED = "You have already pressed this button"


@contextmanager
def players(home: Path, replies: str = "plus", more: str = "") -> Iterator[Town]:
    """A server with this setting, and `more`, where ann, bob and cleo have accounts."""
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "pbmserv.toml").write_text(f'replies = "{replies}"\n{more}\n')
    with town_at(home) as town:
        town.sign_up("ann", "bob", "cleo")
        town.write(ANN, f"set ann {PASSWORD} format=both")
        yield town


def buttons(letter: Letter) -> dict[str, Anchor]:
    """The links of a letter's page, by their titles; none asks for the password."""
    page = letter.message.get_body(("html",))
    assert page is not None
    found = read(page.get_content())
    assert "PASSWORD" not in found.text
    return {" ".join(each.text.split()): each for each in found.anchors}


def token_of(link: Anchor) -> str:
    """The token of a button."""
    return next(each for each in link.subject.split() if is_of_button(each))


def press(
    town: Town, link: Anchor, sender: str = ANN, words: str = "", change: tuple[str, str] = ("", "")
) -> list[Letter]:
    """Send the email that a link opens, with words in it, and a change in its Subject."""
    body = parse_qs(urlsplit(link.href).query)["body"][0].replace("\r\n", "\n")
    assert body.endswith("\n-- \n") and link.subject
    return town.write(sender, link.subject.replace(*change), f"{words}{body}Ann\n", to=link.to)


def one(letters: list[Letter]) -> str:
    """The Subject and the words of the only letter."""
    (letter,) = letters
    return " ".join(f"{letter.subject}. {letter.text}".split())


def a_blocker(town: Town) -> Anchor:
    """The button of a letter about a blocked player."""
    return buttons(town.write(ANN, f"block ann {PASSWORD} bob")[0])["Unblock bob"]


@REPLIES
def test_a_player_is_unblocked_once(home: Path, replies: str) -> None:
    with players(home, replies) as town:
        unblock = a_blocker(town)
        assert "You have unblocked bob" in one(press(town, unblock))
        assert PRESSED in one(press(town, unblock))
        town.now += DAY
        again = a_blocker(town)
        assert PRESSED in one(press(town, unblock)), "an old letter does not undo a new one"
        assert "You have unblocked bob" in one(press(town, again))


@REPLIES
def test_a_board_is_unmuted(home: Path, replies: str) -> None:
    with players(home, replies) as town:
        town.challenge("ann", "bob")
        (muted,) = town.write(ANN, f"perudo mute ann {PASSWORD} 1")
        link = buttons(muted)["Unmute board 1"]
        assert "You get what the others write" in one(press(town, link))
        assert PRESSED in one(press(town, link))


@REPLIES
def test_challenges_are_allowed_refused_and_asked_about(home: Path, replies: str) -> None:
    with players(home, replies) as town:
        (told,) = town.write(ANN, f"perudo accept ann {PASSWORD}")
        refuse, ask = buttons(told)["Refuse all challenges"], buttons(told)["Ask me each time"]
        (off,) = press(town, refuse)
        assert "Nobody can challenge you now" in one([off])
        assert "start at once" in one(press(town, buttons(off)["Allow challenges"]))
        assert "challenges is now ask." in one(press(town, ask))
        assert PRESSED in one(press(town, ask))


@REPLIES
@pytest.mark.parametrize("answer", ["accept", "reject"])
def test_an_invitation_is_answered_from_a_letter_about_challenges(
    home: Path, replies: str, answer: str
) -> None:
    with players(home, replies) as town:
        town.write(ANN, f"set ann {PASSWORD} challenges=ask")
        town.challenge("bob", "ann")
        (told,) = town.write(ANN, f"perudo {answer} ann {PASSWORD}")
        letters = press(town, buttons(told)[f"{answer.title()} board 1"], words="I am glad to!")
        (mine,) = [each for each in letters if each.to == ANN]
        expected = "Board 1 has begun" if answer == "accept" else "You have rejected the invitation"
        assert expected in one([mine])
        again = one(press(town, buttons(told)[f"{answer.title()} board 1"]))
        assert PRESSED in again


@pytest.mark.slow
@REPLIES
def test_a_search_is_ended_begun_and_repeated(home: Path, replies: str) -> None:
    with players(home, replies) as town:
        (listed,) = town.write(ANN, "list perudo")
        (sought,) = press(town, buttons(listed)["Seek a game"])
        assert "You seek these boards" in one([sought])
        assert "You seek no boards now" in one(press(town, buttons(sought)["End the search"]))
        town.write(BOB, f"perudo seek bob {PASSWORD} 2 -rules=classic -calza -players=5")
        (listed,) = town.write(ANN, "list perudo")
        assert "classic" in one(press(town, buttons(listed)["Seek the same"]))
        lapsed = next(
            each for each in town.waited(31 * 24) if each.to == ANN and "search" in each.subject
        )
        again = buttons(lapsed)["Search again"]
        assert "-calza" in again.subject
        assert "You seek these boards" in one(press(town, again))
        assert PRESSED in one(press(town, again))


@REPLIES
def test_a_queue_is_cancelled_a_seat_taken_and_a_game_left(home: Path, replies: str) -> None:
    with players(home, replies) as town:
        town.challenge("bob", "cleo", "ann")
        (queued,) = town.write(ANN, f"perudo queue 1 ann {PASSWORD} 9-6s dudo", "Hello!\n")
        links = buttons(queued)
        told = press(town, links["Write to the others"], words="Good luck, all of you.\n")
        assert {each.to for each in told if "Good luck" in each.text} == {BOB, CLEO}
        assert "You have no queued moves" in one(press(town, links["Cancel the queue"]))
        (refused,) = town.write(ANN, f"perudo decline ann {PASSWORD} 1")
        left = press(town, buttons(refused)["Leave the game"])
        assert "You will leave board 1" in one(left)
        assert PRESSED in one(press(town, buttons(refused)["Leave the game"])), "it stays left"


@REPLIES
def test_a_board_is_declined_played_after_all_and_shown_often(home: Path, replies: str) -> None:
    with players(home, replies) as town:
        town.challenge("bob", "cleo", "ann")
        (declined,) = town.write(ANN, f"perudo decline ann {PASSWORD} 1")
        (taken,) = press(town, buttons(declined)["Play after all"])
        assert "You have taken your seat" in one([taken])
        for _ in range(2):
            assert "Your dice" in one(press(town, buttons(taken)["Show board 1"]))


@REPLIES
def test_a_message_is_answered(home: Path, replies: str) -> None:
    with players(home, replies) as town:
        told = town.write(BOB, f"message bob {PASSWORD} ann", "Shall we play?\n")
        (said,) = [each for each in told if each.to == ANN]
        answer = buttons(said)["Answer bob"]
        assert "Your message is empty" in one(press(town, answer))
        letters = press(town, answer, words="Yes, on Sunday.\n")
        assert [each.to for each in letters if "bob writes" not in each.text] == [BOB, ANN]
        assert PRESSED in one(press(town, answer, words="Yes, on Sunday.\n"))


@REPLIES
def test_preferences_are_set_and_a_time_zone_is_written(home: Path, replies: str) -> None:
    with players(home, replies) as town:
        (told,) = town.write(ANN, f"set ann {PASSWORD}")
        links = buttons(told)
        assert "digest is now daily." in one(press(town, links["One letter a day"]))
        zone = links["Change the time zone"]
        wrong = one(press(town, zone, change=("Europe/Zurich", "Atlantis")))
        assert "Atlantis" in wrong and "refused" in wrong
        changed = ("Europe/Zurich", "Asia/Tokyo")
        assert "timezone is now Asia/Tokyo." in one(press(town, zone, change=changed))
        assert PRESSED in one(press(town, zone))


@REPLIES
def test_a_new_player_chooses_another_language(home: Path, replies: str) -> None:
    with players(home, replies) as town:
        zoe = "zoe@example.net"
        (asked,) = town.write(zoe, f"signup zoe {PASSWORD}")
        (welcome,) = town.reply(asked, "yes")
        (told,) = press(town, buttons(welcome)["Français"], zoe)
        assert told.subject == "Réglages : zoe"


@REPLIES
def test_refusals_offer_what_to_do(home: Path, replies: str) -> None:
    with players(home, replies) as town:
        days = f"vacation ann {PASSWORD} 2023-12-24 2023-12-31"
        town.write(ANN, days)
        (twice,) = town.write(ANN, days)
        assert "is over" in one(press(town, buttons(twice)["End the vacation"]))
        town.challenge("ann", "bob")
        (early,) = town.write(ANN, f"perudo rematch 1 ann {PASSWORD}")
        assert "is not over" in one(press(town, buttons(early)["Play again"]))


@REPLIES
def test_an_opening_message_that_waits_for_proof_is_sent(home: Path, replies: str) -> None:
    with players(home, replies) as town:
        town.write(BOB, f"set bob {PASSWORD} challenges=ask")
        letters = town.write(ANN, "perudo challenge ann bob", "Shall we play, bob?\n")
        (told,) = [each for each in letters if each.to == ANN]
        assert not [each for each in letters if "Shall we" in each.text and each.to == BOB]
        sent = press(town, buttons(told)["Send the message"])
        assert [each.to for each in sent if "Shall we play, bob?" in each.text] == [BOB]


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
    """Neither a password nor an address is ever changed by it, nor an account closed."""
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
    """A challenge beside it waits for proof, and its words for the others, too."""
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
        assert ("The time in which this button works is over" in told) == is_blocked(town)
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
