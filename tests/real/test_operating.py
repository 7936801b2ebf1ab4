"""What docs/operating.md tells about email, done with a real Postfix word for word."""

from __future__ import annotations

import re
import smtplib
import tomllib
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.cli.processes import until
from tests.real import exim as exims
from tests.real.dovecot import PASSWORD
from tests.real.ground import Missing
from tests.real.town import Town
from tests.stories.town import mail
from tests.test_operating import of_kind

pytestmark = pytest.mark.long

THEIRS, OURS = "games.example.org", "perudo.test"
REFUSES_UNKNOWN = {"smtpd_reject_unlisted_recipient": "yes"}  # Postfix's default


def settings_for_postfix(place: Town, way: str) -> dict[str, str]:
    """The lines with postconf; `way` is how email is handed over."""
    (told,) = [text for text in of_kind("sh") if "relay_domains" in text]
    found = re.findall(r'^postconf -e "(\w+) = (.*)"$', told, re.MULTILINE)
    return REFUSES_UNKNOWN | {
        name.replace("lmtp_", "pbmserv_" if way == "pbmserv:" else "lmtp_"): value.replace(
            THEIRS, OURS
        ).replace("lmtp:inet:127.0.0.1:8024", way)
        for name, value in found
    }


def settings_of_ours(place: Town, way: int) -> dict[str, str]:
    """The settings of this way, as they are but for names and ports of the test."""
    chosen = {key: str(value) for key, value in tomllib.loads(of_kind("toml")[way - 1]).items()}
    relay = f"127.0.0.1:{place.ground.port('relay')}"
    ours = {"address": "perudo@perudo.test", "operator": "ann@players.test", "relay": relay}
    if "lmtp" in chosen:
        ours["lmtp"] = f"127.0.0.1:{place.ground.port('lmtp')}"
    return chosen | ours


@pytest.mark.parametrize("way", [1, 2])
def test_every_documented_transport_works(place: Town, way: int) -> None:
    """Email comes in, letters go out, answers come back, and who is unknown is refused."""
    transport = "pbmserv:" if way == 2 else f"lmtp:inet:127.0.0.1:{place.ground.port('lmtp')}"
    app = place.set_up_app(only=settings_of_ours(place, way))
    with place.postfix.told(settings_for_postfix(place, transport)):
        if way == 1:
            app.start()
        ann, bob = place.player("ann"), place.player("bob")
        app.typed("perudo", "challenge", "-inorder", ann.name, bob.name)
        if way == 2:
            app.typed("pbmserv", "tick")  # as cron does
        ann.reply(ann.next_letter("Perudo board 1"), "2-2s")
        bob.next_letter("Your turn: Perudo board 1")
        with pytest.raises(smtplib.SMTPRecipientsRefused, match="User unknown"):
            place.postfix.send(mail(ann.address, "x", message_id="<x@x>"), "", ["x@perudo.test"])
        until(place.postfix.is_empty)


@pytest.mark.parametrize("way", exims.WAYS)
def test_exim_works_as_documented(place: Town, way: str) -> None:
    """By pipe without a server, and by LMTP; letters leave through it, and answers come back."""
    try:
        with exims.exim(place.ground, way) as exim:
            chosen = settings_of_ours(place, 2 if way == "pipe" else 1)
            app = place.set_up_app(
                only=chosen | {"relay": f"127.0.0.1:{place.ground.port('exim')}"}
            )
            if way == "lmtp":
                app.start()
            ann, bob = (place.player(name, postman=exim) for name in ("ann", "bob"))
            app.typed("perudo", "challenge", "-inorder", ann.name, bob.name)
            if way == "pipe":
                app.typed("pbmserv", "tick")  # as cron does
            ann.reply(ann.next_letter("Perudo board 1"), "2-2s")
            told = bob.next_letter("Your turn: Perudo board 1")
            assert "ann's two 2s" in told.text
            exim.send(mail(ann.address, "help", message_id="<b@x>"), "", [app.address])
            until(lambda: app.asked("select count(*) from inbox") == [(2,)])
            (reason,) = app.asked("select reason from inbox where message_id = '<b@x>'")
            assert reason == ("null sender",)  # a bounce, which nobody answers
            with pytest.raises(smtplib.SMTPRecipientsRefused, match="User unknown"):
                exim.send(mail(ann.address, "x", message_id="<x@x>"), "", ["x@perudo.test"])
    except Missing as missing:
        pytest.skip(f"no real Exim: {missing}")


def test_the_doctor_exchanges_a_letter_with_the_operator(place: Town) -> None:
    """Every check finds a server in good health, login at the relay and letter included."""
    app = place.set_up_app(
        operator="ann@players.test",
        login=PASSWORD,
    )
    app.start()
    ann = place.player("ann")
    with ThreadPoolExecutor() as pool:
        doctor = pool.submit(app.typed, "pbmserv", "doctor", "--no-dns", "--wait", "50")
        until(lambda: doctor.done() or bool(ann.letters()))
        assert not doctor.done(), doctor.result()
        ann.reply(ann.next_letter(), "I can read it.")
        assert doctor.result().endswith("All is well.\n")
