"""A player: a mailbox in Dovecot, and the emails that the player sends."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from tests.cli.processes import until
from tests.stories.town import Letter, answering, mail, read_letter


class Postman(Protocol):
    """A mail server that sends emails."""

    def send(self, raw: bytes, sender: str, recipients: Sequence[str]) -> None:
        """Hand over an email."""


class Player:
    """Somebody who plays by email."""

    def __init__(self, name: str, maildir: Path, postman: Postman, server: str) -> None:
        self.name = name
        self.address = f"{name}@players.test"
        self._maildir, self._postman, self._server = maildir, postman, server
        self._written = 0
        self._read: set[str] = set()

    def letters(self) -> list[Letter]:
        """Everything in the mailbox, the oldest first."""
        files = [*self._maildir.glob("new/*"), *self._maildir.glob("cur/*")]
        return [
            read_letter(file) for file in sorted(files, key=lambda file: file.stat().st_mtime_ns)
        ]

    def next_letter(self, subject: str = "") -> Letter:
        """The next letter with these words in its Subject, as soon as it is there."""
        found: list[Letter] = []

        def has_come() -> bool:
            found[:] = [
                letter
                for letter in self.letters()
                if subject in letter.subject and letter.message["Message-ID"] not in self._read
            ]
            return bool(found)

        until(has_come)
        self._read.add(str(found[0].message["Message-ID"]))
        return found[0]

    def write(
        self, subject: str, text: str = "", *, to: str = "", answered: Letter | None = None
    ) -> bytes:
        """Write an email to the server, and have Postfix carry it; the email."""
        self._written += 1
        to = to or (answered.reply_to if answered else self._server)
        raw = mail(
            self.address,
            subject,
            text,
            message_id=f"<{self.name}.{self._written}@players.test>",
            to=to,
            headers=answering(answered) if answered else None,
        )
        self._postman.send(raw, self.address, [to])
        return raw

    def reply(self, letter: Letter, text: str) -> bytes:
        """Answer a letter."""
        return self.write(f"Re: {letter.subject}", text, answered=letter)
