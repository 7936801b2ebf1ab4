"""Signing up: who is asked for a yes in words, and which userids and addresses are refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from sqlalchemy import select

from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.intake.kept_emails import retention
from pbmserv.monitoring import action_log
from tests.stories.town import OUR_ADDRESS, PASSWORD, Letter, Town, town_at

OURS = "mx.perudo.example"
PROVEN = {"Authentication-Results": f"{OURS}; dmarc=pass header.from=example.org"}
ANN = "ann@example.org"
FORTNIGHT = 14 * 24 * 60 * 60  # seconds


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    """A town whose mail server proves senders; nobody has an account."""
    with town_at(home, settings=f'authserv_id = "{OURS}"\n') as town:
        yield town


def one_line(letter: Letter) -> str:
    return " ".join(letter.text.split())


def works_after(letters: Sequence[Letter]) -> bool:
    return letters[-1].subject.startswith("Your account works")


def works(town: Town) -> bool:
    return bool(town.letters) and town.letters[-1].subject.startswith("Your account works")


@pytest.mark.parametrize("text", ["", "Hello", "Hello!"])
def test_any_reply_confirms_a_proven_request(town: Town, text: str) -> None:
    (letter,) = town.write(ANN, f"signup ann {PASSWORD}", headers=PROVEN)
    assert "Just reply to this letter" in letter.text
    town.reply(letter, text)
    assert works(town)


@pytest.mark.parametrize("text", ["", "Hello", "Hello!"])
@pytest.mark.parametrize(
    "signup",
    [
        (ANN, f"signup ann {PASSWORD}", None),  # may be forged
        ("mallory@example.org", f"signup ann {PASSWORD} {ANN}", None),
        ("mallory@example.org", f"signup ann {PASSWORD} {ANN}", PROVEN),
    ],
    ids=["unproven", "other", "proven-other"],
)
def test_an_unproven_request_needs_the_word_yes(
    town: Town, signup: tuple[str, str, dict[str, str] | None], text: str
) -> None:
    sender, subject, headers = signup
    letters = town.write(sender, subject, headers=headers)
    (letter,) = [each for each in letters if each.to == ANN]
    assert "with the word yes on the first line" in letter.text
    assert "is deleted after 14 days" in letter.text
    town.reply(letter, text)
    assert not works(town)
    town.reply(letter, "yes")
    assert works(town)


def test_the_subject_with_the_token_is_a_yes(town: Town) -> None:
    (letter,) = town.write(ANN, f"signup ann {PASSWORD}")
    town.write(ANN, f"confirm {letter.token}")
    assert works(town)


def test_a_password_in_a_wrong_place_of_a_sign_up_is_never_shown(town: Town) -> None:
    """In "Sign up as ann swordfish" the password is in the place of an address."""
    subjects = [f"Sign up as ann {PASSWORD}", f"Register ann with {PASSWORD}"]
    subjects += [f"signup dora with password {PASSWORD}", f"Sign up ann / {PASSWORD}"]
    for number, subject in enumerate(subjects):
        (told,) = town.write(f"zoe{number}@example.org", subject)
        assert "Your command was refused" in told.text
        assert PASSWORD not in told.body


def test_a_sentence_about_signing_up_makes_no_account(town: Town) -> None:
    subjects = ["Sign up for Perudo", "Register me please", "Inscription au perudo"]
    for number, subject in enumerate([*subjects, "Signup for perudo"]):
        (told,) = town.write(f"zoe{number}@example.org", subject)
        assert not told.is_to_be_confirmed
        assert "signup USERID PASSWORD" in told.text


@pytest.mark.parametrize(
    "address", [OUR_ADDRESS, "PERUDO+x@localhost", "perudo+b-AAAAAAAAAAAAAAAAAAAAAAAA@localhost"]
)
@pytest.mark.parametrize("command", ["signup", "change address"])
def test_an_address_of_ours_is_refused(town: Town, command: str, address: str) -> None:
    town.sign_up("ann")
    userid = "bob" if command == "signup" else "ann"
    (letter,) = town.write(ANN, f"{command} {userid} {PASSWORD} bob@example.org {address}")
    assert "belongs to this server" in " ".join(letter.text.split())


@pytest.mark.parametrize("userid", ["ann.", "Iann", "a-nn"])
def test_a_look_alike_is_refused(town: Town, userid: str) -> None:
    town.sign_up("ann")
    (letter,) = town.write("mallory@example.org", f"signup {userid} {PASSWORD}")
    assert "looks like ann, the userid of somebody else" in " ".join(letter.text.split())


def test_an_unconfirmed_account_is_deleted_after_14_days(town: Town) -> None:
    """At the first look for what is old: there is one in six hours."""
    town.write(ANN, f"signup ann {PASSWORD}")
    for seconds, left in ((FORTNIGHT - 1, ["ann"]), (retention.PAUSE, [])):
        town.now += seconds
        town.app.tick("town")
        with reading(town.engine) as connection:
            known = connection.execute(select(models.Player.userid)).scalars().all()
            rows = connection.execute(select(models.Address.id)).all()
        assert known == left
        assert len(rows) == len(left)
    town.sign_up("ann")
    assert works(town)


@pytest.mark.parametrize(
    "line",
    [
        "perudo preview 1 ann Swordfish7 2-3s",
        "perudo preview 1 Swordfish7",
        f"perudo move 1 ann {PASSWORD} Swordfish7 2-3s",
        f"perudo queue 1 ann {PASSWORD} Swordfish7 2-3s",
    ],
)
def test_a_password_among_the_words_of_a_move_is_not_shown_again(town: Town, line: str) -> None:
    town.sign_up("ann", "bob")
    town.challenge("ann", "bob")
    (letter,) = town.write(ANN, line)
    assert "Swordfish7" not in letter.text
    assert "********" in letter.text


def test_an_emergency_stops_signups_and_answers_to_strangers(town: Town) -> None:
    """Players play on; what was asked before may still be confirmed; then all is as before."""
    town.sign_up("ann", "bob")
    (letter,) = town.write("eve@example.org", f"signup eve {PASSWORD}")
    with writing(town.engine) as connection:
        action_log.note(connection, action_log.EMERGENCY, town.now, about=action_log.ON)
    assert town.write("zoe@example.org", f"signup zoe {PASSWORD}") == []
    assert town.write("zoe@example.org", "help") == []
    assert "opens no new accounts" in town.write(ANN, f"signup ann2 {PASSWORD}")[0].text
    assert works_after(town.reply(letter, "yes"))
    assert town.write(ANN, f"perudo showas ann {PASSWORD} all")
    with writing(town.engine) as connection:
        action_log.note(connection, action_log.EMERGENCY, town.now, about=action_log.OFF)
    assert town.write("zoe@example.org", f"signup zoe {PASSWORD}")


def test_the_right_sign_up_is_answered_after_a_refused_one(home: Path) -> None:
    """The refusal says so; it was the one answer of the day to an address without an account."""
    with town_at(home, is_unhurried=False) as town:
        (told,) = town.write(ANN, "signup ann abc")
        assert "send the right Subject at once: it is answered today, too" in " ".join(
            told.text.split()
        )
        assert town.write(ANN, "signup ann abc") == []
        assert town.write(ANN, "hello") == []
        (asked,) = town.write(ANN, f"signup ann {PASSWORD}")
        assert "Welcome, ann!" in asked.text


def test_a_reply_to_a_used_confirmation_proves_who_wrote_it(home: Path) -> None:
    """No other address got the token.  From elsewhere it proves nothing."""
    with town_at(home, settings="unproven_daily = 2\n") as town:
        (letter,) = town.write(ANN, f"signup ann {PASSWORD}")
        town.reply(letter, "yes")
        town.sign_up("bob")
        for sender, is_proven in (("bob@example.org", False), (ANN, True)):
            subject = f"Re: {letter.subject}"
            told = [town.write(sender, subject, "list", to=letter.reply_to) for _ in range(4)]
            doubted = [each for some in told for each in some if "Nothing proves" in each.text]
            assert (all(told), not doubted) == (is_proven, is_proven)


@pytest.mark.parametrize("answered", [0, 1])
def test_who_signs_up_again_before_the_yes_is_asked_again(town: Town, answered: int) -> None:
    """Both letters confirm the account.  Its password is the first: the second may be forged."""
    letters = [*town.write(ANN, f"signup ann {PASSWORD}"), *town.write(ANN, "signup Ann other77")]
    assert [each.subject for each in letters] == ["Please confirm your address, ann"] * 2
    assert "its password is that of your first email" in one_line(letters[1])
    town.reply(letters[answered], "yes")
    assert works(town)
    (told,) = town.write("ann@elsewhere.example", "set ann other77")
    assert "Wrong user name or password" in told.text
    (told,) = town.write("ann@elsewhere.example", f"set ann {PASSWORD}")
    assert "Your preferences, ann." in told.text


@pytest.mark.parametrize("userid", ["ann", "ANN", "a-nn"])
def test_who_has_the_account_is_told_so_at_its_address_alone(town: Town, userid: str) -> None:
    """From another address the userid is taken, and nothing goes to the owner."""
    town.sign_up("ann")
    (told,) = town.write(ANN, f"signup {userid} other77")
    assert "You already have an account with this address: ann." in one_line(told)
    assert "  reset ann" in told.text
    (told,) = town.write("mallory@example.org", f"signup {userid} other77")
    assert told.to == "mallory@example.org"
    assert "choose a different one" in one_line(told)
    assert ANN not in told.raw.decode()
    assert "already have" not in one_line(told)


def test_who_asks_for_a_second_account_is_told_of_the_first_at_its_address_alone(
    town: Town,
) -> None:
    town.sign_up("ann")
    (told,) = town.write(ANN, f"signup bea {PASSWORD}")
    assert "Your address has the account ann." in one_line(told)
    told, other = sorted(
        town.write("mallory@example.org", f"signup eve {PASSWORD} {ANN}"), key=lambda one: one.to
    )
    assert (told.to, other.to) == (ANN, "mallory@example.org")
    assert "Your address has the accounts" not in told.text
    assert "Your address has the account ann." in one_line(told)
    assert "has the account" not in one_line(other)


@pytest.mark.parametrize("subject", ["perudo challenge ann house", "hello, I want to play"])
def test_who_has_not_confirmed_yet_is_told_to_confirm(town: Town, subject: str) -> None:
    """Not to sign up: they have done that."""
    town.write(ANN, f"signup ann {PASSWORD}")
    (told,) = town.write(ANN, subject)
    assert "You asked for the account ann. It works once you reply yes" in one_line(told)
    assert "1. Open an account" not in told.text
    (letter,) = town.write(ANN, f"signup ann {PASSWORD}")
    assert letter.is_to_be_confirmed


@pytest.mark.parametrize(
    ("signup", "told"),
    [
        ("inscription luc luc@x.example MOT", "Un nom et un mot de passe sont chacun un seul mot."),
        ("signup ann smith ann@x.example PASSWORD", "A name and a password are one word each."),
        ("registro luc perez clave99", "Un nombre y una contraseña son una sola palabra cada uno."),
        ("регистрация luc ivanov secret99", "Имя и пароль — по одному слову."),
        ("signup ann.smith@x.example secret99", "A userid has 2 to 20 letters"),
    ],
)
def test_a_sign_up_with_a_mistake_is_answered_after_the_answer_of_the_day(
    town: Town, signup: str, told: str
) -> None:
    """Once a day: the From may be forged."""
    luc = "luc@elsewhere.example"
    assert len(town.write(luc, "hello")) == 1
    assert town.write(luc, "hello again") == []
    (answer,) = town.write(luc, signup)
    assert told in one_line(answer).replace("\xa0", " ")
    assert "signup ann some-long-words" in answer.text
    assert town.write(luc, signup) == []
    assert town.write(luc, "hello") == []
    assert town.write(luc, f"signup luc {PASSWORD}")[0].is_to_be_confirmed
    town.now += 24 * 60 * 60
    assert len(town.write(luc, signup)) == 1


def test_a_sign_up_with_a_mistake_may_be_the_answer_of_the_day(town: Town) -> None:
    luc = "luc@elsewhere.example"
    assert len(town.write(luc, "signup luc perez secret99")) == 1
    assert town.write(luc, "hello") == []
    assert town.write(luc, "signup luc perez secret99") == []
