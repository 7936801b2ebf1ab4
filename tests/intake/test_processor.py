"""What an email may do, and whom it may reach."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import pytest
from sqlalchemy import select, update

from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.mail.incoming import IncomingMail
from tests.stories.town import OUR_ADDRESS, PASSWORD, Letter, Town, mail

BROKEN = f"perudo showas ann {PASSWORD} 1"  # what nobody can carry out while `broken`


def incoming(
    town: Town, who: str, subject: str, text: str = "", to: str = OUR_ADDRESS, **headers: str
) -> IncomingMail:
    number = town.next_message_id()
    address = f"{who}@example.org"
    raw = mail(address, subject, text, message_id=number, to=to, headers=headers)
    return IncomingMail(raw, address, to, "smtp")


def inbox(town: Town, *columns: str) -> list[tuple[Any, ...]]:
    """These columns of the emails that came after the furnishing."""
    wanted = [getattr(models.InboxMail, column) for column in columns]
    query = select(*wanted).where(models.InboxMail.id > 5).order_by(models.InboxMail.id)
    with reading(town.engine) as connection:
        return [tuple(row) for row in connection.execute(query)]


def break_board(town: Town, recent: str = "{") -> None:
    """Write a value into the board that no program of ours writes: reading it is a bug."""
    with writing(town.engine) as connection:
        connection.execute(update(models.Board).values(recent=recent))


def subjects(letters: list[Letter]) -> list[tuple[str, str]]:
    return [(letter.to.partition("@")[0], letter.subject) for letter in letters]


def test_a_stranger_is_told_of_bugs_once_a_day(town: Town) -> None:
    """Even a bug must not cause endless answers."""
    break_board(town)
    for _ in range(2):
        town.processor.accept([incoming(town, "zoe", "perudo show 1")])
        for _ in range(3):
            town.processor.work()
    assert [each.to for each in town.delivered()] == ["zoe@example.org"]
    assert inbox(town, "state") == [("aside",), ("aside",)]


def test_an_email_to_two_of_our_addresses_acts_once(town: Town) -> None:
    """An email for several recipients arrives once for each of them."""
    first = incoming(town, "ann", f"perudo move 1 ann {PASSWORD} 2-2s")
    other = IncomingMail(first.raw, first.envelope_sender, "perudo+else@localhost", "smtp")
    town.processor.accept([first, other])
    assert len(town.delivered()) == 2


def test_an_email_to_many_of_our_addresses_tries_its_passwords_once(town: Town) -> None:
    """A hundred copies of one mistake are one wrong password, and cost the time of one."""
    raw = mail("ann@example.org", "perudo showas ann wrongword", message_id="<1@x>")
    to = [f"perudo+{number}@localhost" for number in range(100)]
    town.processor.accept([IncomingMail(raw, "ann@example.org", each, "smtp") for each in to])
    town.delivered()
    (letter,) = town.write("ann@example.org", f"set ann {PASSWORD}")
    assert letter.subject == "The preferences of ann"


def test_the_same_number_from_another_writer_is_another_email(town: Town) -> None:
    first = incoming(town, "ann", "help")
    raw = first.raw.replace(b"ann@", b"bob@")
    town.processor.accept([first, IncomingMail(raw, "bob@example.org", OUR_ADDRESS, "smtp")])
    assert len(town.delivered()) == 2


def test_a_letters_token_speaks_for_its_reader_only(town: Town) -> None:
    """Written as a password it is good for its own player, board and move; no longer alone."""
    town.challenge("ann", "bob")
    letter = town.last_letter_to("ann@example.org")
    assert letter.subject == "Your turn: Perudo board 2"
    for words in (f"2 bob {letter.token}", f"2 nemo {letter.token}", f"1 ann {letter.token}"):
        (answer,) = town.write("ann@example.org", f"perudo move {words} 2-2s")
        assert "Wrong user name or password" in answer.text, words
    assert len(town.write("ann@example.org", f"perudo move 2 ann {letter.token} 2-2s")) == 2
    (answer,) = town.write("ann@example.org", f"perudo move 2 ann {letter.token} 2-2s")
    assert "You have already made move 1 of board 2: you bid 2-2s." in " ".join(answer.text.split())


def test_a_forged_token_is_invalid(town: Town) -> None:
    """The last 80 of 160 bits are proof. A changed token is read as no token."""
    letter = town.last_letter_to("ann@example.org")
    forged = letter.reply_to.replace(letter.token[:8].lower(), "aaaaaaab")
    (answer,) = town.write("ann@example.org", "Re: x", "2-2s", to=forged)
    assert "no command" in answer.text or "no such command" in answer.text


def test_help_may_be_asked_for_at_any_command(town: Town) -> None:
    (letter,) = town.write("ann@example.org", "perudo move --help")
    assert letter.subject == "Help: move"


def test_a_message_can_be_given_on_the_line(town: Town) -> None:
    """`--message=` is for shells, but says the same in an email; a lone dash is nothing."""
    letters = town.move("ann", "2-2s --message=Hello")
    assert "ann writes:\n| Hello\n" in letters[1].text
    letters = town.move("bob", "3-2s --message=-")
    assert "writes:" not in letters[0].text
    (refused,) = town.write("ann@example.org", "x", f"perudo move 1 ann {PASSWORD} 4-2s --colour=1")
    assert 'no option "--colour"' in refused.text


def test_people_may_write_about_perudo_below_their_move(town: Town) -> None:
    """Prose that begins with a game word is prose; a command is not passed on."""
    said = (
        "Perudo is fun!\nperudo show 1 is how to see it.\npbmserv rocks\n"
        f"perudo mooove 1 ann {PASSWORD} dudo"
    )
    letters = town.move("ann", "2-2s", text=said)
    assert (
        "| Perudo is fun!\n| perudo show 1 is how to see it.\n| pbmserv rocks\n\n"
        in letters[1].text
    )


@pytest.mark.slow
def test_a_wide_command_costs_little(town: Town) -> None:
    """A line of thousands of names or boards is cut before anybody looks them up."""
    many = " ".join(f"nobody{number}" for number in range(20_000))
    (letter,) = town.write("ann@example.org", "multiple", f"perudo challenge {many}\n")
    assert "Perudo needs two to six players" in letter.text
    assert len(letter.raw) < 20_000
    letters = town.write("ann@example.org", "perudo show " + "1 " * 500)
    assert len(letters) == 1
    town.move("ann", "2-2s")
    town.move("bob", "3-2s")  # strangers could not have so many boards
    for _ in range(10):
        town.challenge("ann", "bob")
        town.challenge("bob", "ann")
    boards = " ".join(str(number) for number in range(1, 22))
    assert len(town.write("ann@example.org", f"perudo show {boards}")) == 20
    letters = town.write("ann@example.org", "perudo show " + "#1 ".join(boards.split()) + "#1")
    assert len(letters) == 5
    letters = town.write("ann@example.org", f"perudo showas ann {PASSWORD} {boards}")
    assert len(letters) == 20


def test_only_one_process_handles_the_clock(town: Town) -> None:
    """Every deadline is handled once. Another process takes over after a long absence."""
    town.app.tick("first")
    town.now += 7 * 24 * 3600
    town.app.tick("first")  # after such a gap every deadline is moved
    town.now += 60
    assert town.app.tick("second") == 0
    town.now += 3600
    with writing(town.engine) as connection:
        connection.execute(update(models.Board).values(due_at=town.now))
    assert (town.app.tick("second"), town.app.tick("first")) == (1, 0)


def test_one_of_two_moves_at_once_is_played_and_the_other_refused(town: Town) -> None:
    """Both emails are read before either is carried out.  Whose move came late is told so."""
    bids = ("2-2s", "3-2s")
    both = [incoming(town, "ann", f"perudo move 1 ann {PASSWORD} {bid} #1") for bid in bids]
    with ThreadPoolExecutor() as pool:
        with writing(town.engine):
            accepted = [pool.submit(town.processor.accept, [each]) for each in both]
            assert wait(accepted, timeout=0.1).done == set()
        assert [each.result() for each in accepted] == [[], []]
    letters = town.delivered()
    (played,) = [each for each in letters if each.to == "bob@example.org"]
    (late,) = [each for each in letters if "board 1 is at move 2" in each.text]
    assert late.to == "ann@example.org"
    assert played.subject.startswith("Your turn")
    assert inbox(town, "state") == [("done",), ("done",)]
