"""Which addresses may be invited, with which words, and how many in a day."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.lobby import address_checks
from pbmserv.monitoring import action_log
from pbmserv.timeunits import DAY
from tests.lobby.inviting import ANN, BOB, MIA, NOAH, invited, invites, three_players
from tests.stories.town import PASSWORD, Town, town_at


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    """Three players whose accounts are four days old."""
    with three_players(home) as town:
        yield town


def test_an_address_is_invited_once_in_a_year_and_a_player_once_a_day(town: Town) -> None:
    town.reply(invited(town), "no")
    assert [each.to for each in invites(town, "bob", f"bob {MIA}")] == [BOB]
    town.now += 366 * DAY
    letter = invited(town, "bob")
    town.reply(letter, "yes mia")
    assert [each.to for each in invites(town, "bob", f"bob {MIA}")] == [BOB]
    town.now += 2 * DAY
    assert invited(town, "ann").to == MIA


def test_the_invitations_of_a_day_are_few(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    friends = [f"friend{number}@site{number}.example" for number in range(5)]
    (answer,) = invites(town, "ann", f"ann {' '.join(friends[:4])}")
    assert "You can invite 3 addresses in 24 hours." in answer.text
    assert len(invites(town, "ann", f"ann {' '.join(friends[:3])}")) == 4
    (answer,) = invites(town, "ann", f"ann {friends[3]}")
    assert "You can invite 3 addresses in 24 hours." in answer.text
    monkeypatch.setattr(address_checks, "DOMAIN_DAILY", 1)
    (answer,) = invites(town, "bob", "bob x@a.example y@b.a.example")
    assert "too many addresses at a.example today" in " ".join(answer.text.split())
    town.now += DAY + 1
    assert len(invites(town, "ann", f"ann {friends[3]}")) == 2


def test_the_whole_server_invites_few_a_day_and_the_operator_is_told(home: Path) -> None:
    with town_at(home, settings="invitations_daily = 2\n") as town:
        town.sign_up("ann", "bob")
        assert len(invites(town, "ann", f"ann {MIA}")) == 2
        (answer,) = invites(town, "ann", f"ann {NOAH}")  # the account is new
        assert "You can invite 1 address in 24 hours." in answer.text
        town.now += 4 * DAY
        (answer,) = invites(town, "ann", "ann a@a.example b@b.example c@c.example")
        assert "have invited too many addresses today" in " ".join(answer.text.split())
        assert len(invites(town, "ann", "ann a@a.example b@b.example")) == 3
        with reading(town.engine) as connection:
            alerts = connection.execute(select(models.OperatorAlert.about)).scalars().all()
        assert "invitations by address" in alerts


def test_only_a_proven_player_invites(town: Town) -> None:
    (answer,) = town.write(ANN, f"perudo challenge ann {MIA}")
    assert "We could not check that you wrote this email" in answer.text
    assert town.reply(answer, f"perudo challenge ann {MIA}")[0].to == MIA
    with writing(town.engine) as connection:
        action_log.note(connection, action_log.EMERGENCY, town.now, about=action_log.ON)
    (answer,) = invites(town, "bob", f"bob {NOAH}")
    assert "refused" in answer.subject


WRONG = {
    "ann postmaster@example.com": "is not an address of one person",
    "ann No-Reply@example.com": "is not an address of one person",
    "ann abuse+x@example.com": "is not an address of one person",
    "ann perudo-announce@example.com": "is not an address of one person",
    "ann root@example.com": "is not an address of one person",
    "ann Kontakt@example.com": "is not an address of one person",
    "ann customer-service2@example.com": "is not an address of one person",
    "ann dice@Lists.example.com": "is not an address of one person",
    "ann dice@googlegroups.com": "is not an address of one person",
    "ann perudo+x@localhost": "belongs to this server",
    "ann friend@@example.com": "friend@@example.com",
    f"ann {MIA} <MIA@friends.example>": "the same address twice",
    MIA: "perudo challenge ann mia@friends.example",
    f"ann nemo {MIA}": "nemo",
}


def test_addresses_that_cannot_be_invited_are_named(town: Town) -> None:
    wrong = []
    for words, told in WRONG.items():
        letters = invites(town, "ann", words)
        said = " ".join(" ".join(each.text.split()) for each in letters)
        if [each.to for each in letters] != [ANN] or told not in said:
            wrong.append((words, said))
    assert wrong == []


UNFIT = [
    "See https://spam.example",
    "see spam.example",
    "see spam ． example: spam．example",
    "buy at www spam",
    "spam dot com",
    "call 0900 123 456",
    "call ０９００１２３４５",
    "sp\u200bam.exa\u200bmple",
    "see i❤.example",
    "see spam.\u034fexample",
    "see spam.\u0301example",
    "see spam[.]example",
    "see spam (dot) com",
    "see spam [dot] com",
    "call 0900_123_456",
    "x" * 301,
    "\n".join("abcdef"),
]


def test_a_message_to_a_guest_advertises_nothing(town: Town) -> None:
    letter = town.challenge("ann", "bob")[0]
    unrefused = []
    for text in UNFIT:
        town.now += DAY  # the answers of a day are few
        (answer, *_) = town.reply(letter, f"perudo challenge ann {MIA}\n\n{text}")
        if "refused" not in answer.subject:
            unrefused.append(text)
    assert unrefused == []
    letters = town.reply(letter, f"perudo challenge ann {MIA}\n\nHello Mia, it is fun!\nAnn")
    assert "ann writes:\n| Hello Mia, it is fun!\n\n" in letters[0].text


def test_no_userid_that_looks_like_a_link_is_shown_to_a_guest(town: Town) -> None:
    """A mail program makes a link of it, in the Subject too; other names with dots are harmless."""
    for name in ("cheap-pills.ru", "j.r-smith"):
        (asked,) = town.write(f"{name}@example.org", f"signup {name} {PASSWORD}")
        town.reply(asked, "yes")
    town.now += 4 * DAY
    for who, names in (("cheap-pills.ru", "cheap-pills.ru"), ("ann", "ann cheap-pills.ru")):
        (refused,) = invites(town, who, f"{names} {MIA}")
        assert '"cheap-pills.ru" may look like a link' in " ".join(refused.text.split())
    assert invites(town, "j.r-smith", f"j.r-smith {MIA}")[0].to == MIA


def test_an_answer_to_a_letter_that_proves_little_sends_no_words(town: Town) -> None:
    """Somebody else may have that letter: so its words wait for the player's own proof."""
    letters = invites(town, "ann", f"ann {MIA}", "Hello Mia!")
    assert "Hello Mia!" not in letters[0].text
    assert "Your opening message waits" in letters[1].text


NAMES = {
    "Ann Miller": "Ann Miller",
    '"Ann O\'Hara-Lee"': "Ann O'Hara-Lee",
    "J. R. Ångström": "J. R. Ångström",
    "हिन्दी नाम": "हिन्दी नाम",
    "Ann": "Ann",
    "": "",
    "Buy now at spam.example": "",
    "Call 0900123456": "",
    "one two three four five": "",
    "x" * 41: "",
    "Perudo Support": "",
    "ann@example.org": "",
    "Ann ★ Miller": "",
    "spam.\u0301example": "",
}


def test_a_name_is_shown_only_if_it_is_a_name(town: Town) -> None:
    found = {name: address_checks.shown_name(name.strip('"')) for name in NAMES}
    assert found == NAMES
    letter = town.last_letter_to(ANN)
    raw = {"In-Reply-To": str(letter.message["Message-ID"])}
    (told, _) = town.write(f"Ann Miller <{ANN}>", f"perudo challenge ann {MIA}", headers=raw)
    assert "Ann Miller (here: ann) asks you to play Perudo" in " ".join(told.text.split())
