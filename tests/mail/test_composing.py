"""Composed letters are read as they were meant, by the standard library and by us."""

from __future__ import annotations

import email
import email.policy
import re
from email.headerregistry import Address
from email.message import EmailMessage
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from pbmserv.mail.composing import compose
from pbmserv.mail.reading import read
from tests.examples import examples
from tests.rows import each_row

DATE = 1_795_210_340
TEXT = st.text(alphabet=st.characters(exclude_categories=()), max_size=300)
LINES = st.text(
    alphabet=st.one_of(
        st.sampled_from("\n\r\t .=-?From >é⚂\x0b\x0c\x1c\x85\u2028\0"), st.characters()
    ),
    max_size=400,
)


def composed(**changes: Any) -> bytes:
    given: dict[str, Any] = {
        "sender_name": "Perudo game server",
        "sender": "perudo@perudo.example",
        "to": "ann@example.org",
        "subject": "Perudo Board 12 ann",
        "text": "It is your turn.\n",
        "message_id": "<12.17.TOKEN@perudo.example>",
        "date": DATE,
        "reply_to": "perudo+TOKEN@perudo.example",
        "in_reply_to": "",
        "references": (),
    }
    return compose(**{**given, **changes})


def parsed(data: bytes) -> EmailMessage:
    return email.message_from_bytes(data, policy=email.policy.default)  # type: ignore[arg-type, return-value, unused-ignore] # typeshed differs


def body(message: EmailMessage) -> str:
    part = message.get_body()
    assert part is not None
    return str(part.get_content()).replace("\r\n", "\n")  # type: ignore[attr-defined, unused-ignore] # as above


def on_one_line(value: str) -> str:
    """What a header can hold of `value`: no control characters, no half characters."""
    kept = "".join(" " if ord(c) < 32 or 127 <= ord(c) <= 160 else c for c in value)
    return " ".join(kept.encode("utf-8", "replace").decode("utf-8").split())


