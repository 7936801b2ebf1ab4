"""Quarantine: emails that fail are kept for another try, then set aside for the operator.

An email that fails because of a bug is tried three times.  An email that ended processes is not
opened again.  An email that is too large is refused after its beginning, and a copy does nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine

from pbmserv.context import Outcome
from pbmserv.database.engine import writing
from pbmserv.errors import Refused, describe
from pbmserv.fast_dataclasses import dataclass
from pbmserv.intake.answering.answer_limits import answer
from pbmserv.intake.answering.answers import refused
from pbmserv.intake.kept_emails import inbox
from pbmserv.intake.kept_emails.stored_mail import without_passwords
from pbmserv.intake.request_reader import RequestReader
from pbmserv.letters.payloads.mails import BUG, CAME_BEFORE
from pbmserv.mail.incoming import IncomingMail
from pbmserv.monitoring import server_log
from pbmserv.security.tokens import Tokens
from pbmserv.settings import Settings

if TYPE_CHECKING:  # a shell command reads no email
    from pbmserv.mail.reading import Mail

NOT_OPENED = "not opened: the program ended each time it read this email"


@dataclass(frozen=True, slots=True)
class Quarantine:
    """Records emails that could not be handled, and tells their senders."""

    engine: Engine
    request_reader: RequestReader
    settings: Settings
    tokens: Tokens
    clock: Callable[[], int]

    def keep(self, incoming: IncomingMail, problem: Exception) -> None:
        """Store an email that failed because of a bug, for another try."""
        now, reason, mail = self.clock(), describe(problem), self.request_reader.glanced(incoming)
        kept = self._without_passwords(incoming)
        with writing(self.engine) as connection:
            inbox.note(connection, kept, mail, now, state=inbox.WAITING, reason=reason)
        server_log.received(incoming, mail)

    def note_failure(
        self, number: int, tries: int, incoming: IncomingMail, problem: Exception
    ) -> None:
        """Record one more failed try of a waiting email; after the third its sender is told."""
        mail = self.request_reader.glanced(incoming)
        kept, now = self._without_passwords(incoming), self.clock()
        with writing(self.engine) as connection:
            quarantine = inbox.failed(connection, number, kept, tries, describe(problem), now)
        server_log.failed(number, describe(problem), aside=quarantine)
        # A failure to tell the sender must not undo the record.
        with suppress(Exception):
            if tries == inbox.MOST_TRIES and not mail.automatic:  # once, even if retried later
                with writing(self.engine) as connection:
                    letter = BUG.to(None, {})
                    answer(connection, self.settings, self.tokens, mail, number, letter, now)

    def _without_passwords(self, incoming: IncomingMail) -> IncomingMail:
        """The email with its passwords removed; if it cannot be read, the email as it is."""
        try:
            return without_passwords(self.request_reader.open(incoming, self.clock()))
        except Exception:  # the same bug, which is being recorded
            return incoming

    def leave_unopened(self, incoming: IncomingMail, number: int | None = None) -> None:
        """Set aside an email that ended processes, unopened; `number` is its id if it waits.

        Only its envelope is known, so its sender is not told.
        """
        from pbmserv.mail.reading import unread  # noqa: PLC0415 - a shell command reads no email

        mail, now = unread(incoming.raw, incoming.envelope_sender), self.clock()
        with writing(self.engine) as connection:
            if number is None:
                number = inbox.note(connection, incoming, mail, now, state=inbox.WAITING)
            if number is not None:  # the same email was not set aside before
                inbox.failed(connection, number, incoming, inbox.MOST_TRIES, NOT_OPENED, now)
                server_log.failed(number, NOT_OPENED, aside=True)

    def refuse_large(self, incoming: IncomingMail, limit: int) -> None:
        """Record that an email was larger than the limit, in bytes, and tell its sender."""
        mail = self.request_reader.glanced(incoming)
        refusal = Refused("mail_too_large", limit=limit)
        with writing(self.engine) as connection:
            now = self.clock()
            number = inbox.note(connection, incoming, mail, now, reason="too large")
            if number and not mail.automatic:
                outcome = Outcome("", refusal=refusal)
                letter = refused(outcome)
                answer(connection, self.settings, self.tokens, mail, number, letter, now, [outcome])
        server_log.received(incoming, mail, limit=limit)

    def tell_of_copy(self, connection: Connection, mail: Mail, now: int) -> None:
        """Log that an email did nothing, and tell the sender if it may not be a copy at all."""
        number, came_at, state = before = inbox.earlier(connection, mail)
        server_log.copy_of(mail, number, came_at)
        if inbox.must_be_told(mail, before, now):
            letter = CAME_BEFORE.to(None, {"at": came_at, "state": state})
            answer(connection, self.settings, self.tokens, mail, number, letter, now)
