"""The laws of `laws.py` hold: for bytes that hypothesis makes, and for all that once broke one.

`crashers/LAW-NAME` are inputs that broke a law, found by `scripts/fuzz` or by hand, each kept
when it was mended.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.mail.laws import LAWS

HERE = Path(__file__).parent
MAILS = sorted((HERE / "data").glob("*.eml"))

# What mails are made of, so that chance meets its edges more often.
PIECES = st.sampled_from(
    [
        *(b"\n", b"\r\n", b"\r", b" ", b"\t", b">", b"<", b"*", b"--", b"-- \n", b"--b", b"\n\n"),
        *(b"On Fri, 5 x", b" wrote:", b"From: ", b"Sent: ", b"To: ", b"Subject: ", b"=?utf-8?q?"),
        *(b"=C3", b"?=", b"=", b"Content-Type: ", b"multipart/mixed; boundary=b", b"text/html"),
        *(b"\xff", b"\0", b"<div", b"</p>", b"<!--", b"&#x110000;", b"&#0;", b"charset="),
        *(b"utf-16", b"utf-7", b"+AAA-", b"format=flowed", b"; delsp=yes", b'"', b"\\", b":"),
        *(b"@", b";", b"Content-Transfer-Encoding: base64", b"quoted-printable", b"hz", b"(", b")"),
        *(b"Message-ID: <", b"\xe2\x9a", b"5-5s", b"perudo ", b"move ", b"#", b"12 ", b"dudo"),
        *(b"References: <a.b@c>", b"<p hidden>", b"<pre>", b"<blockquote>", b"</blockquote>"),
        *(b"-----Original Message-----", b"-----BEGIN PGP SIGNED MESSAGE-----", b"*0*=", b"''"),
        *(b">>> a >>>", b"____________", b"Sent from my ", b"this message", b"Hello,", b"\xc2\xa0"),
    ]
)


@pytest.mark.parametrize("name", LAWS)
def test_a_law_holds_for_whatever_comes(name: str) -> None:
    @given(st.lists(st.one_of(PIECES, st.binary(max_size=8)), max_size=60).map(b"".join))
    @settings(max_examples=300, deadline=None)
    def holds(data: bytes) -> None:
        LAWS[name](data)

    holds()


@pytest.mark.parametrize("name", LAWS)
def test_a_law_holds_for_every_mail_that_we_have(name: str) -> None:
    """And for what once broke it."""
    for file in (*MAILS, *(HERE / "crashers").glob(f"{name}-*")):
        LAWS[name](file.read_bytes())
