"""Who wrote an email, as real OpenDKIM and OpenDMARC prove it: only a genuine From moves."""

from __future__ import annotations

import re
import smtplib
from collections.abc import Callable, Iterator

import pytest

from pbmserv.intake.answering.answer_limits import FORGED
from tests.cli.processes import until
from tests.real.app import RealApp
from tests.real.signing import ELSEWHERE, PROVIDER, Signing
from tests.real.town import Town
from tests.stories.town import mail
from tests.test_operating import of_kind

ANN, EVE = "ann@players.test", "eve@elsewhere.test"
OURS = b"Authentication-Results: mx.perudo.test; dmarc=pass header.from=players.test\r\n"
THEIRS = b"Authentication-Results: mx.elsewhere.test; dmarc=pass header.from=players.test\r\n"

Change = Callable[[Signing, bytes], bytes]


def with_another_from(signing: Signing, raw: bytes) -> bytes:
    """Bob's provider has signed his email, and then he becomes ann."""
    return signing.sign(raw.replace(b"From: ann@", b"From: bob@")).replace(b"bob@", b"ann@")


# What somebody makes of an email of ann's, and who seems to send it on.
COUNTERFEITS: dict[str, tuple[Change, str]] = {
    "unsigned": (lambda signing, raw: raw, ANN),
    "sent by a domain of which nothing is known": (lambda signing, raw: raw, EVE),
    "proven in our server's name": (lambda signing, raw: OURS + raw, ANN),
    "proven in another server's name": (lambda signing, raw: THEIRS + raw, ANN),
    "with another From": (with_another_from, ANN),
    "with another move": (
        lambda signing, raw: signing.sign(raw).replace(b"1-2s", b"9-6s"),
        ANN,
    ),
    "with another Subject above hers": (
        lambda signing, raw: (
            b"Subject: perudo move 1 ann - 9-6s\r\n"
            + signing.sign(raw.replace(b"perudo move 1 ann - 1-2s", b"help"))
        ),
        EVE,
    ),
    "signed, but written to bob": (
        lambda signing, raw: signing.sign(raw.replace(b"To: perudo@perudo.", b"To: bob@players.")),
        "bob@elsewhere.test",
    ),
    "with a list's footer": (
        lambda signing, raw: signing.sign(raw) + b"--\r\nTo leave the list: \r\n",
        "list@elsewhere.test",
    ),
}


# What is as her server signed it, and so is not a forgery; all others are answered to nobody.
GENUINE = {"with another Subject above hers", "signed, but written to bob"}
AT_THE_SOCKET = {"transport_maps": "inline:{ { perudo.test = chrooted:unix:pbmserv/lmtp } }"}


@pytest.fixture
def app(place: Town) -> Iterator[RealApp]:
    """Where ann and bob play on board 1, and ann is on turn; Postfix comes by the socket."""
    app = place.set_up_app(
        lmtp=f"unix:{place.postfix.socket}",
        lmtp_group="postfix",
        authserv_id="mx.perudo.test",
        authserv_transport="socket",
    )
    app.start()
    app.typed("perudo", "challenge", "-inorder", "ann", "bob")
    with place.postfix.told(AT_THE_SOCKET):
        yield app


def move_of_ann(number: int = 1) -> bytes:
    message_id = f"<{number}@players.test>"
    return mail(ANN, "perudo move 1 ann - 1-2s", message_id=message_id, to="perudo@perudo.test")


def moves(app: RealApp) -> int:
    """How often ann has moved."""
    return len(app.asked("select 1 from happenings where line like 'A %'"))


def test_a_counterfeit_moves_nothing(place: Town, app: RealApp, signing: Signing) -> None:
    for number, (change, sender) in enumerate(COUNTERFEITS.values(), 1):
        raw = change(signing, move_of_ann(number))
        place.postfix.send(raw, sender, [app.address], service="checked", client=ELSEWHERE)
    done = "select message_id, reason from inbox where state = 'done'"
    until(lambda: len(app.asked(done)) == len(COUNTERFEITS))
    assert moves(app) == 0
    reasons = {number: str(reason) for number, reason in app.asked(done)}
    forged = {
        name
        for number, name in enumerate(COUNTERFEITS, 1)
        if reasons[f"<{number}@players.test>"].endswith(FORGED)
    }
    assert forged == COUNTERFEITS.keys() - GENUINE
    refusals = app.asked("select address, kind from outbox where answers != ''")
    assert refusals == [(ANN, "refused")] * len(GENUINE)


