"""Emails that are slow to read: how they begin, and what fills them.

This is the only list of them.  The tests beside this file limit the time that they take, and
`scripts/bench read` shows it.  `mutants` makes ten thousand more of them, and `scripts/fuzz` begins
with them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pbmserv.intake.kept_emails.stored_mail import without_passwords
from pbmserv.intake.request import Request
from pbmserv.mail.incoming import IncomingMail
from pbmserv.mail.reading import Mail, read
from tests.stories.town import OUR_ADDRESS, PASSWORD, Town, mail, town_at

OWN = "perudo@perudo.example"
PLAIN = b"From: a@b\r\n\r\n"
HTML = b"From: a@b\r\nContent-Type: text/html\r\n\r\n"
FLOWED = b"Content-Type: text/plain; format=flowed; delsp=yes\r\n\r\n"
PARTS = b"Content-Type: multipart/mixed; boundary=b\r\n\r\n"
CHAT = b"From: a@b\r\nSubject: perudo chat 1 ann swordfish\r\n\r\n"
PROVEN = b"From: a@b\r\nTo: perudo@perudo.example\r\nAuthentication-Results: a; "
MARKS = "\u0323\u0301".encode()  # combining marks that sorting has to exchange
PLAYER = b"From: ann@example.org\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"
FOUR_WORDS = "\ufdfa"  # one sign, but four words where signs are folded to plain letters


def in_charset(name: bytes) -> bytes:
    return b"Content-Type: text/plain; charset=" + name + b"\r\n\r\n"


def chats(password: str, count: int, size: int, sign: str = FOUR_WORDS) -> bytes:
    """An email of ann's with so many texts for bob, no two alike, each of so many signs."""
    lines = [
        f'perudo chat 1 ann {password} --message="{number}{sign * size}"\n'
        for number in range(count)
    ]
    return PLAYER + "".join(lines).encode()


def nested(depth: int) -> bytes:
    line = b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n"
    return b"".join(line % (n, n) for n in range(depth))


