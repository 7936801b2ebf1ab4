"""The suppression list: how letters to an address stop, for how long, and what resumes them."""

from __future__ import annotations

import re
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from pbmserv.database import models
from pbmserv.database.engine import reading
from pbmserv.mail.transport import Postponed
from pbmserv.security.credentials import Credentials
from tests.deliverability.returned import (
    ANN,
    BOB,
    paused,
    refusing,
    report,
    returned,
    stopped,
)
from tests.stories.town import OUR_ADDRESS, PASSWORD, Letter, Town, town_at


def test_a_shell_tells_a_player_once_that_letters_bounce(town: Town) -> None:
    returned(town, "postfix-user-unknown", ANN)

    def kinds() -> list[str]:
        credentials, processor = Credentials(), town.processor
        (line,) = processor.request_reader.open_text(
            f"perudo showas ann {PASSWORD} 1", town.now, credentials
        )
        outcome, mine, _ = processor.carry_out(line, credentials, "")
        assert outcome.refusal is None
        return [each.kind for each in mine]

    assert kinds() == ["perudo/show", "paused"]
    assert kinds() == ["perudo/show"]
    assert paused(town) == [(ANN, "bounced")]  # a shell cannot say whether email arrives


def test_a_command_at_a_shell_resumes_an_address_paused_on_request(town: Town) -> None:
    town.carry(b"From: x@y\n\n", "", town.last_letter_to(ANN).unsubscribe)
    assert paused(town) == [(ANN, "asked")]
    credentials, processor = Credentials(), town.processor
    (line,) = processor.request_reader.open_text(
        f"perudo showas ann {PASSWORD} 1", town.now, credentials
    )
    processor.carry_out(line, credentials, "")
    assert paused(town) == []
    assert [(each.to, each.subject) for each in town.delivered() if each.to == ANN][-1:] == [
        (ANN, "You get letters again, ann")
    ]


def test_letters_that_were_on_their_way_to_a_paused_address_stay(town: Town) -> None:
    """They had been postponed when the address was paused: the news of boards waits, no more."""
    town.app = replace(town.app, transport=refusing(ANN, Postponed("450 4.2.0 busy")))
    town.write(BOB, f"perudo chat 1 bob {PASSWORD}", "Hello?")
    returned(town, "postfix-user-unknown", ANN)
    with reading(town.engine) as connection:
        row = models.OutboxLetter
        query = select(row.kind, row.state).where(row.address == ANN, row.state != "sent")
        assert connection.execute(query.order_by(row.id)).all() == [
            ("perudo/started", "returned"),
            ("perudo/chat", "held"),
        ]


def test_unsubscribing_one_of_two_addresses_leaves_the_other(town: Town) -> None:
    """No clock stops and nobody else is told, until the other address asks for no more, too."""
    new = "ann@example.net"
    town.write(ANN, f"change address ann {PASSWORD} {ANN} {new}")
    told = [each.text for each in town.letters if each.to == ANN and "  confirm " in each.text]
    (token,) = re.findall(r"^  confirm (\w+)$", told[-1], re.MULTILINE)
    town.write(ANN, f"confirm {token}")
    town.reply(town.last_letter_to(new), "yes")
    town.write(BOB, f"perudo chat 1 bob {PASSWORD}", "Hello?")
    (only,) = town.carry(b"From: x@y\n\n", "", town.last_letter_to(new).unsubscribe)
    assert (only.to, only.subject) == (new, "Your letters are paused, ann")
    assert "Your clocks keep running: you still get letters at another address." in only.text
    assert (paused(town), stopped(town)) == ([(new, "asked")], 0)
    letters = town.carry(b"From: z@y\n\n", "", town.last_letter_to(ANN).unsubscribe)
    assert {each.to for each in letters} == {ANN, BOB}
    assert stopped(town) == 1


def test_a_player_without_working_addresses_sets_a_new_one_by_password(town: Town) -> None:
    """The old address would have to agree, but nobody reads there any more."""
    returned(town, "postfix-user-unknown", ANN)
    new = "ann@example.net"
    town.write(new, f"change address ann {PASSWORD} {new}")
    (asking,) = [each for each in town.letters if each.to == new and each.is_to_be_confirmed]
    town.reply(asking, "yes")
    town.write(BOB, f"perudo chat 1 bob {PASSWORD}", "There you are.")
    assert "There you are." in town.last_letter_to(new).text


