"""Bounces: what a returned letter may change, and what it may not."""

from __future__ import annotations

import re
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select, update

from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.mail.incoming import IncomingMail
from pbmserv.mail.transport import Postponed, Undeliverable
from pbmserv.outbox.outgoing_email import envelope_sender
from pbmserv.security.tokens import Tokens
from pbmserv.settings import Settings
from tests.deliverability.returned import (
    ANN,
    BOB,
    REPORTS,
    paused,
    refusing,
    report,
    returned,
    stopped,
)
from tests.fake_transport import FakeTransport
from tests.stories.town import OUR_ADDRESS, PASSWORD, Town, town_at

pytestmark = pytest.mark.long
DAY = 24 * 3600


def test_every_letter_has_an_envelope_sender_of_its_own(town: Town) -> None:
    """It is bound to the letter and its address, and cannot be forged."""
    tokens, stranger = town.processor.tokens, Tokens(b"another key")
    stamp = tokens.stamp(17, ANN)
    assert tokens.stamped(stamp.lower()) == 17
    assert tokens.is_stamp(stamp.lower(), 17, ANN.upper())
    assert not tokens.is_stamp(stamp, 18, ANN)
    assert not tokens.is_stamp(stamp, 17, BOB)
    assert not stranger.is_stamp(stamp, 17, ANN)
    assert not tokens.is_stamp("é" * 24, 17, ANN)
    for text in ("A" * 23, "1" * 24, "é" * 24):
        assert tokens.stamped(text) is None
    assert envelope_sender(town.settings, stamp) == f"perudo+b-{stamp.lower()}@localhost"
    plain = replace(town.settings, envelope="plain")
    assert envelope_sender(plain, stamp) == OUR_ADDRESS


def test_the_longest_address_that_may_be_ours_leaves_room_for_a_stamp() -> None:
    """RFC 5321, 4.5.3.1.1: 64 characters before the @."""
    sender = envelope_sender(Settings(home=Path(), address=f"{'p' * 37}@example.org"), "A" * 24)
    assert len(sender.partition("@")[0]) == 64


FAILURES = ["postfix-user-unknown", "exim-user-unknown", "exim-before-reports",
            "exchange-recipient-not-found", "exchange-2000", "gmail-address-not-found",
            "qmail-no-mailbox", "sendmail-user-unknown", "opensmtpd-error",
            "global-delivery-status", "postfix-no-such-domain", "status-within-mixed",
            "james-no-such-user", "verizon-text"]  # fmt: skip


COMPLAINTS = ["complaint", "complaint-hotmail"]


@pytest.mark.parametrize("name", FAILURES)
def test_a_lasting_failure_pauses_the_address_at_once(town: Town, name: str) -> None:
    letters = returned(town, name, ANN)
    assert paused(town) == [(ANN, "bounced")]
    assert stopped(town) == 1
    assert [each.to for each in letters] == [BOB]


@pytest.mark.parametrize(
    "name", sorted({path.stem for path in REPORTS.glob("*.eml")} - {*FAILURES, *COMPLAINTS})
)
def test_other_reports_of_machines_pause_nothing_at_once(town: Town, name: str) -> None:
    """Delays, full mailboxes, expired queues, refused contents, absences, receipts."""
    letter = town.last_letter_to(ANN)
    text = report(town, name, letter).replace(b"+u-", b"+b-")
    recipient = f"perudo+b-{letter.stamp.lower()}@localhost"
    assert town.carry(text, "", recipient) == []
    assert (paused(town), stopped(town)) == ([], 0)


def test_a_message_id_proves_as_much_as_the_envelope(town: Town) -> None:
    """With `envelope = "plain"` bounces come to our address; the letter in them is the proof."""
    letter = town.last_letter_to(ANN)
    raw = report(town, "gmail-address-not-found", letter, stamp="x")
    number = str(letter.message["Message-ID"]).encode()
    raw = re.sub(rb"<17\.1700000000\.[A-Z2-7]{32}@localhost>", number, raw)
    assert town.carry(raw, "", OUR_ADDRESS) != []
    assert paused(town) == [(ANN, "bounced")]


def test_a_message_id_with_the_token_of_another_letter_proves_nothing(town: Town) -> None:
    """bob knows his own token and guesses the number of ann's letter."""
    hers, his = (str(town.last_letter_to(each).message["Message-ID"]) for each in (ANN, BOB))
    forged = hers.partition(".")[0] + "." + his.partition(".")[2]
    letter = town.last_letter_to(ANN)
    raw = report(town, "gmail-address-not-found", letter, stamp="x")
    raw = re.sub(rb"<17\.1700000000\.[A-Z2-7]{32}@localhost>", forged.encode(), raw)
    assert town.carry(raw, "", OUR_ADDRESS) == []
    assert paused(town) == []