HOSTILE = {
    "the word On": (PLAIN, b"On On On "),
    "dates": (PLAIN, b"On Fri 5 On Mon, Tue 5 "),
    "attributions that do not end": (PLAIN, b"On Fri 5\n"),
    "attributions": (PLAIN, b"On Fri 5 wrote:\n"),
    "attributions without a verb": (PLAIN, "On 5 20:26 İ:\n".encode()),
    "attributions without a verb in Chinese": (PLAIN, "在 2026年1月1日 2026:\n".encode()),
    "attributions without a colon": (PLAIN, b"On 5 a 20:26 <@ wrote\n"),
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
    "style sheets": (HTML, b"<style"),
    "rules that hide": (HTML + b"<style>", b".a{display:none}"),
    "rules that hide one class, and its tags": (
        HTML + b"<style>" + b"".join(b".a.b%d{display:none}" % n for n in range(40)) + b"</style>",
        b"<p class=a>",
    ),
    "rules without an end": (HTML + b"<style>", b".a{"),
    "comments in style sheets": (HTML + b"<style>", b"/*"),
    "selectors": (HTML + b"<style>", b"a>b,"),
    "noughts in styles": (HTML + b"<a style='font-size:", b"0"),
    "entities in styles": (HTML + b"<a style='", b"&#58"),
    "classes": (HTML + b"<style>.x{display:none}</style><a class='", b"a "),
    "classes without an end": (HTML + b"<style>.x{display:none}</style><a ", b'class="'),
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
    "combining marks": (PLAIN, MARKS),
    "a move and combining marks": (PLAIN + b"4-2s", MARKS),
    "lines of combining marks": (PLAIN, MARKS * 480 + b"\n"),
    "a message of combining marks": (CHAT, MARKS),
    "combining marks of one byte": (in_charset(b"windows-1258"), b"\xf2\xec"),
    "combining marks of Tibet": (PLAIN, "\u0f73".encode()),
    "thirty marks for a letter": (PLAIN, b"a" + MARKS * 15),
    "combining marks in HTML": (HTML, MARKS),
    "combining marks as entities": (HTML, b"&#803;&#769;"),
    "combining marks in the Subject": (b"Subject: ", MARKS),
    "encoded marks in the Subject": (b"Subject: ", b"=?windows-1258?q?=F2=EC=F2=EC?= "),
    "combining marks in From": (b"From: ", MARKS),
    "an encoded name of marks": (b"From: ", b"=?windows-1258?q?=F2=EC=F2=EC?= "),
    "a userid of marks": (PLAIN + b"perudo show 1 ann", MARKS),
    "Re and blanks": (b"Subject: Re" + b" " * 8000 + b"x:\r\n\r\n", b"Re" + b" " * 1990 + b"x:\n"),
    "Re and blanks in a message": (CHAT, b"Subject:Re" + b" " * 1980 + b"x:\n"),
    "Re and blanks that are none": (CHAT, b"Re" + b"\xc2\xa0" * 1990 + b"x:\n"),
    "blanks in front of Re": (b"Subject: =?utf-8?q?", b"_"),
    "a yes without end": (PLAIN + "是".encode(), "的是".encode()),
    "yeses that are none": (PLAIN, ("是" + "的是" * 50 + "x\n").encode()),
    "three hundred bytes of a yes": (PLAIN + ("是" + "的是" * 40 + "x\n").encode(), b"\n"),
    "a yes and thanks": (PLAIN + b"yes\n", b"thanks you "),
    "a yes of apostrophes": (PLAIN + b"yes a", b"'a"),
    "a yes and blanks": (PLAIN + b"yes\nsi", b"\t"),
    "greetings without end": (PLAIN, b"hello\n\n"),
    "nearly commands": (PLAIN, b"perudo standungz\n"),
    "a message of nearly commands": (CHAT, b"perudo standungz\n"),
    "a message of new passwords": (CHAT, b"change password ann x yyyyyy\n"),
    "a message of warnings": (CHAT, b"Subject: [[[[[ext [ext \n"),
    "a message of one line": (CHAT, b"hello "),
    "texts for others, the password wrong": (chats("wrongpw", 45, 1_850), b"\n"),
    "texts for others": (chats(PASSWORD, 45, 1_850), b"\n"),
    "a text for others of as many words as can be": (chats(PASSWORD, 1, 9_990), b"\n"),
    "a text for others of numbers": (chats(PASSWORD, 1, 4_990, "1a"), b"\n"),
    "a text for others of short lines": (
        PLAYER.replace(b"\r\n", f"\r\nSubject: perudo chat 1 ann {PASSWORD}\r\n".encode(), 1)
        + "½ ½ ½ ½\n".encode() * 990,
        b"\n",
    ),
    "twenty times a long command": (PLAIN, b"perudo stats ann\n"),
    "a style sheet of selectors": (
        HTML
        + b"<style>"
        + b",".join(b".a.b%d" % n for n in range(12_000))
        + b"{display:none}</style>",
        b"<p class=a>",
    ),
    "a style sheet and classes": (
        HTML
        + b"<style>"
        + b",".join(b".a.b%d" % n for n in range(200))
        + b"{display:none}</style>",
        b"<p class=a>",
    ),
    "selectors of one id, and its tags": (
        HTML
        + b"<style>"
        + b",".join(b"#x.a%d" % n for n in range(100))
        + b"{display:none}</style>",
        b"<b id=x>",
    ),
    "selectors of eight classes, and tags of seven": (
        HTML
        + b"<style>"
        + b",".join(
            b".h" + b"".join(b".%c" % b"abcdefg"[bit] for bit in range(7) if subset >> bit & 1)
            for subset in range(1, 101)
        )
        + b"{display:none}</style>",
        b"<b class='a b c d e f g'>",
    ),
    "colours of a style sheet": (
        HTML + b"<style>" + b",".join(b"#x.a%d" % n for n in range(100)) + b"{color:#fff}</style>",
        b"<b id=x>",
    ),
    "media": (HTML + b"<style>", b"@media print{"),
    "strings in style sheets": (HTML + b"<style>", b"'\""),
    "backgrounds": (HTML, b"<b bgcolor=x>"),
    "rules of style": (HTML + b"<style>", b".a{display:none}"),
    "comments in styles": (HTML + b"<style>", b"/*"),
    "escapes in styles": (HTML + b"<style>", b"\\41 "),
    "colours": (HTML, b"<p style='color:#fff'>"),
    "a long boundary": (PARTS[:-5] + b"a" * 70 + b"\r\n\r\n", b"a"),
    "a boundary of dashes": (PARTS[:-5] + b"-" * 70 + b"\r\n\r\n", b"-"),
    "parts of parameters": (PARTS, b"--b\r\nContent-Type: text/plain" + b";=" * 2500 + b"\r\n\r\n"),
    "results of checks": (PROVEN, b"dkim=pass header.d=b; "),
    "properties of checks": (PROVEN + b"dkim=pass ", b"header.d=b "),
    "a quoted result of a check": (PROVEN + b'dkim=pass reason="', b"\\a"),
    "a proven head without end": (PROVEN + b"dmarc=pass header.from=b\r\n", b"X: y\r\n"),
    "a proven From": (PROVEN + b"dmarc=pass header.from=b\r\n\r\n", b"x\n"),
    "a result of dots": (PROVEN + b"spf=pass smtp.mailfrom=", b"a."),
}
# An email has so many of these that it is a bounce, or says that it is one.
REPORT = b"Content-Type: multipart/report; boundary=b\r\n\r\n"
STATUS = b"--b\r\nContent-Type: message/delivery-status\r\n\r\n"
HOSTILE_BOUNCES = {
    "enclosed emails": (b"", b"Content-Type: message/rfc822\r\n\r\n"),
    "reports": (REPORT, STATUS + b"Action: failed\r\n\r\n"),
    "groups of fields": (REPORT + STATUS, b"Action: delayed\r\n\r\n"),
    "an address that does not end": (PLAIN + b"failed addresses follow:\r\n", b"a"),
    "signs of an address": (PLAIN + b"the following addresses had\r\n", b"a@"),
    "what may be stamps": (PLAIN, b".AAAAAAAAAAAAAAAAAAAAAAAA@"),
    "half a message number": (PLAIN, b"<1.1"),
    "failed recipients": (b"X-Failed-Recipients: ", b'a@b,("'),
    "addresses and colons": (PLAIN, b"<a@b>:\n"),
    "a diagnosis of marks": (REPORT + STATUS + b"Action: failed\nDiagnostic-Code: x; ", MARKS),
    "what servers say to a recipient": (PLAIN, b"RCPT TO:<a@b>\n"),
}


