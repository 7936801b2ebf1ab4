"""The envelope of an email in a mailbox: what headers tell of it, and what they may not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.mail.envelope import found_in_mailbox
from pbmserv.mail.incoming import IncomingMail
from tests.rows import each_row

OWN = "Perudo@Perudo.Example"
PLUS = "perudo+TOKEN@perudo.example"


def found(*lines: str, end: str = "\r\n") -> IncomingMail:
    raw = end.join((*lines, "", "text")).encode()
    incoming = found_in_mailbox(raw, "imap", OWN)
    assert (incoming.raw, incoming.transport) == (raw, "imap")
    return incoming


@pytest.mark.parametrize(
    ("path", "sender"),
    [
        ("<ann@example.org>", "ann@example.org"),
        (" < ann@example.org > (a comment)", "ann@example.org"),
        ("<>", ""),
        (" < > ", ""),
        ("", None),
        ("nonsense", None),
        (f"<{'x' * 400}@example.org>", None),
    ],
)
def test_the_return_path_gives_the_sender(path: str, sender: str | None) -> None:
    assert found(f"Return-Path: {path}", "From: x@y").envelope_sender == sender


def test_the_first_return_path_counts() -> None:
    """The provider writes its own at the top. Lower ones came with the email."""
    lines = ("Delivered-To: x@y", "Return-Path: <real@example.org>", "Received: by x")
    assert found(*lines, "Return-Path: <>").envelope_sender == "real@example.org"


def test_the_sender_is_unknown_without_a_return_path() -> None:
    assert found("From: ann@example.org", "", "Return-Path: <>").envelope_sender is None
    assert found("").envelope_sender is None


@each_row("end", ["\r\n", "\n", "\r"])
@each_row(
    "lines",
    [
        (f"To: {PLUS}",),
        (f"Delivered-To: {PLUS}", "To: ann@example.org"),
        (f"X-Original-To: {PLUS}", "Delivered-To: perudo@perudo.example"),
        ("Delivered-To: mailbox17@provider.example", f"To: Perudo <{PLUS}>"),
        (f"To: ann@example.org,\n\tPerudo <perudo@perudo.example>, <{PLUS}>",),
        (f"CC: {PLUS}",),
    ],
)
def test_the_recipient_is_our_address_with_its_plus_part(lines: tuple[str, ...], end: str) -> None:
    incoming = found(*(line.replace("\n", end) for line in lines), end=end)
    assert incoming.recipient == PLUS


def test_a_plus_part_of_another_address_is_ignored() -> None:
    assert found("To: ann+TOKEN@example.org", "Cc: perudo@other.example").recipient == ""
    assert found("To: ann+TOKEN@example.org, perudo@perudo.example").recipient == (
        "perudo@perudo.example"
    )


@given(st.binary(max_size=300), st.text(max_size=100))
def test_any_bytes_have_an_envelope(raw: bytes, value: str) -> None:
    """No address is longer than its column in the inbox."""
    head = f"Return-Path: {value}\nTo: {value}, perudo+{value}@perudo.example\n".encode()
    for each in (raw, head + raw):
        incoming = found_in_mailbox(each, "maildir", OWN)
        assert len(incoming.recipient) <= 320
        assert len(incoming.envelope_sender or "") <= 320
