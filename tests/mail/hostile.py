"""Mails that were written to be slow to read: what they begin with, and what fills them up.

The tests beside this file bound the time that they take, `scripts/bench read` shows it.
"""

from __future__ import annotations

from pbmserv.commands import vocabulary
from pbmserv.grammar import Reading, read_mail
from pbmserv.mail.reading import Mail, read
from pbmserv.quoting import lines_found
from pbmserv.reception import reads_as_move, without_commands
from pbmserv.salutations import ungreeted

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
    "parts behind 50,000 boundaries": (PARTS, b"--b\n"),
    "parts full of headers": (PARTS, b"--b\r\nA: b\r\n"),
    "parts in pieces of a boundary": (PARTS, b"--b-\r\n--b \r\n"),
    "a semicolon header": (b"Content-Type: ", b";"),
    "a semicolon header of other names": (b"Content-Disposition: attachment", b"; a*0*=''%41"),
    "a parameter in pieces": (b"Content-Type: text/plain", b"; charset*1=x"),
    "20,000 parentheses": (b"From: ", b"()"),
    "20,000 parentheses in the type": (b"Content-Type: text/plain ", b"("),
    "20,000 parentheses in Authentication-Results": (b"Authentication-Results: a; ", b"("),
    "parentheses that close": (b"From: ", b")"),
    "groups in From": (b"From: ", b"a:b@c;"),
    "commas in From": (b"From: ", b","),
    "recipients": (b"From: a@b\r\n", b"To: a+b@c, d+e@f\r\n"),
    "Received": (b"From: a@b\r\n", b"Received: from x by y; z\r\n"),
    "folds without text": (b"Subject: a", b"\r\n "),
    "Re": (b"Subject: ", b"Re: "),
    "list tags": (b"Subject: ", b"[a] "),
    "half a list tag": (b"Subject: ", b"[a"),
    "a line that begins no header": (b"", b"a "),
    "colons": (b"", b":"),
    "words for wrote": (PLAIN, b"wrote: "),
    "names that wrote": (PLAIN, b"a <b@c> wrote\n"),
    "citations": (PLAIN, b"Quoting \n"),
    "openings of disclaimers": (PLAIN, b"this message\n"),
    "advertisements": (PLAIN, b"Sent from my \n"),
    "our own letters": (PLAIN, b"It is your turn\n> \n"),
    "unknown heads": (PLAIN, b"x: a@b\nq: c\n"),
    "heads with dates": (PLAIN, b"x: a@b 2026\n"),
    "rules": (PLAIN, b"---\n\n"),
    "long rules": (PLAIN, b"-"),
    "rules of underscores": (PLAIN, b"_"),
    "GroupWise": (PLAIN, b">>> a >>>\n\n\n"),
    "armor": (PLAIN, b"-----BEGIN PGP SIGNED MESSAGE-----\n"),
    "half armor": (PLAIN, b"-----BEGIN PGP \n-----END PGP \n"),
    "wrapped quotes": (PLAIN, b"> " + b"x" * 70 + b"\ny\n"),
    "greetings of The Bat": (PLAIN, b"Hello,\n\n"),
    "commands": (PLAIN, b"perudo show 1\n"),
    "commands that nobody knows": (PLAIN, b"perudo " + b"x" * 1990 + b"\n"),
    "one endless word": (PLAIN, b"x"),
    "one endless move": (PLAIN, b"4-2s "),
    "one endless number": (PLAIN, b"4"),
    "moves": (PLAIN, b"4-2s\n"),
    "passwords": (PLAIN, b"perudo move 1 ann x 1-1s\n"),
    "what is hidden": (HTML, b"<div hidden>"),
    "what is hidden and never closed": (HTML, b"<p style='display:none'>"),
    "styles of nothing": (HTML, b"<a style='display:"),
    "blanks in styles": (HTML + b"<a style='display", b" "),
    "attributes named hidden": (HTML + b"<a ", b"hidden "),
    "frames": (HTML, b"<div id=divRplyFwdMsg>"),
    "signatures": (HTML, b"<div class=gmail_signature>"),
    "images": (HTML, b"<img alt='"),
    "closing tags": (HTML, b"</"),
    "conditional comments": (HTML, b"<![if "),
    "dashes in comments": (HTML + b"<!--", b"--"),
    "lists": (HTML, b"<ul><li>"),
    "gb18030": (in_charset(b"gb18030"), b"\x81"),
    "utf-16": (in_charset(b"utf-16"), b"\xd8\x00"),
    "big5": (in_charset(b"big5"), b"\xa4"),
    "a charset without end": (b"Content-Type: text/plain; charset=", b"x"),
    "uuencode": (b"Content-Transfer-Encoding: x-uuencode\r\n\r\n", b"begin 644 a\n"),
    "soft line ends": (b"Content-Transfer-Encoding: quoted-printable\r\n\r\n", b"=3D= \n"),
}


def filled(name: str, size: int) -> bytes:
    """The hostile mail of that name, so many bytes long."""
    head, filling = HOSTILE[name]
    return (head + filling * (size // len(filling) + 1))[:size]


def reading(raw: bytes) -> Mail:
    """The mail in these bytes."""
    return read(raw, envelope_sender=None, recipient=OWN, own=OWN, authserv_id="a")


def understanding(raw: bytes) -> tuple[Mail, Reading, str]:
    """All that is done with a mail before any password is tried or any table looked at."""
    mail = reading(raw)
    typed = ungreeted(mail.typed, vocabulary(), reads_as_move)
    asked = read_mail(mail.subject, typed, None, vocabulary(), reads_as_move)
    lines_found(mail.subject, mail.typed, vocabulary(), reads_as_move)
    return mail, asked, without_commands(asked.message)
