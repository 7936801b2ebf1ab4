"""Store an email for another try without its passwords.

The passwords were checked when they were found.  The stored email is what was read, with a mark
instead of each password.  The results of the checks are stored with it.  So the email can be
executed later, and nobody can read a password meanwhile.
"""

from __future__ import annotations

import re

from pbmserv.fast_dataclasses import replace
from pbmserv.intake.request import Request
from pbmserv.mail.incoming import IncomingMail
from pbmserv.security.credentials import ALLOWED, BY_ADDRESS
from pbmserv.security.tokens import LETTER_TOKEN_LENGTH
from pbmserv.text.normalize import plain

_MARK = "kept-password-{}"  # could be a password, so that commands are read as before
_IS_MARK = re.compile(_MARK.format("[0-9]+"))
_WORD = re.compile(r"\S+")


def without_passwords(request: Request) -> IncomingMail:
    """The email as it may be stored on the disk; unchanged if it has no password."""
    credentials = request.credentials
    shown = {password for _, password in credentials.tried} | set(credentials.hashes)
    shown |= credentials.strays
    passwords = {each for each in shown if _is_secret(each)}
    if not passwords:
        return request.incoming
    marks = {each: _MARK.format(place) for place, each in enumerate(sorted(passwords), start=1)}
    raw = _marked(_rewritten(request), marks).encode("utf-8", "replace")
    return replace(request.incoming, raw=raw, credentials=credentials.written(marks))


def _is_secret(shown: str) -> bool:
    """Whether a word is a password; a letter's token (also in the address) and our mark are not."""
    if shown in {BY_ADDRESS, ALLOWED} or _IS_MARK.fullmatch(shown):
        return False
    return len(shown) != LETTER_TOKEN_LENGTH


def _rewritten(request: Request) -> str:
    """The parts of an email that were read, as an email with the same content."""
    mail = request.mail
    head = [
        f"From: {mail.sender}",
        f"To: {request.incoming.recipient}",
        f"Message-ID: {mail.message_id}",
        f"References: {' '.join(mail.references)}",
        "Content-Type: text/plain; charset=utf-8",
        f"Subject: {mail.subject} {mail.subject_token}".rstrip(),
    ]
    return plain("\r\n".join([*head, "", *mail.typed, ""]))


def _marked(text: str, marks: dict[str, str]) -> str:
    """The text with marks instead of passwords, which are always whole words."""
    return _WORD.sub(lambda word: marks.get(word[0], word[0]), text)
