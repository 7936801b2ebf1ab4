"""The language of a letter is the letter's own, else its reader's, the asker's or the email's."""

from __future__ import annotations

import pytest

from pbmserv.letters.payloads.letter import Letter
from pbmserv.mail.writer_facts import Writer
from pbmserv.outbox.letter_language import language_of
from pbmserv.outbox.recipients import Recipient

PLAIN, NAMED = Letter("zoe@example.org", "help"), Letter("zoe@example.org", "help", language="ru")


def player(language: str) -> Recipient:
    return Recipient("zoe", language, "UTC", "off", "every", {})


@pytest.mark.parametrize(
    ("letter", "reader", "asking", "shown", "chosen"),
    [
        (NAMED, player("fr"), player("es"), "es", "ru"),
        (PLAIN, player("fr"), player("es"), "es", "fr"),
        (PLAIN, None, player("es"), "fr", "es"),
        (PLAIN, None, None, "fr", "fr"),
        (PLAIN, None, None, "tlh", "en"),  # no letters are written in it
        (PLAIN, None, None, "", "en"),
    ],
)
def test_the_first_known_language_is_chosen(
    letter: Letter, reader: Recipient | None, asking: Recipient | None, shown: str, chosen: str
) -> None:
    assert language_of(letter, reader, asking, Writer(declared=shown)) == chosen