def as_lines(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = text.encode("utf-8", "replace").decode("utf-8")
    return text if text.endswith("\n") else text + "\n"


def check_form(data: bytes) -> None:
    """CRLF everywhere, ASCII only, no line too long, headers as we name them."""
    assert data.isascii()
    assert data.count(b"\n") == data.count(b"\r\n") == data.count(b"\r")
    head, _, rest = data.partition(b"\r\n\r\n")
    assert all(len(line) <= 78 for line in rest.split(b"\r\n"))
    for line in head.split(b"\r\n"):
        assert re.match(rb" \S|[A-Z][A-Za-z-]+: \S", line), line
        assert b"=?" not in line or len(line) <= 76


@given(TEXT)
@settings(max_examples=examples(400))
@example("a\r\nBcc: everybody@example.org")
@example("=?utf-8?q?a?=")
@example("word " * 40)
@example("x" * 200)
@example("⚂" * 90)
@example("")
def test_any_subject_is_read_again(subject: str) -> None:
    data = composed(subject=subject)
    check_form(data.replace(b"Subject: \r\n", b""))
    assert parsed(data)["subject"] == on_one_line(subject)
    assert "bcc" not in parsed(data)
    ours = read(data, envelope_sender="x@y", recipient="", own="").subject
    assert " ".join(ours.split()) == " ".join(
        "".join(c if c.isprintable() else " " for c in on_one_line(subject)).split()
    )


@given(TEXT)
@settings(max_examples=examples(400))
@example('Ann "the hill" <x@y>, \\')
@example("Zoë\r\nBcc: a@b")
@example("x" * 70)
@example("a.b")
def test_any_sender_name_is_read_again(name: str) -> None:
    data = composed(sender_name=name)
    check_form(data)
    address = parsed(data)["from"].addresses
    assert [found.addr_spec for found in address] == ["perudo@perudo.example"]
    assert isinstance(address[0], Address)
    # Python 3.11 leaves the blank between two encoded words of a name (RFC 2047, 6.2 drops it).
    assert "".join(address[0].display_name.split()) == "".join(on_one_line(name).split())
    if len(name.encode("utf-8", "replace")) <= 39:
        assert " ".join(address[0].display_name.split()) == on_one_line(name)
    assert read(data, envelope_sender="x@y", recipient="", own="").sender == "perudo@perudo.example"


@given(LINES)
@settings(max_examples=examples(400))
@example(".\n..\n-- \nFrom here\n>From\n" + "x" * 1000)
@example("trailing blanks   \n\t\n")
@example("2 3 3 5 6  (⚁ ⚂ ⚂ ⚄ ⚅)")
@example("")
def test_any_text_is_read_again(text: str) -> None:
    data = composed(text=text)
    check_form(data)
    assert b"\r\nFrom " not in data
    assert body(parsed(data)) == as_lines(text)


@given(LINES, LINES)
@settings(max_examples=examples(200))
def test_an_attachment_arrives_unchanged(text: str, record: str) -> None:
    message = parsed(composed(text=text, attachment=("board 12.txt", record)))
    assert body(message) == as_lines(text)
    (attached,) = message.iter_attachments()
    assert attached.get_filename() == "board_12.txt"
    content = str(attached.get_content())  # type: ignore[attr-defined, unused-ignore] # as above
    assert content.replace("\r\n", "\n") == as_lines(record)


@given(TEXT)
@settings(max_examples=examples(300))
@example("a@b>\r\nBcc: c@d, e@f")
@example("a@b, c@d")
def test_no_value_becomes_a_second_recipient_or_header(value: str) -> None:
    data = composed(
        to=value, reply_to=value, message_id=value, in_reply_to=value, references=(value, value)
    )
    head = data.partition(b"\r\n\r\n")[0].decode("utf-8")
    names = [line.partition(":")[0] for line in head.split("\r\n") if not line.startswith(" ")]
    assert set(names) <= {
        *("From", "To", "Subject", "Date", "Message-ID", "Reply-To", "In-Reply-To", "References"),
        *("Auto-Submitted", "X-Pbmserv", "X-MS-Reactions", "MIME-Version", "Content-Type"),
        "Content-Transfer-Encoding",
    }
    assert len(names) == len(set(names))
    to = next(line for line in head.split("\r\n") if line.startswith("To:"))
    assert "," not in to
    assert " " not in to.removeprefix("To: ")


@given(TEXT, TEXT)
@settings(max_examples=examples(200))
@example("Perudo board 12", "12.board.perudo.perudo.example")
@example("Перудо, доска 12", "12.board." + "x" * 200)
@example("a\r\nBcc: b@c", "x>\r\nBcc: a@b, <c@d")
def test_a_list_id_is_one_header(words: str, identifier: str) -> None:
    data = composed(list_id=(words, identifier), about=f"{words}; {identifier}")
    check_form(data)
    message = parsed(data)
    assert "bcc" not in message and len(message.get_all("x-perudo", [])) <= 1
    named = message.get_all("list-id", [])
    assert bool(re.fullmatch("[!-;=?-~]+", identifier)) <= len(named) <= 1
    assert all(re.search("<[^<> ]+>$", each) for each in named)


def test_a_letter_has_the_headers_of_its_thread() -> None:
    known = [f"<{n}.A@perudo.example>" for n in range(40)]
    message = parsed(composed(in_reply_to="<a@b>", references=known))
    assert message["in-reply-to"] == "<a@b>"
    assert message["references"].split() == [known[0], *known[-19:]]
    assert message["message-id"] == "<12.17.TOKEN@perudo.example>"
    assert message["reply-to"] == "perudo+TOKEN@perudo.example"
    assert message["auto-submitted"] == "auto-replied"
    assert message["x-pbmserv"] == "letter"
    assert message["mime-version"] == "1.0"
    assert message["date"].datetime.timestamp() == DATE
    assert message["date"] == "Fri, 20 Nov 2026 21:32:20 +0000"


def test_a_letter_that_answers_nothing_says_so() -> None:
    message = parsed(composed(reply_to=""))
    assert message["auto-submitted"] == "auto-generated"
    assert message["in-reply-to"] is None
    assert message["references"] is None
    assert message["reply-to"] is None


def test_plain_letters_travel_as_they_are() -> None:
    assert b"7bit" in composed()
    assert composed().endswith(b"\r\n\r\nIt is your turn.\r\n")
    assert b"quoted-printable" in composed(text="x" * 79)


def test_our_own_letters_are_automatic() -> None:
    mail = read(composed(), envelope_sender="x@y", recipient="", own="other@example.org")
    assert mail.automatic == "X-Pbmserv"


def test_the_boundary_of_the_parts_does_not_depend_on_what_they_say() -> None:
    """It is in a header, which more people read than the text."""
    one, other = (composed(text=said, page=[f"<p>{said}</p>"]) for said in ("1 2 3\n", "4 5 6\n"))
    assert parsed(one).get_boundary() == parsed(other).get_boundary() is not None
    third = composed(page=["x"], message_id="<1@x>")
    assert parsed(one).get_boundary() != parsed(third).get_boundary()


@each_row("extra", [0, 1])
@each_row("above", ["", "x\n", "x" * 900 + "\n", "x\n" * 2000])
def test_a_page_is_encoded_only_if_a_line_is_too_long(above: str, extra: int) -> None:
    page = f"{above}{'y' * (900 + extra)}\nz"
    data = composed(page=[page])
    assert (b"Content-Transfer-Encoding: quoted-printable" in data) == bool(extra)
