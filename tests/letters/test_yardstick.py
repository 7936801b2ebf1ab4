"""The letter that the benchmarks compare ours with says what ours says: neither more nor less."""

from __future__ import annotations

import re
from email.message import EmailMessage

from scripts.benchmarks import our_letter, yardstick


def test_the_benchmark_letter_equals_ours_in_words_and_headers() -> None:
    """The two letters have the same text and the same encoding; ours has no page here."""
    ours, theirs = our_letter.sent(text_alone=True), our_letter.read(yardstick.compose())
    assert theirs.get_content() == as_shown(ours.get_content())
    assert _headers(theirs) == _headers(ours)


def test_the_benchmark_letter_with_a_page_has_the_page_and_the_headers_of_ours() -> None:
    ours = our_letter.sent()
    theirs = our_letter.read(yardstick.compose(our_letter.page()))
    assert _part(theirs, "plain") == as_shown(_part(ours, "plain"))
    assert _part(theirs, "html") == _part(ours, "html")
    kinds = {"Content-Type", "Content-Transfer-Encoding"}  # a boundary is chosen by chance
    assert _headers(theirs).keys() - kinds == _headers(ours).keys() - kinds
    for name in _headers(ours).keys() - kinds:
        assert _headers(theirs)[name] == _headers(ours)[name]
    assert theirs.get_content_type() == ours.get_content_type() == "multipart/alternative"


def as_shown(flowed: str) -> str:
    """The text without the blanks of `format=flowed`."""
    return re.sub(r"^ (?=[ >])| (?=\r?\n)", "", flowed, flags=re.MULTILINE)


def _part(message: EmailMessage, kind: str) -> str:
    part = message.get_body((kind,))
    assert part is not None
    return str(part.get_content())


def _headers(message: EmailMessage) -> dict[str, str]:
    return {name: str(value).strip() for name, value in message.items()}
