"""Keeping: a mail that is to be tried again, written down without its passwords.

Where its passwords were found they were tried, too.  What is kept is what was read of the mail,
with a mark in place of each, and beside it for whom each mark vouches.  So the mail can be
carried out later, and nobody reads a password in the meantime.
"""

from __future__ import annotations

import re
from dataclasses import replace

from pbmserv.intake.credentials import ALLOWED, BY_ADDRESS
from pbmserv.intake.request import Request
from pbmserv.mail.incoming import IncomingMail
from pbmserv.security.tokens import LETTER_TOKEN_LENGTH
from pbmserv.text.normalize import plain

_MARK = "kept-password-{}"  # a word that could be a password, so that the words read as before
_IS_MARK = re.compile(_MARK.format("[0-9]+"))
_WORD = re.compile(r"\S+")


def without_passwords(request: Request) -> IncomingMail:
    """The mail as it may lie on the disk; the same one if no password is in it."""
    credentials = request.credentials
    shown = {password for _, password in credentials.tried} | set(credentials.hashes)
    passwords = {each for each in shown if _is_secret(each)}
    if not passwords:
        return request.incoming
    marks = {each: _MARK.format(place) for place, each in enumerate(sorted(passwords), start=1)}
    raw = _marked(_rewritten(request), marks).encode("utf-8", "replace")
    return replace(request.incoming, raw=raw, vouched=credentials.written(marks))


def _is_secret(shown: str) -> bool:
    """False for a letter's token, which stands in the address, too, and for our own marks."""
    if shown in {BY_ADDRESS, ALLOWED} or _IS_MARK.fullmatch(shown):
        return False
    return len(shown) != LETTER_TOKEN_LENGTH


def _rewritten(request: Request) -> str:
    """What was read of a mail, as a mail that reads the same."""
    mail = request.mail
    head = [
        f"From: {mail.sender}",
        f"To: {mail.recipient}",
        f"Message-ID: {mail.message_id}",
        f"References: {' '.join(mail.references)}",
        "Content-Type: text/plain; charset=utf-8",
        f"Subject: {mail.subject}",
    ]
    return plain("\r\n".join([*head, "", *mail.typed, ""]))


def _marked(text: str, marks: dict[str, str]) -> str:
    """The text with marks for passwords, which are always words of their own."""
    return _WORD.sub(lambda word: marks.get(word[0], word[0]), text)
