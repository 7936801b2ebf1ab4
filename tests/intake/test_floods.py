"""Floods: we flood no address, and proven email never waits behind unproven email."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from pbmserv.database import models
from pbmserv.database.engine import reading
from pbmserv.intake.unproven_limits import NOT_PROVEN
from pbmserv.mail.incoming import IncomingMail
from tests.stories.town import OUR_ADDRESS, PASSWORD, Letter, Town, answering, mail, town_at

pytestmark = pytest.mark.long

HOUR = 3600
FORGED = "mx.example.org; dmarc=fail header.from=example.org"
PROVEN = "mx.example.org; dmarc=pass header.from=example.org"


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    """A town with the settings of a new server, in which ann and bob play board 1."""
    with town_at(home, settings="unproven_daily = 3\nnewcomers_daily = 3\n") as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob")
        town.now += 24 * HOUR
        yield town


def received(town: Town, sender: str, *subjects: str, text: str = "") -> list[Letter]:
    """Emails from an address, handed over in one batch; the letters that follow at once."""
    raws = [mail(sender, each, text, message_id=town.next_message_id()) for each in subjects]
    town.processor.accept([IncomingMail(raw, sender, OUR_ADDRESS, "smtp") for raw in raws])
    return town.delivered()


def test_email_from_made_up_addresses_delays_no_player(town: Town) -> None:
    """310 KB of it, in emails of 260 bytes, made ann's showas wait for eleven minutes."""
    mails = []
    for number in range(300):
        sender, words = f"zoe{number}@x{number}.example", "word " * 160
        raw = mail(sender, "help", words, message_id=town.next_message_id())
        mails.append(IncomingMail(raw, sender, OUR_ADDRESS, "smtp"))
    assert sum(len(each.raw) for each in mails) > 300_000
    town.processor.accept(mails)
    assert len(town.delivered()) == town.settings.strangers_daily // 4
    (letter,) = town.write("ann@example.org", f"perudo showas ann {PASSWORD} 1")
    assert letter.to == "ann@example.org"


def test_a_forged_from_does_not_use_up_a_players_answers(
    town: Town, caplog: pytest.LogCaptureFixture
) -> None:
    """It brings bob few letters a day, and his own proven email is answered at once.

    The log says why the other emails were not carried out.
    """
    caplog.set_level("INFO", "pbmserv")
    subjects = ["help", "perudo standings", "perudo move 1 bob wrong 2-2s", "hello"] * 16
    assert len(received(town, "bob@example.org", *subjects)) == 2
    for _ in range(70):
        received(town, "bob@example.org", "perudo standings", "help commands")
        town.now += HOUR
    brought = [each for each in town.letters if each.to == "bob@example.org"]
    assert len(brought) <= 3 * 4 + 3, "and the three of the games and the account"
    assert len(town.write("bob@example.org", f"perudo showas bob {PASSWORD} 1")) == 1
    with reading(town.engine) as connection:
        reasons = connection.execute(select(models.InboxMail.reason)).scalars().all()
    assert reasons[-2].endswith(NOT_PROVEN)
    assert f"email in{len(reasons) - 1}: {NOT_PROVEN}" in caplog.messages


INCOMPLETE = {
    f"perudo move 1 bob {PASSWORD}": "MOVE is missing",
    f"perudo move bob {PASSWORD} 2-2s": "MOVE is missing",
    f"perudo queue 1 bob {PASSWORD}": "MOVE is missing",
    f"perudo chat 1 bob {PASSWORD} see you": "There are too many words",
    f"perudo move 1 bob {PASSWORD} -x=1 2-2s": 'no option "-x"',
    f"vacation bob {PASSWORD}": "DAY is missing",
}


def test_the_password_proves_who_writes_an_incomplete_command(town: Town) -> None:
    """So it is answered when strangers have used up the unproven answers of the day."""
    while received(town, "bob@example.org", "perudo move 1 bob wrong 2-2s"):
        pass
    for subject, told in INCOMPLETE.items():
        (answer,) = received(town, "bob@example.org", subject)
        assert told in " ".join(answer.text.split())
        assert PASSWORD not in answer.text
    wrong = "perudo move 1 bob wrong", f"signup bob {PASSWORD}", f"message bob x{PASSWORD}"
    assert received(town, "bob@example.org", *wrong) == []


LAST = "so this is our last answer to such emails today"


