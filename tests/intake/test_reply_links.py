"""Emails that links of letters open are understood, with plus addresses and without them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import select

from pbmserv.database import models
from pbmserv.database.engine import reading
from pbmserv.intake.stored_mail import without_passwords
from pbmserv.letters.reply_link import reply_link
from pbmserv.mail.incoming import IncomingMail
from tests.letters.pages import Anchor, read
from tests.stories.town import OUR_ADDRESS, PASSWORD, Letter, Town, answering, mail, town_at

ANN, BOB, CLEO, MIA = (
    "ann@example.org", "bob@example.org", "cleo@example.org", "mia@friends.example",
)  # fmt: skip
REPLIES = ("plus", "plain")
QUOTED = (
    "On Mon, 20 Nov 2023 at 22:13, Perudo game server wrote:\n> It is your turn.\n> Your dice: "
)
BELOW = (
    "",
    "Bob Builder\nCEO of Something",
    "Sent from my phone",
    "\n\nSent from my iPhone",
    "Get Outlook for Android",
    "Bob\n-- \nBob Builder again",
    f"\n{QUOTED}1 2 3 4 5\n",
    f"Bob\n\n{QUOTED}1 2 3 4 5\n> Please move.\n\nSent from my iPhone",
    "_______\nThis email is confidential and intended only for its recipient.",
)
"""What mail programs put below the mark of the signature, or leave of it."""
MARKS = ("-- ", "--", "—", "--\u00a0")  # what they make of that mark
ALREADY = re.compile(
    "You have already made move|Your move was not made: move|has already begun"
    "|: you (?:left|resigned from) board 1"
)


@contextmanager
def played(home: Path, replies: str, more: str = "") -> Iterator[Town]:
    """A server with this setting, and `more`, where ann and bob have accounts."""
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "pbmserv.toml").write_text(f'replies = "{replies}"\n{more}\n')
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        yield town


def token_of(letter: Letter) -> str:
    return str(letter.message["Message-ID"]).partition("@")[0].rpartition(".")[2]


def pressed(
    town: Town,
    letter: Letter,
    word: str,
    move: int | None = None,
    change: tuple[str, str] = ("", ""),
    below: str = "",
) -> list[Letter]:
    """The letters for an answer that a link of a letter opened, with a change and more text."""
    replies, token = town.settings.replies, token_of(letter)
    found = reply_link(
        word, address=OUR_ADDRESS, token=token, replies=replies, subject=letter.subject, move=move
    )
    text = found.body.replace(*change) + below
    return town.write(letter.to, found.subject, text, to=found.address)


def one(letters: list[Letter]) -> str:
    """The words of the only letter."""
    (letter,) = letters
    return " ".join(letter.text.split())


@pytest.mark.parametrize("replies", REPLIES)
def test_a_move_is_made_and_what_stands_below_it_goes_to_nobody(home: Path, replies: str) -> None:
    with played(home, replies) as town:
        town.challenge("ann", "bob")
        bids = (f"{dice}-{face}s" for dice in (1, 2, 3) for face in range(2, 7))
        mover, other = ANN, BOB
        for number, (below, bid) in enumerate(zip(BELOW, bids, strict=False)):
            mark = MARKS[number % len(MARKS)]
            told = pressed(town, town.last_letter_to(mover), bid, number + 1, ("-- ", mark), below)
            assert sorted(each.to for each in told) == sorted((mover, other)), (below, mark)
            for each in told:
                quantity, face = bid.rstrip("s").split("-")
                words = f"{('one', 'two', 'three')[int(quantity) - 1]} {face}"
                assert words in each.opening, (below, mark)
                assert "writes:" not in each.text and "Builder" not in each.text
            mover, other = other, mover


@pytest.mark.parametrize("replies", REPLIES)
def test_pressed_twice_late_or_in_an_old_letter_it_changes_nothing(
    home: Path, replies: str
) -> None:
    with played(home, replies) as town:
        first = town.challenge("ann", "bob")[0]
        pressed(town, first, "2-2s", 1)
        answer = town.last_letter_to(BOB)
        assert ALREADY.search(one(pressed(town, first, "2-2s", 1)))  # twice
        assert ALREADY.search(one(pressed(town, first, "3-2s", 1)))  # another button of it
        assert ALREADY.search(one(pressed(town, first, "accept")))
        pressed(town, answer, "3-2s", 2)
        for word in ("2-2s", "dudo", "calza"):
            letters = pressed(town, first, word, 1)  # ann is on turn again
            assert ALREADY.search(one(letters)) and letters[0].to == ANN
            assert letters[0].subject == "Perudo board 1"
            assert "Nothing was changed" not in letters[0].text
        with reading(town.engine) as connection:
            assert connection.execute(select(models.Board.move)).scalar_one() == 3
        latest = [each for each in town.letters if each.to == ANN and "turn" in each.subject][-1]
        letters = pressed(town, latest, "dudo", 3)
        assert any("You called dudo" in each.text for each in letters)


@pytest.mark.slow
@pytest.mark.parametrize("replies", REPLIES)
def test_every_other_word_is_understood_and_harmless_a_second_time(
    home: Path, replies: str
) -> None:
    with played(home, replies) as town:
        (asked,) = town.write(CLEO, f"signup cleo {PASSWORD}")
        assert "your account works" in one(pressed(town, asked, "confirm"))
        assert "is confirmed" in one(pressed(town, asked, "confirm"))
        town.write(BOB, f"set bob {PASSWORD} challenges=ask")
        town.challenge("ann", "bob")
        invited = town.last_letter_to(BOB)
        assert "A new game" in pressed(town, invited, "accept")[0].text
        for word in ("accept", "reject"):
            assert ALREADY.search(one(pressed(town, invited, word)))
        begun = town.last_letter_to(ANN)
        said = pressed(town, begun, "chat", change=("chat\n", "chat\nHi there!"))
        assert [each.to for each in said if "| Hi there!\n" in each.text] == [BOB]
        assert "Your message is empty" in one(pressed(town, begun, "chat"))
        pressed(town, begun, "propose", 1)
        offer = town.last_letter_to(BOB)
        assert "You reject the draw" in " ".join(
            each.opening for each in pressed(town, offer, "reject")
        )
        assert "Nobody has proposed a draw" in one(pressed(town, offer, "reject"))
        assert " wins." in " ".join(
            " ".join(each.text.split()) for each in pressed(town, begun, "resign", 1)
        )
        assert ALREADY.search(one(pressed(town, begun, "resign", 1)))
        end = town.last_letter_to(BOB)
        assert any("board 2" in each.subject for each in pressed(town, end, "rematch"))
        assert "This is the rematch of board 1." in one(pressed(town, end, "rematch"))
        asked_to_play = town.challenge("ann", "cleo")[-1]
        declined = pressed(town, asked_to_play, "decline")
        assert any("You have declined the game" in each.text for each in declined)
        assert "This game is over." in one(pressed(town, asked_to_play, "decline"))


@pytest.mark.parametrize("replies", REPLIES)
def test_the_receipts_of_an_invitation_and_of_a_yes_take_it_back(home: Path, replies: str) -> None:
    with played(home, replies) as town:
        town.sign_up("cleo")
        for guest in (BOB, CLEO):
            name = guest.partition("@")[0]
            town.write(guest, f"set {name} {PASSWORD} challenges=ask")
        (receipt,) = [each for each in town.challenge("ann", "bob", "cleo") if each.to == ANN]
        accepted = pressed(town, town.last_letter_to(BOB), "accept")
        (own,) = [each for each in accepted if each.to == BOB]
        assert "To change your mind" in own.text
        assert "You have rejected the invitation" in told_to(BOB, pressed(town, own, "reject"))
        assert "never began" in one(pressed(town, own, "reject"))
        (receipt,) = [each for each in town.challenge("ann", "bob", "cleo") if each.to == ANN]
        assert "To call it off" in receipt.text
        assert "You have called off" in told_to(ANN, pressed(town, receipt, "reject"))
        assert "never began" in one(pressed(town, receipt, "reject"))


def told_to(reader: str, letters: list[Letter]) -> str:
    """The words of the only letter to a reader."""
    return one([each for each in letters if each.to == reader])


@pytest.mark.parametrize("replies", REPLIES)
def test_a_guest_answers_with_one_touch(home: Path, replies: str) -> None:
    with played(home, replies) as town:
        (asked,) = town.write(ANN, f"perudo challenge ann {MIA}")
        letters = town.write(
            ANN, "Re: x", f"perudo challenge ann {MIA}", to=asked.reply_to, headers=answering(asked)
        )
        invited = next(each for each in letters if each.to == MIA)
        assert "Welcome, mia!" in " ".join(
            each.opening for each in pressed(town, invited, "yes mia")
        )
        for word in ("yes mia", "no"):
            assert "You have a seat at board 1 already." in one(pressed(town, invited, word))


@pytest.mark.parametrize("replies", REPLIES)
def test_a_link_changed_by_an_old_program_does_no_harm(home: Path, replies: str) -> None:
    """A plus that became a blank proves nothing, and lost line breaks are asked about."""
    with played(home, replies) as town:
        letter = town.challenge("ann", "bob")[0]
        asked = pressed(town, letter, "2-2s", 1, ("\n", " "), "Ann")
        assert "What did you mean?" in [each.subject for each in asked]
        raw = (
            f"From: {ANN}\r\nTo: perudo {token_of(letter)}@localhost\r\nMessage-ID: <blank@x>\r\n"
            f"Subject: Re: {letter.subject}\r\n\r\n2-2s #1\r\n\r\n-- \r\n"
        )
        (told,) = town.carry(raw.encode(), ANN, OUR_ADDRESS)
        assert told.to == ANN and "no command" in told.text
        with reading(town.engine) as connection:
            assert connection.execute(select(models.Board.move)).scalar_one() == 1
        made = pressed(town, letter, "2-2s", 1, (" ", "\u00a0"))
        assert "You bid two 2s." in [each.opening for each in made]


def test_a_token_in_a_subject_is_shown_and_kept_nowhere(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    with played(home, "plain") as town:
        letter = town.challenge("ann", "bob")[0]
        token = token_of(letter)
        subject = f"Your turn: Perudo board 1 {token}"
        letters = [
            *town.write(ANN, subject, "duddo?"),
            *town.write(ANN, f"Re: {subject}"),
            *town.write("eve@example.net", f"Fwd: {subject}", "duddo?"),
            *town.write(ANN, f"Re: {subject}", f"2-2s\nHello Bob, this is {token}!"),
        ]
        assert any("You bid two 2s" in each.text for each in letters)
        for each in letters:
            assert token.lower() not in f"{each.subject} {each.body}".lower()
        assert "email by" in caplog.text and token.lower() not in caplog.text.lower()
        with reading(town.engine) as connection:
            for table in (models.InboxMail, models.OperatorAlert, models.Talk):
                rows = connection.execute(select(table.__table__)).all()
                assert token.lower() not in repr(rows).lower()


def test_an_email_that_is_kept_without_its_passwords_keeps_its_token(home: Path) -> None:
    """It is carried out later as it would have been at once."""
    with played(home, "plain") as town:
        subject = f"Re: Your turn: Perudo board 1 {token_of(town.challenge('ann', 'bob')[0])}"
        raw = mail(ANN, subject, f"perudo showas ann {PASSWORD} 1", message_id="<1@x>")
        reader = town.processor.request_reader
        request = reader.open(IncomingMail(raw, ANN, OUR_ADDRESS, "smtp"), town.now)
        kept = without_passwords(request)
        assert PASSWORD.encode() not in kept.raw
        again = reader.open(kept, town.now)
        assert again.mail.tokens == request.mail.tokens != ()
        assert (again.answered, again.mail.subject) == (request.answered, request.mail.subject)


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
