"""Limits keep hostile email cheap: what is above a limit is neither read nor done."""

from __future__ import annotations

from pbmserv.mail.headers import LARGEST_BLOCK, LARGEST_HEADER, MOST_HEADERS
from pbmserv.mail.parts import DEEPEST, MOST_PARTS
from pbmserv.mail.reading import Mail, read
from pbmserv.mail.reply_text import MOST_LINES

OWN = "perudo@perudo.example"


def mail(text: str) -> Mail:
    return read(text.encode(), envelope_sender="ann@x.org", recipient=OWN, own=OWN)


def test_the_caps_are_those_promised() -> None:
    assert (LARGEST_BLOCK, LARGEST_HEADER, MOST_HEADERS) == (64 * 1024, 8 * 1024, 200)
    assert (MOST_PARTS, DEEPEST) == (50, 10)


def test_an_email_with_201_headers_counts_as_automatic() -> None:
    for extra, automatic in ((198, False), (199, True)):
        found = mail("From: ann@x.org\nSubject: help\n" + "X: y\n" * extra + "\n5-5s\n")
        assert bool(found.automatic) is automatic
        assert found.subject == "help"


def test_headers_of_more_than_64_kilobytes_count_as_automatic() -> None:
    head = "From: ann@x.org\n"
    line = "X-Scanned: " + "y" * 1012 + "\n"  # a kilobyte
    fits = head + line * 63
    for text, automatic in ((fits, False), (fits + line, True)):
        assert bool(mail(text + "\n5-5s\n").automatic) is automatic


def test_a_header_is_read_for_8_kilobytes() -> None:
    subject = mail(f"From: ann@x.org\nSubject: {'x' * 9000}\n\n").subject
    assert LARGEST_HEADER - 2 < len(subject) <= LARGEST_HEADER


def test_a_command_beyond_a_cap_is_not_read() -> None:
    deep = "".join(
        f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(DEEPEST + 1)
    )
    assert mail(f"From: ann@x.org\n{deep}\nhelp\n").typed == ()
    parts = "--b\n\n" * MOST_PARTS + "--b\n\nhelp\n"
    head = "From: ann@x.org\nContent-Type: multipart/mixed; boundary=b\n\n"
    assert mail(head + parts).typed == ()
    assert mail("From: ann@x.org\n\n" + "\n" * MOST_LINES + "help\n").typed == ()