def test_without_plus_addresses_the_subject_asks_for_no_more_letters(home: Path) -> None:
    with town_at(home, settings='replies = "plain"\n') as town:
        (letter,) = town.write(ANN, f"signup ann {PASSWORD}")
        town.reply(letter, "yes")
        target = str(town.last_letter_to(ANN).message["List-Unsubscribe"]).strip(" <>")
        address, _, subject = target.removeprefix("mailto:").partition("?subject=")
        assert address == OUR_ADDRESS
        letters = town.write("robot@example.com", subject.replace("%20", " "))
        assert [each.subject for each in letters] == ["Your letters are paused, ann"]
        assert paused(town) == [(ANN, "asked")]


@pytest.mark.parametrize("sender", ["", "staff@hotmail.com"])
@pytest.mark.parametrize("name", COMPLAINTS)
def test_a_complaint_is_known_by_the_letter_in_it(town: Town, name: str, sender: str) -> None:
    """Providers send complaints to an address that was agreed on, not to the envelope sender."""
    assert town.carry(report(town, name, town.last_letter_to(ANN)), sender, OUR_ADDRESS) == []
    with reading(town.engine) as connection:
        query = select(models.Player.letters).order_by(models.Player.id)
        assert connection.execute(query).scalars().all() == ["games", "all"]
    assert paused(town) == []


def test_a_complaint_about_a_signup_ends_letters_to_the_address(town: Town) -> None:
    """The address was named by somebody, and never confirmed."""
    town.write("eve@example.org", f"signup eve {PASSWORD} zoe@example.org")
    letter = town.last_letter_to("zoe@example.org")
    town.carry(report(town, "complaint", letter), "", OUR_ADDRESS)
    assert paused(town) == [("zoe@example.org", "asked")]
    assert town.write("fay@example.org", f"signup fay {PASSWORD} zoe@example.org") != []
    assert town.last_letter_to("zoe@example.org") == letter


def test_a_bounce_of_an_answer_to_a_stranger_is_noted_and_no_more(town: Town) -> None:
    town.write("zoe@example.org", "help")
    assert returned(town, "postfix-user-unknown", "zoe@example.org") == []
    assert paused(town) == []
    with reading(town.engine) as connection:
        row = models.InboxMail
        reasons = connection.execute(select(row.reason).order_by(row.id.desc())).scalars().first()
    assert reasons is not None
    assert re.fullmatch(r"null sender; failed 550 5\.1\.1 .*; about out\d+", reasons)


def test_a_bounce_counts_for_both_players_of_one_address(town: Town) -> None:
    """bob's wife plays from his address: the mailbox is gone for both."""
    (letter,) = town.write(BOB, f"signup eve {PASSWORD}")
    town.reply(letter, "yes")
    returned(town, "postfix-user-unknown", BOB)
    assert paused(town) == [(BOB, "bounced")] * 2
    assert stopped(town) == 2


def test_a_late_bounce_of_an_old_letter_does_not_pause_an_address_again(town: Town) -> None:
    old = town.last_letter_to(ANN)
    returned(town, "postfix-user-unknown", ANN)
    town.now += DAY
    town.write(ANN, "perudo games ann")
    town.carry(
        report(town, "exim-user-unknown", old), "", f"perudo+b-{old.stamp.lower()}@localhost"
    )
    assert paused(town) == []


@pytest.mark.parametrize(
    ("problem", "is_paused"),
    [
        (Undeliverable("550 5.1.1 No such user"), True),
        (Undeliverable("550 No such user"), True),
        (Undeliverable("554 5.7.1 Relay access denied"), False),
        (Undeliverable("552 5.2.2 Mailbox full"), False),
        (Undeliverable("not an address: 'x'"), False),
        (Postponed("450 4.2.0 busy"), False),
    ],
)
def test_refusals_by_our_own_relay_count_as_well(
    town: Town, problem: Exception, is_paused: bool
) -> None:
    """Only permanent refusals of the address count. A relay that refuses all pauses no address."""
    relay = refusing(ANN, problem)
    town.app = replace(town.app, transport=relay)
    town.write(BOB, f"perudo chat 1 bob {PASSWORD}", "Hello?")
    assert paused(town) == ([(ANN, "bounced")] if is_paused else [])
    assert relay.taken == (2 if is_paused else 1)  # bob's receipt, and why he waits


