"""The language of a letter is the letter's own, else its reader's, the asker's or the email's."""

from __future__ import annotations

import pytest

from pbmserv.letters.payloads.letter import Letter
from pbmserv.outbox.letter_language import language_of
from pbmserv.outbox.recipients import Recipient

PLAIN, NAMED = Letter("zoe@example.org", "help"), Letter("zoe@example.org", "help", language="ru")


def player(language: str) -> Recipient:
    return Recipient("zoe", language, "UTC", "off", "every", {})


@pytest.mark.parametrize(
    ("letter", "reader", "asking", "chosen"),
    [
        (NAMED, player("fr"), player("es"), "ru"),
        (PLAIN, player("fr"), player("es"), "fr"),
        (PLAIN, None, player("es"), "es"),
        (PLAIN, None, None, "en"),
    ],
)
def test_the_first_known_language_is_chosen(
    letter: Letter, reader: Recipient | None, asking: Recipient | None, chosen: str
) -> None:
    assert language_of(letter, reader, asking, "en") == chosen
