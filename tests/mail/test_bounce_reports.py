"""Every bounce report in `reports/` is read as the text file beside it says.

They are about a letter to ann@example.org, number 17, with the stamp below.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pbmserv.mail.bounce_reports import FAILED, UNREADABLE, BounceReport, marked
from pbmserv.mail.dsn_status import is_lasting
from pbmserv.mail.reading import read
from tests.examples import examples
from tests.rows import each_row

REPORTS = Path(__file__).parent / "reports"
OWN = "perudo@localhost"
STAMP = "AAAAAAAFPA5SUSSRF7WA3U3X"


def told(report: BounceReport) -> str:
    """A report in the form of an expectation file."""
    fields = (
        ("kind", report.kind),
        ("lasting", "yes" if report.lasting else "no"),
        ("reason", report.reason),
        ("addresses", " ".join(report.addresses)),
        ("stamps", " ".join(report.stamps)),
        ("numbers", " ".join(f"{number}:{token}" for number, token in report.numbers)),
    )
    return "".join(f"{name}: {value}\n" for name, value in fields)


@each_row("name", sorted(path.stem for path in REPORTS.glob("*.eml")))
def test_a_report_is_read_as_expected(name: str, rewrites: bool) -> None:
    """It is never a person's email, for any envelope, and it has the meaning of its program."""
    raw = (REPORTS / f"{name}.eml").read_bytes()
    file = REPORTS / f"{name}.txt"
    for envelope in ("", None, "mta@mx.rig.example"):
        for data in (raw, raw.replace(b"\n", b"\r\n")):
            mail = read(data, envelope_sender=envelope, recipient=OWN, own=OWN)
            assert mail.automatic
            assert mail.report is not None
            if rewrites:
                file.write_text(told(mail.report), "utf-8")
            assert told(mail.report) == file.read_text("utf-8")


@pytest.mark.parametrize("sender", ["", "From:\n", "From: <>\n", "From: <postmaster\n"])
def test_a_bounce_without_a_sender_is_recognized(
    sender: str, caplog: pytest.LogCaptureFixture
) -> None:
    """No email of a stranger brings a traceback of the detectors into the log."""
    raw = (REPORTS / "qmail-no-mailbox.eml").read_text()
    raw = raw.replace("From: MAILER-DAEMON@mail.example.org\n", sender, 1)
    mail = read(raw.encode(), envelope_sender="", recipient=OWN, own=OWN)
    assert mail.report is not None
    assert (mail.report.kind, mail.report.addresses) == (FAILED, ("ann@example.org",))
    assert caplog.records == []


def test_an_attached_report_is_still_a_persons_email() -> None:
    """Thunderbird forwards the parts of a bounce as attachments."""
    raw = (REPORTS / "status-within-mixed.eml").read_bytes()
    for status in (b"Message/Delivery-Status", b"message/delivery-status"):
        kind = b"Content-Type: " + status + b"\n"
        forwarded = raw.replace(b"Content-Type: message/delivery-status\n", kind)
        for disposition, is_machine in ((b"inline", True), (b"attachment; filename=x", False)):
            changed = forwarded.replace(kind, kind + b"Content-Disposition: " + disposition + b"\n")
            mail = read(changed, envelope_sender="ann@example.org", recipient=OWN, own=OWN)
            assert bool(mail.automatic) is is_machine
            assert bool(mail.report) is is_machine


def test_a_complaint_of_hotmail_needs_its_sender_or_its_header() -> None:
    raw = (REPORTS / "complaint-hotmail.eml").read_bytes()
    renamed = raw.replace(b"X-HmXmrOriginalRecipient", b"X-Other")
    other = raw.replace(b"staff@hotmail.com", b"zoe@hotmail.com")
    for changed in (renamed, other):
        mail = read(changed, envelope_sender="zoe@hotmail.com", recipient=OWN, own=OWN)
        assert mail.automatic
        assert mail.report is not None
        assert mail.report.kind == "complaint"
    neither = other.replace(b"X-HmXmrOriginalRecipient", b"X-Other")
    mail = read(neither, envelope_sender="zoe@hotmail.com", recipient=OWN, own=OWN)
    assert (mail.automatic, mail.report) == ("", None)


