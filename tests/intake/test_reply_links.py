"""Emails that links of letters open are understood, with plus addresses and without them."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import select

from pbmserv.database import models
from pbmserv.database.engine import reading
from pbmserv.intake.kept_emails.stored_mail import without_passwords
from pbmserv.letters.reply_link import reply_link
from pbmserv.mail.incoming import IncomingMail
from tests.intake.links import ALREADY, ANN, BOB, CLEO, MIA, REPLIES, one, played
from tests.stories.town import OUR_ADDRESS, PASSWORD, Letter, Town, answering, mail

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


@pytest.mark.parametrize("word", ["dudo", "calza", "4-2s"])
def test_a_button_in_a_letter_with_words_of_others_makes_its_move(home: Path, word: str) -> None:
    """The number of the move in its email shows that no words are answered."""
    with played(home, "plus") as town:
        town.challenge("ann", "bob", options=("-inorder", "-rules=bga", "-calza=yes"))
        town.move("ann", "3-2s")
        town.write(ANN, f"perudo chat 1 ann {PASSWORD}", "How was your weekend?")
        letters = pressed(town, town.last_letter_to(BOB), word, 2)
        assert {each.to for each in letters} == {ANN, BOB}
        assert "What did you mean?" not in [each.subject for each in letters]


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
