"""No mail, however hostile, takes more than half a second or makes the reading fail."""

from __future__ import annotations

import sys
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbmserv.mail.reading import Mail, read

SIZE = 256 * 1024
LIMIT = 0.5 if sys.gettrace() is None else 5.0  # seconds; measuring coverage takes its time
OWN = "perudo@perudo.example"
PLAIN = b"From: a@b\r\n\r\n"
HTML = b"From: a@b\r\nContent-Type: text/html\r\n\r\n"
FLOWED = b"Content-Type: text/plain; format=flowed; delsp=yes\r\n\r\n"
PARTS = b"Content-Type: multipart/mixed; boundary=b\r\n\r\n"


def in_charset(name: bytes) -> bytes:
    return b"Content-Type: text/plain; charset=" + name + b"\r\n\r\n"


def nested(depth: int) -> bytes:
    line = b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n"
    return b"".join(line % (n, n) for n in range(depth))


# What the mail begins with, and what then fills it up.
HOSTILE = {
    "the word On": (PLAIN, b"On On On "),
    "dates": (PLAIN, b"On Fri 5 On Mon, Tue 5 "),
    "attributions that do not end": (PLAIN, b"On Fri 5\n"),
    "attributions": (PLAIN, b"On Fri 5 wrote:\n"),
    "names": (PLAIN, b"a@b <\n"),
    "addresses without end": (PLAIN, b"<a@b>"),
    "quote marks in one line": (PLAIN, b">"),
    "quotes": (PLAIN, b"On Fri 5 a@b> wrote:\n> x\ny\n"),
    "outlook's heads": (PLAIN, b"From: x\nSent: y\n"),
    "dividers": (PLAIN, b"-----a-----\n> \n"),
    "a divider and empty lines": (PLAIN + b"-----a-----", b"\n"),
    "empty lines": (PLAIN, b"\n"),
    "blanks": (PLAIN, b" "),
    "asterisks": (PLAIN, b"*"),
    "half bold words": (PLAIN, b"*a "),
    "bold words": (PLAIN, b"*a*"),
    "an asterisk and blanks": (PLAIN + b"*a", b" "),
    "empty parts": (PARTS, b"--b\r\n\r\n"),
    "lines like the boundary": (PARTS, b"--bx\r\n"),
    "two thousand nested parts": (nested(2000), b"x"),
    "nested parts full of parts": (nested(9), b"--b1\r\n\r\n"),
    "brackets": (HTML, b"<"),
    "tags that do not end": (HTML, b"<a "),
    "quotes that do not end": (HTML, b"<a '"),
    "two kinds of quotes": (HTML, b"<a \"<a '"),
    "comments": (HTML, b"<!--"),
    "styles that do not end": (HTML, b"<style>"),
    "styles": (HTML, b"<style></style>"),
    "quotations": (HTML, b"<blockquote>a"),
    "paragraphs": (HTML, b"<p> "),
    "cells": (HTML, b"</td> "),
    "preformatted text": (HTML, b"<pre>a\n"),
    "ampersands": (HTML, b"&"),
    "entities": (HTML, b"&#99999999"),
    "a long name of an entity": (HTML, b"&aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
    "attributes": (HTML + b"<div ", b"name='"),
    "flowed lines": (FLOWED, b"a \n"),
    "flowed quotes": (FLOWED, b"> a \n>> b \n"),
    "headers": (b"", b"X: y\r\n"),
    "a folded header": (b"Subject: a\r\n", b" b\r\n"),
    "half encoded words": (b"Subject: ", b"=?a?q?"),
    "encoded words": (b"Subject: ", b"=?utf-8?q?a?= "),
    "brackets in From": (b"From: ", b"<"),
    "comments in From": (b"From: ", b"("),
    "quotes in From": (b"From: ", b'"\\'),
    "references": (b"References: ", b"<a@b>"),
    "parameters": (b"Content-Type: a/b", b";="),
    "a quoted parameter": (b"Content-Type: a;b=", b'"\\'),
    "punycode": (in_charset(b"punycode"), b"a-\x80"),
    "idna": (in_charset(b"idna"), b"a.\x80"),
    "utf-7": (in_charset(b"utf-7"), b"+AAA-"),
    "half utf-7": (in_charset(b"utf-7"), b"+"),
    "hz": (in_charset(b"hz"), b"~{"),
    "japanese escapes": (in_charset(b"iso-2022-jp"), b"\x1b$B"),
    "base64": (b"Content-Transfer-Encoding: base64\r\n\r\n", b"A="),
    "quoted-printable": (b"Content-Transfer-Encoding: quoted-printable\r\n\r\n", b"=\n"),
    "NUL": (b"", b"\0"),
    "CR": (b"", b"\r"),
    "bytes of no character": (PLAIN, b"\xff"),
}


def reading(raw: bytes) -> Mail:
    return read(raw, envelope_sender=None, recipient=OWN, own=OWN)


@pytest.mark.parametrize("name", HOSTILE)
def test_256_kilobytes_take_less_than_half_a_second(name: str) -> None:
    head, filling = HOSTILE[name]
    raw = (head + filling * (SIZE // len(filling) + 1))[:SIZE]
    begun = process_time()
    reading(raw)
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
