"""Which sender a mail server has proven: headers of real servers, and of forgers.

Every email in `senders/` is named after what its header is like.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.mail.addresses import addresses
from pbmserv.mail.header_ambiguity import plain_address
from pbmserv.mail.reading import Mail, read
from tests.rows import each_row

MAILS = Path(__file__).parent / "senders"
OURS = "mx.perudo.example"
PROVEN = {
    "opendmarc-above-opendkim",
    "opendkim-alone",
    "opendmarc-with-two-spf-results",
    "policyd-spf",
    "rspamd",
    "microsoft-behind-a-named-server",
    "relaxed-alignment-by-dmarc",
    "dmarc-without-a-record-but-dkim",
    "names-in-capitals",
    "written-to-us-in-copy",
    "spf-fails-but-the-signature-holds",
    "spf-hardfails-but-the-signature-holds",
    "spf-fails-but-dmarc-passes",
}
REFUTED = {
    "dkim-passes-but-dmarc-fails",
    "dmarc-fails-and-nothing-asks-for-action",
    "dmarc-fails-for-several-addresses",
    "forged-below-the-real-one",
    "spf-alone-fails",
    "spf-alone-hardfails",
    "spf-fails-and-another-domain-signed",
    "two-verdicts-of-dmarc",
}
GMAIL = ("gmail", "gmail-without-dmarc")
EVERY = sorted(path.stem for path in MAILS.glob("*.eml"))


def reading_of(raw: bytes, authserv_id: str) -> Mail:
    mail = read(
        raw,
        envelope_sender="ann@example.org",
        recipient="perudo@perudo.example",
        own="perudo@perudo.example",
        authserv_id=authserv_id,
    )
    assert mail.automatic == "", "this would be no person's mail"
    return mail


def is_proven(raw: bytes, authserv_id: str) -> bool:
    return reading_of(raw, authserv_id).authenticated


@each_row("name", EVERY)
def test_a_sender_counts_as_proven_by_our_server_alone(name: str) -> None:
    """Those that are proven are named above; all others are forged, foreign or unclear."""
    assert is_proven((MAILS / f"{name}.eml").read_bytes(), OURS) is (name in PROVEN)


@each_row("name", EVERY)
def test_a_sender_is_refuted_by_our_server_alone(name: str) -> None:
    """Named above are those that our server calls forged; an email is never proven as well."""
    mail = reading_of((MAILS / f"{name}.eml").read_bytes(), OURS)
    assert mail.refuted is (name in REFUTED)
    assert not (mail.refuted and mail.authenticated)


@each_row("name", sorted(REFUTED))
def test_no_sender_is_refuted_without_a_trusted_server(name: str) -> None:
    assert not reading_of((MAILS / f"{name}.eml").read_bytes(), "").refuted


@pytest.mark.parametrize("name", GMAIL)
def test_a_mailbox_at_gmail_is_believed_by_the_name_that_gmail_writes(name: str) -> None:
    """Gmail writes the signer's `header.i` and no `header.d`."""
    assert is_proven((MAILS / f"{name}.eml").read_bytes(), "mx.google.com")


def test_a_mailbox_at_yahoo_is_believed_although_its_list_ends_in_a_semicolon() -> None:
    raw = (MAILS / "yahoo.eml").read_bytes()
    assert is_proven(raw, "atlas206.free.mail.ne1.yahoo.com")


@each_row("name", EVERY)
def test_no_sender_is_proven_without_a_trusted_server(name: str) -> None:
    assert not is_proven((MAILS / f"{name}.eml").read_bytes(), "")


def with_from(value: str) -> bytes:
    proven = (MAILS / "opendkim-alone.eml").read_bytes()
    assert proven.count(b"From: Ann <ann@example.org>") == 1
    return proven.replace(b"From: Ann <ann@example.org>", b"From: " + value.encode())


@each_row(
    "value",
    [
        "ann@example.org",
        "<ann@example.org>",
        "Ann <ANN@Example.org>",
        '"Ann, the first" <ann@example.org>',
        '"ann@example.org" <ann@example.org>',
        "=?utf-8?q?J=C3=BCrg?= B. <jürg.b@example.org>".replace("ü", "ue"),
        "Jürg <ann@example.org>",
        "Ann\n\t<ann+games@example.org>",
    ],
)
def test_one_plain_address_with_or_without_a_name_is_proven(value: str) -> None:
    assert is_proven(with_from(value), OURS)