@pytest.mark.slow
def test_a_relay_that_cannot_be_reached_says_nothing_about_addresses(town: Town) -> None:
    town.app = replace(town.app, transport=refusing(ANN, Postponed("relay x: timed out")))
    for _ in range(12):
        town.write(BOB, f"perudo chat 1 bob {PASSWORD}", "Hello?")
        town.waited(24)
    assert paused(town) == []
    with reading(town.engine) as connection:
        row = models.Address
        assert connection.execute(select(row.failing_since).distinct()).scalars().all() == [None]


@pytest.mark.slow
def test_letters_that_a_relay_postpones_for_days_pause_in_the_end(town: Town) -> None:
    """An address behind which nobody takes email for more than a week is a dead one."""
    town.app = replace(town.app, transport=refusing(ANN, Postponed("451 4.4.1 no answer")))
    for _ in range(13):
        town.write(BOB, f"perudo chat 1 bob {PASSWORD}", "Hello?")
        town.waited(24)
    assert paused(town) == [(ANN, "bounced")]


def test_delivery_events_are_kept_for_a_month(town: Town) -> None:
    returned(town, "postfix-user-unknown", ANN)
    for days in (29, 2):
        town.now += days * DAY
        town.write(BOB, f"perudo chat 1 bob {PASSWORD}", f"after {days} days")
    letters = town.write(ANN, "Hello!")
    assert "after 29 days" in letters[-1].text
    assert "after 2 days" not in letters[-1].text


REPORTS_WITHOUT_PROOF = sorted(path.stem for path in REPORTS.glob("*.eml"))


@given(st.lists(st.sampled_from(REPORTS_WITHOUT_PROOF), max_size=8), st.integers(0, 2))
@settings(max_examples=10)
def test_reports_without_proof_do_nothing_at_once(names: list[str], hours: int) -> None:
    """Forged reports with any stamps, for six days, change nothing for anybody."""
    with tempfile.TemporaryDirectory() as folder, town_at(Path(folder) / "home") as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob")
        mine = town.last_letter_to(BOB)
        for place, name in enumerate(names):
            town.now += hours * 8 * 3600
            stamp = ["x", "A" * 24, mine.stamp[:8] + "A" * 16][place % 3]
            letter = town.last_letter_to(ANN)
            raw = report(town, name, letter, stamp=stamp)
            assert town.carry(raw, "", f"perudo+b-{stamp.lower()}@localhost") == []
        assert (paused(town), stopped(town)) == ([], 0)
        with reading(town.engine) as connection:
            query = select(models.Player.letters).distinct()
            assert connection.execute(query).scalars().all() == ["all"]


def test_a_letter_dropped_while_it_was_tried_stays_dropped(town: Town) -> None:
    """The pause came while the relay was thinking about it."""

    def drop(letter: int, address: str) -> None:
        row = models.OutboxLetter
        with writing(town.engine) as connection:
            change = update(row).where(row.id == letter).values(state="dropped")
            connection.execute(change)
        if address == ANN:
            raise Postponed("450 4.2.0 busy")

    town.app = replace(town.app, transport=FakeTransport(drop))
    town.write(ANN, "help")
    with reading(town.engine) as connection:
        row = models.OutboxLetter
        query = select(row.state).order_by(row.id.desc())
        assert connection.execute(query).scalars().first() == "dropped"


def test_a_letter_that_comes_back_before_it_is_marked_as_sent_is_returned(town: Town) -> None:
    """A relay on the same machine reports an unknown mailbox while it still takes other letters."""
    bounce = report(town, "postfix-user-unknown", town.last_letter_to(ANN), stamp="STAMP")

    def report_it(letter: int, address: str) -> None:
        if address == ANN:
            stamp = town.processor.tokens.stamp(letter, address)
            raw = bounce.replace(b"STAMP", stamp.encode())
            back = IncomingMail(raw, "", f"perudo+b-{stamp.lower()}@localhost", "smtp")
            assert town.processor.accept([back]) == []

    town.app = replace(town.app, transport=FakeTransport(report_it))
    town.write(BOB, f"message bob {PASSWORD} ann", "Are you there?")
    row = models.OutboxLetter
    query = select(row.state, row.reason, row.payload, row.token).where(row.kind == "message")
    with reading(town.engine) as connection:
        ((state, reason, payload, token),) = connection.execute(query).all()
    assert (state, payload, token) == ("returned", "", "")
    assert reason.startswith("550 5.1.1")
    assert paused(town) == [(ANN, "bounced")]
