"""Letters that come back: Postfix's own reports come home by the stamp of the letter."""

from __future__ import annotations

import re

import pytest

from tests.cli.processes import until
from tests.real.app import RealApp
from tests.real.players import Player
from tests.real.town import Town
from tests.stories.town import PASSWORD

pytestmark = pytest.mark.long

GONE = "gone@players.test"  # nobody has this mailbox
SILENT = "silent@gone.test"  # no server of that domain answers


def challenge(app: RealApp, ann: Player, *addresses: str) -> None:
    """Ann plays with somebody who gets letters at these addresses; that one is on turn."""
    app.typed("pbmserv", "signup", "eve", PASSWORD, *addresses)
    app.typed("perudo", "challenge", "-inorder", "eve", ann.name)
    ann.next_letter("Perudo board 1")


def address_of_eve(app: RealApp, address: str) -> tuple[object, ...]:
    """By what her address is paused, and whether letters to it fail."""
    question = "select paused_by, failing_since is not null from addresses where address"
    ((by, fails),) = app.asked(f"{question} = '{address}'")
    return by, bool(fails)


def letters_to(app: RealApp, address: str) -> list[tuple[object, ...]]:
    """The state of every letter to an address."""
    return app.asked(f"select state from outbox where address = '{address}'")


def test_an_unknown_mailbox_pauses_the_address(place: Town) -> None:
    """Dovecot knows nobody of that name, and Postfix reports it.  Ann is told that clocks stand;
    the report is answered by nobody."""
    app = place.set_up_app()
    app.start()
    ann = place.player("ann")
    challenge(app, ann, GONE)
    until(lambda: address_of_eve(app, GONE) == ("bounced", False))
    assert letters_to(app, GONE) == [("returned",)]
    ((reason,),) = app.asked(f"select paused_reason from addresses where address = '{GONE}'")
    assert str(reason).startswith("550 5.1.1")
    ((sender, recipient),) = app.asked("select envelope_sender, recipient from inbox")
    assert sender == ""
    assert str(recipient).startswith("perudo+b-")
    ann.next_letter("Letters do not reach eve")
    assert app.asked("select count(*) from outbox") == [(3,)]
    until(place.postfix.is_empty)


def test_a_player_with_another_address_is_told_there(place: Town) -> None:
    app = place.set_up_app()
    app.start()
    ann, bob = place.player("ann"), place.player("bob")
    challenge(app, ann, GONE, bob.address)
    letter = bob.next_letter("Letters to you bounce")
    assert GONE in letter.text
    until(lambda: letters_to(app, bob.address) == [("sent",)] * 2)


def test_an_email_from_a_paused_address_resumes_it(place: Town) -> None:
    """The relay refuses letters to this address, yet its owner can write."""
    app = place.set_up_app()
    app.start()
    ann, refused = place.player("ann"), place.player("refused")
    challenge(app, ann, refused.address)
    until(lambda: address_of_eve(app, refused.address)[0] == "bounced")
    with place.postfix.told({"smtpd_recipient_restrictions": "permit_mynetworks, reject"}):
        app.stop()  # its connection to Postfix would keep the settings of before
        app.start()
        refused.write("Am I back?")
        refused.next_letter()
    assert address_of_eve(app, refused.address) == ("", False)


def test_a_letter_that_expired_in_the_queue_does_not_pause_at_once(place: Town) -> None:
    """Action: failed, with a status of the fourth class: it counts, and no more."""
    app = place.set_up_app()
    app.start()
    ann = place.player("ann")
    challenge(app, ann, SILENT)
    until(lambda: any(mail.recipient == SILENT for mail in place.postfix.queue()))
    (waiting,) = [mail for mail in place.postfix.queue() if mail.recipient == SILENT]
    place.postfix.expire(waiting.queue_id)
    place.postfix.flush(lambda: letters_to(app, SILENT) == [("returned",)])
    assert address_of_eve(app, SILENT) == ("", True)


def test_a_delay_is_not_a_failure(place: Town) -> None:
    """Postfix warns that it goes on trying: the letter has left, and nothing is wrong."""
    app = place.set_up_app()
    app.start()
    ann = place.player("ann")
    with place.postfix.told({"delay_warning_time": "1s"}):
        challenge(app, ann, SILENT)
        until(lambda: app.asked("select 1 from inbox") != [])
    assert app.asked("select envelope_sender, reason like '%passing%' from inbox") == [("", 1)]
    until(lambda: letters_to(app, SILENT) == [("sent",)])
    assert address_of_eve(app, SILENT) == ("", False)


def test_unsubscribing_pauses_and_never_resigns(place: Town) -> None:
    """An email to the address in List-Unsubscribe, as mail programs send it at a touch."""
    app = place.set_up_app()
    app.start()
    ann, bob = place.player("ann"), place.player("bob")
    app.typed("perudo", "challenge", "-inorder", ann.name, bob.name)
    letter = ann.next_letter("Perudo board 1")
    found = re.fullmatch(r"<mailto:(.*)\?subject=(.*)>", str(letter.message["List-Unsubscribe"]))
    assert found is not None
    ann.write(found[2], to=found[1])
    assert "You're still in your games" in " ".join(ann.next_letter("are paused").text.split())
    assert app.asked("select paused_by from addresses where address like 'ann@%'") == [("asked",)]
    assert app.asked("select count(*) from happenings where line like 'A %'") == [(0,)]