@each_row(
    "value",
    [
        "ann@example.org (ann)",
        "(<mallory@mallory.example>) ann@example.org",
        "Ann <ann@example.org> (of the Anns)",
        "Ann <ann(x)@example.org>",
        "Players: ann@example.org;",
        "ann@example.org, ",
        "<@mallory.example:ann@example.org>",
        '"ann"@example.org',
        "Ann <ann@example.org",
        "Ann <<ann@example.org>>",
        "Ann <mallory@mallory.example> <ann@example.org>",
        '"<ann@example.org>" <ann@example.org>',
        '"bob@example.org" <ann@example.org>',
        "bob@example.org <ann@example.org>",
        r'"\"" <ann@example.org>',
        "=?utf-8?q?ann?=@example.org",
        "ann @example.org",
        "ann..b@example.org",
        "ann.@example.org",
        '"<ann@example.org>',
        '"Ann <ann@example.org>',
        "ann@example.org.",
        "ann@[192.0.2.1]",
        "änn@example.org",
        "ann@example.org\0",
        "ann@exam\0ple.org",
    ],
)
def test_a_from_that_could_be_read_in_two_ways_is_not_proven(value: str) -> None:
    assert not is_proven(with_from(value), OURS)


@given(st.text(st.sampled_from(' "\\<>()[]:;@,.=?aé\n\t'), max_size=25))
def test_a_plain_address_is_the_only_one_that_our_reading_finds(value: str) -> None:
    if address := plain_address(value):
        assert [each.lower() for each in addresses(value)] == [address]


@each_row(
    ("was", "becomes"),
    [
        (b"From: Ann", b"X-Note: a\rFrom: Ann"),
        (b"From: Ann", b"From: A\rnn"),
        (b"From: Ann", b"From: A\0nn"),
        (b"From: Ann", b"From: A\x1bnn"),
        (b"From: Ann", b"From: A\xffnn"),
        (b"From: Ann", b"From : Ann"),
        (b"From: Ann", b"and now\nFrom: Ann"),
        (b"From: Ann", b" \nFrom: Ann"),
        (b"Subject: ", b"Subject: \xe4"),
        (b"Subject: ", b"Subject: \n \n "),
        (b"Subject: ", b"Subject : "),
        (b"Authentication", b"From mallory\nAuthentication"),
        (b"Authentication", b" Authentication"),
        (b"Authentication-Results:", b"Authentication-Results :"),
    ],
)
@each_row("end", [b"\n", b"\r\n"])
def test_a_head_that_could_be_read_in_two_ways_proves_nothing(
    was: bytes, becomes: bytes, end: bytes
) -> None:
    proven = (MAILS / "opendkim-alone.eml").read_bytes()
    assert is_proven(proven.replace(b"\n", end), OURS)
    assert was in proven
    assert not is_proven(proven.replace(was, becomes, 1).replace(b"\n", end), OURS)


def test_a_bare_line_feed_among_other_line_ends_proves_nothing() -> None:
    proven = (MAILS / "opendkim-alone.eml").read_bytes().replace(b"\n", b"\r\n")
    assert not is_proven(proven.replace(b"\r\nFrom:", b"\nFrom:"), OURS)
    assert not is_proven(proven.replace(b"\r\nFrom:", b"\rFrom:"), OURS)


def test_a_second_sender_or_answer_address_proves_nothing() -> None:
    proven = (MAILS / "opendkim-alone.eml").read_bytes()
    for name in (b"Sender", b"Reply-To"):
        one = proven.replace(b"From:", name + b": ann@example.org\nFrom:")
        assert is_proven(one, OURS)
        assert not is_proven(one.replace(b"From:", name + b": bob@example.org\nFrom:"), OURS)


PIECES = st.sampled_from(
    f'{OURS} ; = dmarc dkim pass fail header.d header.from smtp.mailfrom ( ) " \\ @ reason / 1 é \0'
    " example.org".split(" ")
)


@given(st.lists(PIECES, max_size=60).map("".join))
def test_any_header_is_read_without_an_error(value: str) -> None:
    head = f"Authentication-Results: {value}\nFrom: ann@example.org\nTo: perudo@perudo.example\n"
    raw = f"{head}\n4-2s\n".encode()
    assert is_proven(raw, OURS) in {True, False}