def test_the_last_answer_of_the_day_says_so_and_how_to_go_on(town: Town) -> None:
    """Whether it is an answer, or a letter that the email has brought beside."""
    letters = received(town, "bob@example.org", *["help", "perudo games", "standings"] * 2)
    assert [LAST in " ".join(each.text.split()) for each in letters] == [False, True]
    assert "reply to any letter of ours with the command" in " ".join(letters[-1].text.split())
    (answer,) = town.write("bob@example.org", "perudo games", headers=answering(letters[-1]))
    assert LAST not in " ".join(answer.text.split())
    town.now += 24 * HOUR
    letters = received(town, "ann@example.org", "reset ann", "perudo challenge ann bob")
    mine = [each for each in letters if each.to == "ann@example.org"]
    assert [LAST in " ".join(each.text.split()) for each in mine] == [False, False, True]


def test_the_last_answer_to_an_address_of_no_player_says_so(town: Town) -> None:
    """So does one that says that no text was sent, and the short one to a stranger."""
    letter = town.last_letter_to("ann@example.org")
    quoted = "perudo chat\n\n" + "\n".join(f"» {line}" for line in letter.text.split("\n"))
    told = []
    for text in ("perudo show 9", quoted, quoted, quoted):
        to, headers = letter.reply_to, answering(letter)
        told += town.write("ann@work.example", "Re: x", text, to=to, headers=headers)
    last = "No player has this address, so this is our last answer to it today."
    assert [last in " ".join(each.text.split()) for each in told] == [False, False, True]
    assert "I found only a letter to you" in told[-1].text
    only = "No player has this address, so this is our only answer to it today."
    for command in (f"signup zoe {PASSWORD} zoe@other.example", "reset ann", "help"):
        town.now += 25 * HOUR
        (answer,) = [
            each for each in town.write("zoe@example.net", command) if each.to == "zoe@example.net"
        ]
        said = " ".join(answer.text.split())
        assert (only in said) != ("Until you have an account, you get at most one" in said)
    assert [each.to for each in town.write("zoe@example.net", "reset ann")] == ["ann@example.org"]


def test_a_question_about_an_unclear_yes_is_not_called_the_last_letter(town: Town) -> None:
    """It is asked once for each letter, together with other letters of the day."""
    town.write("ann@example.org", f"signoff ann {PASSWORD}")
    to = f"perudo+{town.asked_of('ann@example.org')}@localhost"
    (asked,) = town.write("ann@example.org", "Re: goodbye", "I never asked for this!", to=to)
    assert asked.subject == "Was that a yes?"
    assert LAST not in " ".join(asked.text.split())


def test_a_forgotten_password_can_be_reset_after_the_daily_limit(town: Town) -> None:
    """The third letter is kept for it, and so is the email that sets the password."""
    assert len(received(town, "bob@example.org", *["help"] * 4)) == 2
    assert received(town, "bob@example.org", "reset ann") == []
    (letter,) = received(town, "bob@example.org", "Reset Bob")
    assert letter.subject.startswith("A new password")
    assert received(town, "bob@example.org", "reset bob") == []
    command = next(line for line in letter.text.splitlines() if line.startswith("  reset bob "))
    token = command.split()[2]
    (told,) = received(town, "bob@example.org", f"reset bob {token} better-one")
    assert told.subject == "Your password was changed, bob"
    assert town.write("bob@example.org", "perudo showas bob better-one 1") != []
    with reading(town.engine) as connection:
        reasons = connection.execute(select(models.InboxMail.reason)).scalars().all()
    assert "reset; " + NOT_PROVEN in reasons


def test_many_lines_bring_no_more_than_many_emails(town: Town) -> None:
    """Boards begun and passwords asked for under a player's name count, too."""
    lines = "\n".join(["perudo challenge bob ann", "reset bob", "perudo standings"] * 5)
    letters = received(town, "bob@example.org", "multiple", "multiple", text=lines)
    assert len([each for each in letters if each.to == "bob@example.org"]) == 2
    assert sum(len(each.raw) for each in letters) < 3 * 16 * 1024


def test_a_reply_to_any_letter_proves_its_writer(town: Town) -> None:
    """Its number went to this one address: somebody who reads there answers."""
    (letter,) = received(town, "ann@example.org", "help")
    received(town, "ann@example.org", "help", "help", "help")
    assert received(town, "ann@example.org", "perudo games") == []
    headers = answering(letter)
    (answer,) = town.write("ann@example.org", "perudo games", headers=headers)
    assert answer.to == "ann@example.org"
    assert town.write("bob@example.org", "perudo games", headers=headers) != []
    received(town, "bob@example.org", *["help"] * 5)
    assert town.write("bob@example.org", "list", headers=headers) == [], "it was not bob's"


