"""No mail, however hostile, takes more than half a second or makes the reading fail."""

from __future__ import annotations

import sys
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.mail.hostile import HOSTILE, filled, reading, understanding

SIZE = 256 * 1024
LIMIT = 0.5 if sys.gettrace() is None else 5.0  # seconds; measuring coverage takes its time


@pytest.mark.parametrize("name", HOSTILE)
def test_256_kilobytes_take_less_than_half_a_second(name: str) -> None:
    raw = filled(name, SIZE)
    begun = process_time()
    understanding(raw)
    assert process_time() - begun < LIMIT


PIECES = st.sampled_from(
    [
        *(b"\n", b"\r\n", b"\r", b" ", b"\t", b">", b"<", b"*", b"--", b"-- \n", b"--b", b"\n\n"),
        *(b"On Fri, 5 x", b" wrote:", b"From: ", b"Sent: ", b"To: ", b"Subject: ", b"=?utf-8?q?"),
        *(b"=C3", b"?=", b"=", b"Content-Type: ", b"multipart/mixed; boundary=b", b"text/html"),
        *(
            b"\xff",
            b"\0",
            b"<div",
            b"</p>",
            b"<!--",
            b"&#x110000;",
            b"&#0;",
            b"charset=",
            b"utf-16",
        ),
        *(b"format=flowed", b'"', b"\\", b":", b"@", b";", b"Content-Transfer-Encoding: base64"),
        *(b"Message-ID: <", b"hz", b"\xe2\x9a", b"(", b")", b"5-5s", b"References: <a.b@c>"),
    ]
)


@given(st.lists(st.one_of(PIECES, st.binary(max_size=8)), max_size=60).map(b"".join))
@settings(max_examples=500, deadline=None)
def test_whatever_comes_is_read(raw: bytes) -> None:
    """Never an exception, and nothing that could pass for a second line or header."""
    mail = reading(raw)
    for text in (mail.sender, mail.subject, mail.message_id, mail.automatic, *mail.references):
        assert "\n" not in text
        assert "\r" not in text
        assert "\0" not in text
    for line in mail.typed:
        assert "\n" not in line
        assert "\r" not in line
    assert mail.message_id
