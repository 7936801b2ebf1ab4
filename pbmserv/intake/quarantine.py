"""Aside: mails that are beyond us are kept for another try, then set aside for the operator.

One that a bug stumbles over is tried three times.  One that ended processes is not opened any
more.  One that is too large was never read to its end, and a copy is not read twice.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine

from pbmserv.context import Outcome
from pbmserv.database.engine import writing
from pbmserv.errors import Refused, describe
from pbmserv.intake import inbox
from pbmserv.intake.reply_limits import answer
from pbmserv.intake.request import RequestReader
from pbmserv.intake.responses import refused
from pbmserv.intake.stored_mail import without_passwords
from pbmserv.letters.payloads.mails import BUG, CAME_BEFORE
from pbmserv.mail.incoming import IncomingMail
from pbmserv.monitoring import log
from pbmserv.security.tokens import Tokens
from pbmserv.settings import Settings

if TYPE_CHECKING:  # a shell command reads no mail
    from pbmserv.mail.reading import Mail

NOT_OPENED = "not opened: the program ended whenever it had this mail in hand"


@dataclass(frozen=True, slots=True)
class Quarantine:
    """Notes mails that could not be dealt with, and tells who must know."""

    engine: Engine
    request_reader: RequestReader
    settings: Settings
    tokens: Tokens
    clock: Callable[[], int]

    def keep(self, incoming: IncomingMail, problem: Exception) -> None:
        """Keep a mail that a bug of ours stumbled over for another try."""
        now, reason, mail = self.clock(), describe(problem), self.request_reader.glanced(incoming)
        kept = self._without_passwords(incoming)
        with writing(self.engine) as connection:
            inbox.noted(connection, kept, mail, now, state=inbox.WAITING, reason=reason)
        log.received(incoming, mail)

    def note_failure(
        self, number: int, tries: int, incoming: IncomingMail, problem: Exception
    ) -> None:
        """Note one more failed try at a mail that waits; after the third its sender is told."""
        mail = self.request_reader.glanced(incoming)
        kept, now = self._without_passwords(incoming), self.clock()
        with writing(self.engine) as connection:
            quarantine = inbox.failed(connection, number, kept, tries, describe(problem), now)
        log.failed(number, describe(problem), aside=quarantine)
        # That its writer cannot be told, either, must not undo what was noted.
        with suppress(Exception):
            if tries == inbox.MOST_TRIES and not mail.automatic:  # once, whoever tries it again
                with writing(self.engine) as connection:
                    letter = BUG.to(None, {})
                    answer(connection, self.settings, self.tokens, mail, number, letter, now)

    def _without_passwords(self, incoming: IncomingMail) -> IncomingMail:
        """The mail as it may be kept; one that our reading stumbles over is kept as it is."""
        try:
            return without_passwords(self.request_reader.open(incoming, self.clock()))
        except Exception:  # the same bug of ours, and it is being noted
            return incoming

    def leave_unopened(self, incoming: IncomingMail, number: int | None = None) -> None:
        """Set a mail aside that ended processes (`number` where it waits): nobody reads it.

        Nothing is known of it but its envelope, so its sender is told nothing.
        """
        from pbmserv.mail.reading import unread  # noqa: PLC0415 - a shell command reads no email

        sender, recipient = incoming.envelope_sender, incoming.recipient
        mail, now = unread(incoming.raw, envelope_sender=sender, recipient=recipient), self.clock()
        with writing(self.engine) as connection:
            if number is None:
                number = inbox.noted(connection, incoming, mail, now, state=inbox.WAITING)
            if number is not None:  # the same mail was not set aside before
                inbox.failed(connection, number, incoming, inbox.MOST_TRIES, NOT_OPENED, now)
                log.failed(number, NOT_OPENED, aside=True)

    def refuse_large(self, incoming: IncomingMail, limit: int) -> None:
        """Note that a mail was larger than the limit, in bytes, and tell its sender."""
        mail = self.request_reader.glanced(incoming)
        refusal = Refused("mail_too_large", limit=limit)
        with writing(self.engine) as connection:
            now = self.clock()
            number = inbox.noted(connection, incoming, mail, now, reason="too large")
            if number and not mail.automatic:
                outcome = Outcome("", refusal=refusal)
                letter = refused(outcome)
                answer(connection, self.settings, self.tokens, mail, number, letter, now, [outcome])
        log.received(incoming, mail, limit=limit)

    def tell_of_copy(self, connection: Connection, mail: Mail, now: int) -> None:
        """Say that a mail did nothing, where it need not be the copy for which it was taken."""
        if found := inbox.taken_for(connection, mail, now):
            number, came_at, state = found
            letter = CAME_BEFORE.to(None, {"at": came_at, "state": state})
            answer(connection, self.settings, self.tokens, mail, number, letter, now)