@pytest.mark.parametrize(
    ("client", "sender"),
    [
        pytest.param(PROVIDER, ANN, id="as it was sent"),
        pytest.param(ELSEWHERE, EVE, id="forwarded as it was"),
    ],
)
def test_a_genuine_email_moves(
    place: Town, app: RealApp, signing: Signing, client: str, sender: str
) -> None:
    """No password, no token: the From is proven.  A signature survives being forwarded."""
    raw = signing.sign(move_of_ann())
    place.postfix.send(raw, sender, [app.address], service="checked", client=client)
    until(lambda: moves(app) == 1)


def documented(place: Town) -> dict[str, str]:
    """What docs/operating.md has Postfix do about headers in our name, with the ports of here."""
    (told,) = [text for text in of_kind("sh") if "non_smtpd_milters" in text]
    told = told.replace(":8891", f":{place.ground.port('dkim')}")
    told = told.replace(":8893", f":{place.ground.port('dmarc')}")
    found = dict(re.findall(r'^postconf -e "(\w+) = (.*)"$', told, re.MULTILINE))
    return {name: found[name] for name in ("non_smtpd_milters", "header_checks")}


def test_a_user_of_this_machine_moves_nothing(place: Town, app: RealApp, signing: Signing) -> None:
    """Neither by `sendmail` nor by a port of Postfix; the milters pass by what comes from here."""
    here = "127.0.0.1"
    with place.postfix.told(documented(place)):
        place.postfix.submit(OURS + move_of_ann(1), ANN, app.address)
        place.postfix.send(
            OURS + move_of_ann(2), ANN, [app.address], service="checked", client=here
        )
        place.postfix.send(OURS + move_of_ann(3), ANN, [app.address], service="relay")
        until(lambda: len(app.asked("select 1 from inbox")) == 3)
        assert moves(app) == 0
        raw = signing.sign(move_of_ann(4))
        place.postfix.send(raw, ANN, [app.address], service="checked", client=PROVIDER)
        until(lambda: moves(app) == 1)


def test_a_port_of_ours_proves_no_sender(place: Town) -> None:
    """Every user of this machine can say there what only our mail server should."""
    app = place.set_up_app(authserv_id="mx.perudo.test", authserv_transport="socket")
    app.start()
    app.typed("perudo", "challenge", "-inorder", "ann", "bob")
    with smtplib.LMTP("127.0.0.1", place.ground.port("lmtp"), timeout=60) as lmtp:
        lmtp.sendmail(ANN, [app.address], OURS + move_of_ann())
    assert moves(app) == 0


def test_no_sender_is_proven_without_the_trust_setting(place: Town, signing: Signing) -> None:
    app = place.set_up_app()
    app.start()
    app.typed("perudo", "challenge", "-inorder", "ann", "bob")
    raw = signing.sign(move_of_ann())
    place.postfix.send(raw, ANN, [app.address], service="checked", client=PROVIDER)
    until(lambda: len(app.asked("select 1 from inbox")) == 1)
    assert moves(app) == 0


def test_a_genuine_email_proves_its_sender_once(
    place: Town, app: RealApp, signing: Signing
) -> None:
    """OpenDKIM signs no Message-ID: a copy of the email under another one moves nothing."""
    signed = signing.sign(move_of_ann())
    for number in (1, 2):
        raw = signed.replace(b"<1@players.test>", b"<%d@players.test>" % number)
        place.postfix.send(raw, EVE, [app.address], service="checked", client=ELSEWHERE)
    until(lambda: len(app.asked("select 1 from inbox")) == 2)
    assert moves(app) == 1
    reasons = app.asked("select reason from inbox")
    assert sorted(reasons) == [("perudo move",), ("perudo move (refused: address_not_proven)",)]
