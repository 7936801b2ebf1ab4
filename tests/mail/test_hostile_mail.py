"""No hostile email takes more than half a second or makes the reading fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbmserv.mail.html_text import plain_text
from pbmserv.mail.reading import Mail
from tests.examples import examples
from tests.mail.hostile import HOSTILE, HOSTILE_BOUNCES, Readers, filled, readers, reading
from tests.mail.mutants import mutants, slowest
from tests.processor_time import usual_seconds
from tests.rows import each_row

pytestmark = pytest.mark.long

SIZE = 256 * 1024
LIMIT = 0.5  # seconds of processor time


@pytest.fixture(scope="module")
def app() -> Iterator[Readers]:
    """A home whose readers are tried."""
    with readers() as found:
        yield found


def seconds_of(read: Callable[[int], object], limit: float = LIMIT) -> float:
    """The processor time of a call, which gets the number of the try."""
    numbers = count()
    return usual_seconds(lambda: read(next(numbers)), limit, tries=3)


def reading_of(app: Readers, way: str, raw: bytes) -> Callable[[int], object]:
    """Reads the email in this way, at each try."""
    return lambda _: app.ways()[way](raw)


@each_row("way", ["as a yes", "as a bounce"])
@each_row("name", [*HOSTILE, *HOSTILE_BOUNCES])
def test_256_kilobytes_take_less_than_half_a_second(app: Readers, name: str, way: str) -> None:
    """These two ways of reading do the most; `scripts/bench read` tries all of them."""
    raw = filled(*(HOSTILE | HOSTILE_BOUNCES)[name], SIZE)
    found: list[object] = []
    assert seconds_of(lambda _: found.append(app.ways()[way](raw))) < LIMIT
    assert way != "as a bounce" or (isinstance(found[0], Mail) and found[0].report), (
        "it was looked into"
    )


@pytest.mark.parametrize("name", [name for name in HOSTILE if name.startswith("selectors of")])
def test_selectors_with_shared_marks_take_at_most_a_third_of_the_limit(name: str) -> None:
    """A tag is compared with few of them, however many there are."""
    page = filled(*HOSTILE[name], SIZE).decode()
    assert seconds_of(lambda _: plain_text(page), 0.3 * LIMIT) < 0.3 * LIMIT


def test_no_mutant_takes_more_than_half_a_second(app: Readers) -> None:
    """The first of the ten thousand mutants that `scripts/bench read` tries."""
    seconds, which = slowest(app, mutants(2000))
    assert seconds < LIMIT, which


def test_a_hostile_email_is_answered_as_quickly(app: Readers) -> None:
    """With all that it asks for, and with the letters worded: those whose words go furthest."""
    texts = [name for name in HOSTILE if "for others" in name]
    assert len(texts) == 5
    for name in (
        *("a message of nearly commands", "twenty times a long command", "combining marks"),
        *texts,
    ):
        text, word = filled(*HOSTILE[name], SIZE), name.encode().replace(b" ", b"-")

        def answer(number: int, text: bytes = text, word: bytes = word) -> None:
            app.answered(b"Message-ID: <%b-%d@x>\r\n%b" % (word, number, text))

        assert seconds_of(answer) < LIMIT, name


def test_351_bytes_are_read_at_once(app: Readers) -> None:
    """They took years, and again after every restart."""
    raw = b"From: a@b\r\n\r\n" + ("是" + "的是" * 55 + "x").encode()
    assert len(raw) < 351
    for way in app.ways():
        assert seconds_of(reading_of(app, way, raw), 0.1) < 0.1, way


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
@settings(max_examples=examples(500))
def test_any_bytes_are_read(raw: bytes) -> None:
    """There is no exception, and nothing could pass for a second line or header."""
    mail = reading(raw)
    for text in (mail.sender, mail.subject, mail.message_id, mail.automatic, *mail.references):
        assert "\n" not in text
        assert "\r" not in text
        assert "\0" not in text
    for line in mail.typed:
        assert "\n" not in line
        assert "\r" not in line
    assert mail.message_id