def test_an_address_asked_for_again_by_its_owner_gets_the_letter_that_confirms_it(
    town: Town,
) -> None:
    """Older failures do not count: the owner has just named it."""
    new = "ann@example.net"

    def asked() -> list[str]:
        town.write(ANN, f"change address ann {PASSWORD} {new}")
        told = [each.text for each in town.letters if each.to == ANN and "  confirm " in each.text]
        (token,) = re.findall(r"^  confirm (\w+)$", told[-1], re.MULTILINE)
        letters = town.write(ANN, f"confirm {token}")
        return [each.subject for each in letters if each.to == new]

    asked()
    returned(town, "postfix-user-unknown", new)
    assert (new, "bounced") in paused(town)
    assert asked() == ["Please confirm your new address, ann"]


ACTS = st.lists(
    st.tuples(
        st.sampled_from(
            ["lasting", "full", "made up", "pause", "complain", "write", "chat", "wait", "robot"]
        ),
        st.sampled_from(["ann", "bob"]),
        st.integers(1, 3),
    ),
    min_size=3,
    max_size=12,
)


@pytest.mark.slow
@given(ACTS)
@settings(max_examples=15, print_blob=True)
def test_a_paused_address_gets_nothing_until_it_sends_an_email(
    acts: list[tuple[str, str, int]],
) -> None:
    """One letter says so first. Reports without proof pause nothing within a week."""
    with tempfile.TemporaryDirectory() as folder, town_at(Path(folder) / "home") as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob")
        for act, name, back in acts:
            address = f"{name}@example.org"
            asleep = {each for each, _ in paused(town)}
            letters = acted(town, act, address, back)
            if act in {"write", "chat"}:
                asleep.discard(address)
            assert {each.to for each in letters} & asleep == set(), act
            if act in {"made up", "robot", "wait", "complain"}:
                assert {each for each, _ in paused(town)} == asleep
            assert stopped(town) <= 2
            with reading(town.engine) as connection:
                states = select(models.Board.state)
                assert connection.execute(states).scalars().all() == ["playing"]


def acted(town: Town, act: str, address: str, back: int) -> list[Letter]:
    """Something happens around an address; the letters that come out."""
    letters = [each for each in town.letters if each.to == address]
    back = min(back, len(letters))
    letter = town.last_letter_to(address, back)
    name = address.partition("@")[0]
    if act == "lasting":
        return returned(town, "postfix-user-unknown", address, back)
    if act == "full":
        return returned(town, "postfix-mailbox-full", address, back)
    if act == "made up":
        return town.carry(report(town, "qmail-no-mailbox", letter, stamp="x"), "", OUR_ADDRESS)
    if act == "pause":
        return town.carry(b"From: robot@example.com\n\nresign\n", "", letter.unsubscribe)
    if act == "complain":
        return town.carry(report(town, "complaint", letter), "", OUR_ADDRESS)
    if act == "write":
        return town.write(address, "Hello!")
    if act == "chat":
        return town.write(address, f"perudo chat 1 {name} {PASSWORD}", "Is anybody there?")
    if act == "robot":
        return town.write(address, "I am away", headers={"Auto-Submitted": "auto-replied"})
    return town.waited(back)


def test_a_pause_that_ends_at_once_leaves_no_free_fortnight(home: Path) -> None:
    """Ann pauses her letters, writes again, and her clock runs."""
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob", options=["-inorder"])
        before = due_at(town)
        town.reply(town.last_letter_to("ann@example.org"), "stop")
        assert due_at(town) > before
        town.write("ann@example.org", "help dice")
        assert due_at(town) == before


def due_at(town: Town) -> int:
    """When the next deadline of board 1 passes."""
    with reading(town.engine) as connection:
        found = connection.execute(select(models.Board.due_at).where(models.Board.id == 1))
        return int(found.scalar_one() or 0)
