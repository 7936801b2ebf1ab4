"""Letters that wait while their reader's addresses change, or end."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import func, select, update

from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.errors import Refused
from pbmserv.maintenance import mail_queue
from pbmserv.security.credentials import Credentials
from tests.stories.town import OUR_ADDRESS, PASSWORD, Letter, Town, mail, town_at

pytestmark = pytest.mark.long

OLD, NEW = "ann@example.org", "ann@example.com"
BOB = "bob@example.org"


@pytest.fixture
def town(any_home: Path) -> Town:  # type: ignore[misc]  # a generator, to pytest a fixture
    with town_at(any_home) as town:
        town.sign_up("ann", "bob")
        yield town


def unsent(town: Town, sender: str, subject: str, text: str = "") -> None:
    """Send an email while no letter can leave."""
    raw = mail(sender, subject, text, message_id=town.next_message_id())
    town.bring(raw, sender, OUR_ADDRESS)


def moves_to(town: Town, *addresses: str) -> list[Letter]:
    """Have ann ask for letters at other addresses; the new ones have not confirmed yet."""
    town.write(OLD, f"change address ann {PASSWORD} {' '.join(addresses)}")
    agreeing = re.search(r"confirm ([A-Z2-7]{26})", town.last_letter_to(OLD, 2).text)
    assert agreeing is not None
    return town.write(OLD, f"confirm {agreeing[1]}")


def has_both(town: Town) -> None:
    """Have ann's letters go to two addresses, and let a minute pass."""
    for asked in moves_to(town, OLD, NEW):
        if asked.to == NEW:
            town.reply(asked, "yes")
    town.now += 60


def stays_at(town: Town, address: str) -> None:
    """Ann leaves her other addresses, at a shell: no letter has to arrive for it."""
    credentials, processor = Credentials(), town.processor
    words = f"change address ann {PASSWORD} {address}"
    (line,) = processor.request_reader.open_text(words, town.now, credentials)
    assert processor.carry_out(line, credentials, "")[0].refusal is None


def signs_off(town: Town, _: str = "") -> list[Letter]:
    """Ann ends her account; returns the last letters about it."""
    (asked,) = [each for each in town.write(OLD, f"signoff ann {PASSWORD}") if each.to == OLD]
    leaving = re.search(r"confirm ([A-Z2-7]{26})", asked.text)
    assert leaving is not None
    return town.write(OLD, f"confirm {leaving[1]}")


def letters_to(town: Town, address: str, subject: str) -> int:
    return sum(each.to == address and each.subject == subject for each in town.letters)


def chats_to(town: Town, address: str) -> int:
    told = (each for each in town.letters if each.opening == "A message from bob.")
    return sum(each.to == address for each in told)


def waiting(town: Town) -> list[tuple[str, str]]:
    """The recipient and the state of each letter that has not been sent."""
    row = models.OutboxLetter
    with reading(town.engine) as connection:
        query = select(row.address, row.state).where(row.state.in_(["due", "held"]))
        return [(each.address, each.state) for each in connection.execute(query)]


def test_a_letter_that_waits_goes_to_the_new_address(town: Town) -> None:
    """The old mailbox was full; ann gets her dice where she reads now, and once."""
    asked = moves_to(town, NEW)
    unsent(town, OLD, "perudo challenge -inorder ann bob")
    unsent(town, NEW, f"confirm {asked[0].token}")
    town.delivered()
    assert letters_to(town, NEW, "Your turn: Perudo board 1") == 1
    assert letters_to(town, OLD, "Your turn: Perudo board 1") == 0
    assert waiting(town) == []


def test_a_kept_address_gets_no_letter_twice(town: Town) -> None:
    """One of two addresses is kept. It gets its own copy of the letter, and no second one."""
    has_both(town)
    later = moves_to(town, NEW, "ann@example.net")
    unsent(town, NEW, "perudo challenge -inorder ann bob")
    unsent(town, "ann@example.net", f"confirm {later[0].token}")
    town.delivered()
    assert letters_to(town, NEW, "Your turn: Perudo board 1") == 1
    assert letters_to(town, OLD, "Your turn: Perudo board 1") == 0
    assert letters_to(town, "ann@example.net", "Your turn: Perudo board 1") == 0


