"""Choose the language in which a letter is worded."""

from __future__ import annotations

from pbmserv.letters.catalogues import spoken
from pbmserv.letters.payloads.letter import Letter
from pbmserv.mail.writer_facts import Writer
from pbmserv.outbox.recipients import Recipient


def language_of(
    letter: Letter, reader: Recipient | None, asking: Recipient | None, writer: Writer
) -> str:
    """The language of a letter: the first of these that is known.

    - the one that the letter names (`Letter.language`);
    - the preference of its `reader`, the player for whom it is rendered;
    - the preference of the player `asking`, who caused it or owns the address that did
      (`OutgoingLetters.reader`);
    - the one of the email that caused it, if letters are written in it, else English.
    """
    if letter.language:
        return letter.language
    known = reader or asking
    return known.language if known else spoken(writer.language)
