"""No mail, however hostile, takes more than half a second or makes the reading fail."""

from __future__ import annotations

import sys
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbmserv.mail.reading import read
from tests.mail.hostile import HOSTILE, OWN, PLAIN, filled, reading, understanding

SIZE = 256 * 1024
LIMIT = 0.5 if sys.gettrace() is None else 5.0  # seconds; measuring coverage takes its time


@pytest.mark.parametrize("name", HOSTILE)
def test_256_kilobytes_take_less_than_half_a_second(name: str) -> None:
    raw = filled(name, SIZE)
    begun = process_time()
    understanding(raw)
    assert process_time() - begun < LIMIT


# What a bounce may be made of, besides.
REPORT = b"Content-Type: multipart/report; boundary=b\r\n\r\n"
STATUS = b"--b\r\nContent-Type: message/delivery-status\r\n\r\n"
HOSTILE_BOUNCES = {
    "enclosed mails": (b"", b"Content-Type: message/rfc822\r\n\r\n"),
    "reports": (REPORT, STATUS + b"Action: failed\r\n\r\n"),
    "groups of fields": (REPORT + STATUS, b"Action: delayed\r\n\r\n"),
    "an address that does not end": (PLAIN + b"failed addresses follow:\r\n", b"a"),
    "signs of an address": (PLAIN + b"the following addresses had\r\n", b"a@"),
    "what may be stamps": (PLAIN, b".AAAAAAAAAAAAAAAAAAAAAAAA@"),
    "half a message number": (PLAIN, b"<1.1"),
    "recipients": (b"X-Failed-Recipients: ", b'a@b,("'),
}


@pytest.mark.parametrize("name", [*HOSTILE, *HOSTILE_BOUNCES])
def test_a_bounce_of_256_kilobytes_takes_no_longer(name: str) -> None:
    head, filling = (HOSTILE | HOSTILE_BOUNCES)[name]
    raw = (head + filling * (SIZE // len(filling) + 1))[:SIZE]
    begun = process_time()
    assert read(raw, envelope_sender="", recipient=OWN, own=OWN).report
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