def test_a_kept_address_gets_a_letter_it_missed(town: Town) -> None:
    """It was paused when the letter was written, and active when the other one was removed."""
    has_both(town)
    town.challenge("bob", "ann")
    town.carry(b"From: robot@example.com\n\n", "", town.last_letter_to(NEW).unsubscribe)
    unsent(town, "bob@example.org", f"perudo chat 1 bob {PASSWORD}", "Are you there?")
    assert (OLD, "due") in waiting(town)
    assert NEW not in {address for address, _ in waiting(town)}
    unsent(town, NEW, "Hello!")
    stays_at(town, NEW)
    town.delivered()
    assert chats_to(town, NEW) == 1
    assert chats_to(town, OLD) == 0
    assert waiting(town) == []


@pytest.mark.parametrize(
    ("state", "comes"), [("sent", 0), ("returned", 1), ("failed", 1), ("dropped", 1)]
)
def test_a_letter_is_repeated_only_after_an_undelivered_copy(
    town: Town, state: str, comes: int
) -> None:
    """Only the envelope of a sent copy is kept, and that is enough to know it."""
    has_both(town)
    for words in ("Shall we play?", "Or shall we not?"):
        unsent(town, "bob@example.org", f"message bob {PASSWORD} ann", words)
    row = models.OutboxLetter
    with writing(town.engine) as connection:
        first = select(func.min(row.id)).where(row.kind == "message", row.address == NEW)
        gone = {"state": state, "payload": "", "token": ""}
        connection.execute(update(row).where(row.id == first.scalar_subquery()).values(gone))
    stays_at(town, NEW)
    town.delivered()
    told = [each.text for each in town.letters if each.to == NEW]
    assert sum("Shall we play?" in each for each in told) == comes
    assert sum("Or shall we not?" in each for each in told) == 1
    assert waiting(town) == []


@pytest.mark.parametrize("leaves", [stays_at, signs_off])
def test_a_letter_that_failed_is_not_sent_to_an_address_its_reader_has_left(
    town: Town, leaves: Callable[[Town, str], object]
) -> None:
    """The operator, who is told of it, may try to send it again: it has her dice."""
    unsent(town, OLD, "perudo challenge -inorder ann bob")
    row = models.OutboxLetter
    with writing(town.engine) as connection:
        mine = row.address == OLD, row.kind == "perudo/started"
        connection.execute(update(row).where(*mine).values(state="failed"))
    name = next(each["name"] for each in mail_queue.listed(town.engine, everything=False))
    leaves(town, NEW)
    with pytest.raises(Refused, match="no_such_entry"):
        mail_queue.retry(town.engine, [name], town.now)


def test_messages_during_a_pause_reach_the_new_address(town: Town) -> None:
    """Messages are held back for a player out of reach, and are not lost by a change."""
    row = models.Address
    with writing(town.engine) as connection:
        broken = {"paused_at": town.now, "paused_by": "bounced", "paused_reason": "no such user"}
        connection.execute(update(row).where(row.address == OLD).values(broken))
    town.write("bob@example.org", f"message bob {PASSWORD} ann", "Shall we play?")
    assert waiting(town) == [(OLD, "held")]
    town.write(NEW, f"change address ann {PASSWORD} {NEW}")
    town.write(NEW, f"confirm {town.asked_of(NEW)}")
    told = {each.to for each in town.letters if "Shall we play?" in each.text}
    assert told == {"bob@example.org", NEW}  # his receipt, and the message


def test_no_letter_is_kept_for_a_departed_player(town: Town) -> None:
    """A digest that will never come leaves no address and no dice behind."""
    town.write(OLD, f"set ann {PASSWORD} digest=daily")
    town.challenge("bob", "ann")
    assert waiting(town) == [(OLD, "held")]
    told = {each.to: each.subject for each in signs_off(town)}
    # Ann had not taken her seat: the board ends at once, and bob is told.
    assert told == {OLD: "Goodbye, ann", BOB: "Perudo board 1"}
    assert waiting(town) == []
    assert town.waited(24) == []