def filled(head: bytes, filling: bytes, size: int) -> bytes:
    """An email of that beginning, filled up to about so many bytes; no character is cut."""
    return head + filling * max(1, (size - len(head)) // len(filling))


def reading(raw: bytes) -> Mail:
    """The email in these bytes; the writer's language and clock are asked for, too."""
    found = read(raw, envelope_sender=None, recipient=OWN, own=OWN, authserv_id="a")
    about_writer(found)
    return found


def about_writer(mail: Mail) -> tuple[str, int | None]:
    """What an email shows of its writer, which is found only when it is asked for."""
    return mail.writer.language, mail.writer.offset


@dataclass(frozen=True, slots=True)
class Readers:
    """All of the program that reads a stranger's words, in a real home with a board in it.

    `yes` is the address for a reply to a letter that asks for a yes.  `move` is the address for a
    reply with a move.
    """

    town: Town
    yes: str
    move: str

    def understood(self, raw: bytes, recipient: str = OUR_ADDRESS) -> Request:
        """What an email asks for, read and kept as it would be if the server failed later."""
        incoming = IncomingMail(raw, "stranger@example.net", recipient, "smtp")
        opened = self.town.processor.request_reader.understood(incoming, self.town.now)
        without_passwords(opened)
        about_writer(opened.mail)
        return opened

    def ways(self) -> Mapping[str, Callable[[bytes], object]]:
        """Every way in which the words of one email may be read."""
        return {
            "as an email": self.understood,
            "as a yes": lambda raw: self.understood(raw, self.yes),
            "as a move": lambda raw: self.understood(raw, self.move),
            "as a bounce": lambda raw: read(raw, envelope_sender="", recipient=OWN, own=OWN),
            "with its sender proven": reading,
        }

    def answered(self, raw: bytes) -> None:
        """An email is carried out, and the letters that it leads to are worded."""
        self.town.processor.accept([IncomingMail(raw, "stranger@example.net", OUR_ADDRESS, "smtp")])
        self.town.app.deliver()


@contextmanager
def readers() -> Iterator[Readers]:
    """A home in a folder of its own. The players ann and bob play on board 1, and zoe was asked for
    a yes."""
    with tempfile.TemporaryDirectory() as folder, town_at(Path(folder) / "home") as town:

        def write(name: str, subject: str, to: str = OUR_ADDRESS, text: str = "yes") -> str:
            number, sender = town.next_message_id(), f"{name}@example.org"
            raw = mail(sender, subject, text, message_id=number, to=to)
            town.processor.accept([IncomingMail(raw, sender, to, "smtp")])
            town.delivered()
            return town.last_letter_to(sender).reply_to

        for name in ("ann", "bob"):
            write(name, "Re: your letter", write(name, f"signup {name} {PASSWORD}"))
        yes = write("zoe", f"signup zoe {PASSWORD}")
        move = write("ann", "perudo challenge -inorder ann bob")
        assert "+" in yes
        assert "+" in move
        yield Readers(town, yes, move)