def test_a_new_account_cannot_flood_other_addresses(town: Town) -> None:
    """Mallory's own password proves mallory, not whose address the email comes from."""
    town.sign_up("mallory")
    ask = f"set mallory {PASSWORD}"
    assert len(received(town, "victim@elsewhere.example", *[ask] * 20)) == 3
    others = [received(town, f"v{number}@elsewhere.example", ask) for number in range(20)]
    assert sum(map(len, others)) == 7, "ten a day, all in all"
    assert len(received(town, "bob@example.org", *[ask] * 20)) == 2


def test_a_confirmation_letter_proves_only_its_own_address(town: Town) -> None:
    """It can be sent again for 14 days. 30 emails once brought a victim 25 letters of 138 KB."""
    town.sign_up("mallory")
    lines = f"confirm {town.asked_of('mallory@example.org')}\nhelp commands\nperudo standings"
    town.now += 24 * HOUR
    for victim, most in (("victim@elsewhere.example", 3), ("bob@example.org", 2)):
        letters = received(town, victim, *["multiple"] * 20, text=lines)
        brought = [each for each in letters if each.to == victim]
        assert len(brought) <= most
        assert sum(len(each.raw) for each in brought) < 3 * 16 * 1024


@pytest.mark.parametrize("whose", ["nobody's", "mallory's"])
def test_a_token_of_another_player_does_not_raise_the_challenge_limit(
    town: Town, whose: str
) -> None:
    """They begin in the name of the player whose address it is, so that player has to prove it."""
    town.sign_up("mallory")
    own = town.asked_of("mallory@example.org")
    token = {"nobody's": "A" * 26, "mallory's": own}[whose]
    received(town, "bob@example.org", *["help"] * 4)
    lines = f"confirm {token}\nperudo challenge bob ann"
    letters = received(town, "bob@example.org", "multiple", "multiple", text=lines)
    assert [each for each in letters if each.to in {"ann@example.org", "bob@example.org"}] == []


def test_dots_and_plus_parts_of_one_mailbox_count_as_one(town: Town) -> None:
    senders = ["zoe@gmail.com", "z.oe@gmail.com", "Z.O.E+x@googlemail.com", "zoe+y@gmail.com"]
    letters = [each for sender in senders for each in received(town, sender, "help")]
    assert len(letters) == 1
    signups = [f"signup zoe{n} {PASSWORD} {each}" for n, each in enumerate(senders)]
    asked = received(town, "m@mallory.example", *signups)
    assert len([each for each in asked if each.is_to_be_confirmed]) == 3


def test_spellings_of_one_domain_count_as_one(town: Town) -> None:
    senders = ["zoe@example.net", "zoe@example.net.", "Zoe@Example.Net."]
    letters = [each for sender in senders for each in received(town, sender, "help")]
    assert len(letters) == 1


def test_an_email_marked_as_forged_by_the_mail_server_is_not_answered(home: Path) -> None:
    with town_at(home, settings='authserv_id = "mx.example.org"\n') as town:
        town.sign_up("ann", "bob")
        forged = {"Authentication-Results": FORGED}
        for subject in ("help", "signup zoe secret9", "perudo challenge ann bob", "reset ann"):
            assert town.write("ann@example.org", subject, headers=forged) == []
            assert town.write("zoe@example.org", subject, headers=forged) == []
        assert town.write("ann@example.org", f"set ann {PASSWORD}", headers=forged) == []
        lines = "reset ann\nconfirm AAAAAAAAAAAAAAAAAAAAAAAAAA"
        assert town.write("ann@example.org", "multiple", lines, headers=forged) == []
        proven = {"Authentication-Results": PROVEN}
        assert len(town.write("ann@example.org", "help", headers=proven)) == 1


def test_an_old_letter_of_a_players_brings_no_flood(town: Town) -> None:
    """Its token, or its number, proves that somebody had it: twenty answers a day are enough."""
    old = next(each for each in town.letters if each.subject == "Your turn: Perudo board 1")
    town.move("ann", "2-2s")
    town.move("bob", "3-2s")
    topics = [f"help topic{number}" for number in range(30)]
    brought = [town.write("ann@example.org", each, to=old.reply_to) for each in topics]
    headers = answering(old)
    brought += [town.write("ann@example.org", each, headers=headers) for each in topics]
    town.sign_up("mallory")
    lines = [f"set mallory {PASSWORD}\n{each}" for each in topics]
    others = [town.write("ann@example.org", "multiple", each, to=old.reply_to) for each in lines]
    mine = [each for found in (*brought, *others) for each in found if "ann@" in each.to]
    assert len(mine) <= 20, "the password of somebody else does not help"
    latest = [each for each in town.letters if each.subject == "Your turn: Perudo board 1"][-1]
    assert latest.token != old.token
    assert town.write("ann@example.org", "perudo games", to=latest.reply_to) != []
    assert town.write("ann@example.org", f"perudo showas ann {PASSWORD} 1") != []
