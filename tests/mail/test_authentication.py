"""Whom a mail server has proven, by the headers that real ones write and forgers would like to.

Every mail in `senders/` is named after what its header is like.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.mail.reading import read

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
}
GMAIL = ("gmail", "gmail-without-dmarc")
EVERY = sorted(path.stem for path in MAILS.glob("*.eml"))


def is_proven(raw: bytes, authserv_id: str) -> bool:
    mail = read(
        raw,
        envelope_sender="ann@example.org",
        recipient="perudo@perudo.example",
        own="perudo@perudo.example",
        authserv_id=authserv_id,
    )
    assert mail.automatic == "", "this would be no person's mail"
    return mail.authenticated


@pytest.mark.parametrize("name", EVERY)
def test_a_sender_counts_as_proven_by_our_server_alone(name: str) -> None:
    """Those that are proven are named above; all others are forged, foreign or unclear."""
    assert is_proven((MAILS / f"{name}.eml").read_bytes(), OURS) is (name in PROVEN)


@pytest.mark.parametrize("name", GMAIL)
def test_a_mailbox_at_gmail_is_believed_by_the_name_that_gmail_writes(name: str) -> None:
    """Gmail writes the signer's `header.i` and no `header.d`."""
    assert is_proven((MAILS / f"{name}.eml").read_bytes(), "mx.google.com")


def test_a_mailbox_at_yahoo_is_believed_although_its_list_ends_in_a_semicolon() -> None:
    raw = (MAILS / "yahoo.eml").read_bytes()
    assert is_proven(raw, "atlas206.free.mail.ne1.yahoo.com")


@pytest.mark.parametrize("name", EVERY)
def test_where_no_server_is_named_nobody_is_proven(name: str) -> None:
    assert not is_proven((MAILS / f"{name}.eml").read_bytes(), "")


PIECES = st.sampled_from(
    f'{OURS} ; = dmarc dkim pass fail header.d header.from smtp.mailfrom ( ) " \\ @ reason / 1 é \0'
    " example.org".split(" ")
)


@given(st.lists(PIECES, max_size=60).map("".join))
def test_whatever_the_header_says_it_is_read_without_an_error(value: str) -> None:
    head = f"Authentication-Results: {value}\nFrom: ann@example.org\nTo: perudo@perudo.example\n"
    raw = f"{head}\n4-2s\n".encode()
    assert is_proven(raw, OURS) in {True, False}