def test_a_persons_email_reports_nothing() -> None:
    """This holds for a quoted bounce, and for addresses like ours at another server."""
    bounce = (REPORTS / "qmail-no-mailbox.eml").read_bytes().partition(b"\n\n")[2]
    head = f"From: ann@example.org\nTo: perudo@localhost, team+b-{STAMP}@example.org\n\n"
    mail = read(head.encode() + bounce, envelope_sender="ann@example.org", recipient=OWN, own=OWN)
    assert mail.report is None
    assert mail.automatic == ""


def test_email_to_a_letters_envelope_sender_is_always_automatic() -> None:
    for mark in ("b", "u", "B"):
        recipient = f"perudo+{mark}-{STAMP}@localhost"
        raw = b"From: ann@example.org\n\nresign\n"
        mail = read(raw, envelope_sender="ann@example.org", recipient=recipient, own=OWN)
        assert mail.automatic == "to a letter's own address"
        raw = f"From: ann@example.org\nTo: {recipient}\n\nresign\n".encode()
        mail = read(raw, envelope_sender="ann@example.org", recipient=OWN, own=OWN)
        assert mail.automatic == "to a letter's own address"


def test_the_envelope_takes_precedence_over_headers_for_the_letter() -> None:
    other = "B" * 24
    found = marked([f"perudo+b-{STAMP.lower()}@localhost", f"perudo+u-{other}@localhost"], OWN)
    assert found == ("b-", STAMP)
    assert marked([OWN, f"perudo+u-{other}@localhost"], OWN) == ("u-", other)
    assert marked([OWN], OWN, f"Pause {other.lower()}") == ("u-", other)
    assert marked([OWN], OWN, f"Re: pause {other}") is None
    assert marked([OWN, f"x+u-{other}@localhost", "perudo+uno@localhost"], OWN) is None


@each_row(
    ("status", "words", "lasting"),
    [
        ("5.1.1", "", True),
        ("5.1.6", "", True),
        ("5.2.1", "", True),
        ("5.4.4", "", True),
        ("5.1.8", "the sender's address is bad", False),
        ("5.2.2", "", False),
        ("5.2.3", "too large for this mailbox", False),
        ("5.4.7", "", False),
        ("5.6.0", "", False),
        ("5.7.1", "", False),
        ("4.4.7", "", False),
        ("4.1.1", "550 5.1.1 user unknown", False),
        ("5.7.1", "554 5.7.1 Recipient rejected: user unknown", True),
        ("5.0.0", "550 5.2.1 account disabled", True),
        ("5.0.0", "smtp; 554 policy", False),
        ("5.0.0", "", True),
        ("", "550 no", True),
        ("", "553 no", True),
        ("", "552 too much", False),
        ("", "550 mailbox is full", False),
        ("", "530 please log in first", False),
        ("", "421 not now", False),
        ("", "no code at all from 192.0.2.5", False),
    ],
)
def test_a_report_blames_the_address_only_for_its_own_failures(
    status: str, words: str, lasting: bool
) -> None:
    assert is_lasting(status, words) is lasting


def test_a_report_without_a_status_gets_the_callers_default() -> None:
    assert is_lasting("", "gone", otherwise=True)
    assert not is_lasting("", "the quota is exceeded", otherwise=True)


ANY_BODY = st.one_of(st.binary(max_size=2000), st.text(max_size=500).map(str.encode))


@pytest.mark.slow
@given(ANY_BODY)
@settings(max_examples=examples(300))
@example(b"Content-Type: message/delivery-status\n\nAction: failed\n")
@example(b"Content-Type: message/rfc822\n\n" * 2000)
@example(b"Hi. This is the qmail-send program at x.\n\n<\xff@x>:\n5.1.1\n")
def test_any_report_of_a_machine_is_read(raw: bytes) -> None:
    mail = read(raw, envelope_sender="", recipient=OWN, own=OWN)
    assert mail.report is not None
    assert mail.report.kind
    assert len(mail.report.reason) <= 200
    assert mail.report.lasting <= (mail.report.kind != UNREADABLE)


def test_a_reason_holds_no_token_of_ours() -> None:
    raw = (REPORTS / "postfix-user-unknown.eml").read_text().replace("<ann@example.org>:", STAMP)
    mail = read(raw.encode(), envelope_sender="", recipient=OWN, own=OWN)
    assert mail.report is not None
    assert "…" in mail.report.reason
    assert STAMP not in mail.report.reason
