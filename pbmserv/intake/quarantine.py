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
from pbmserv.errors import Refused, named
from pbmserv.intake import inbox
from pbmserv.intake.reply_limits import answer
from pbmserv.intake.request import Reception
from pbmserv.intake.responses import refused
from pbmserv.intake.stored_mail import without_passwords
from pbmserv.letters.payloads.mails import BUG, CAME_BEFORE
from pbmserv.mail.incoming import Arrival
from pbmserv.monitoring import log
from pbmserv.security.tokens import Tokens
from pbmserv.settings import Settings

if TYPE_CHECKING:  # a shell command reads no mail
    from pbmserv.mail.reading import Mail

NOT_OPENED = "not opened: the program ended whenever it had this mail in hand"


@dataclass(frozen=True, slots=True)
class Aside:
    """Notes mails that could not be dealt with, and tells who must know."""

    engine: Engine
    reception: Reception
    settings: Settings
    tokens: Tokens
    clock: Callable[[], int]

    def keep(self, arrival: Arrival, problem: Exception) -> None:
        """Keep a mail that a bug of ours stumbled over for another try."""
        now, reason, mail = self.clock(), named(problem), self.reception.glanced(arrival)
        kept = self._without_passwords(arrival)
        with writing(self.engine) as connection:
            inbox.noted(connection, kept, mail, now, state=inbox.WAITING, reason=reason)
        log.received(arrival, mail)

    def note_failure(self, number: int, tries: int, arrival: Arrival, problem: Exception) -> None:
        """Note one more failed try at a mail that waits; after the third its sender is told."""
        mail = self.reception.glanced(arrival)
        kept, now = self._without_passwords(arrival), self.clock()
        with writing(self.engine) as connection:
            aside = inbox.failed(connection, number, kept, tries, named(problem), now)
        log.failed(number, named(problem), aside=aside)
        # That its writer cannot be told, either, must not undo what was noted.
        with suppress(Exception):
            if tries == inbox.MOST_TRIES and not mail.automatic:  # once, whoever tries it again
                with writing(self.engine) as connection:
                    letter = BUG.to(None, {})
                    answer(connection, self.settings, self.tokens, mail, number, letter, now)

    def _without_passwords(self, arrival: Arrival) -> Arrival:
        """The mail as it may be kept; one that our reading stumbles over is kept as it is."""
        try:
            return without_passwords(self.reception.open(arrival, self.clock()))
        except Exception:  # the same bug of ours, and it is being noted
            return arrival

    def leave_unopened(self, arrival: Arrival, number: int | None = None) -> None:
        """Set a mail aside that ended processes (`number` where it waits): nobody reads it.

        Nothing is known of it but its envelope, so its sender is told nothing.
        """
        from pbmserv.mail.reading import unread

        sender, recipient = arrival.envelope_sender, arrival.recipient
        mail, now = unread(arrival.raw, envelope_sender=sender, recipient=recipient), self.clock()
        with writing(self.engine) as connection:
            if number is None:
                number = inbox.noted(connection, arrival, mail, now, state=inbox.WAITING)
            if number is not None:  # the same mail was not set aside before
                inbox.failed(connection, number, arrival, inbox.MOST_TRIES, NOT_OPENED, now)
                log.failed(number, NOT_OPENED, aside=True)

    def refuse_large(self, arrival: Arrival, limit: int) -> None:
        """Note that a mail was larger than the limit, in bytes, and tell its sender."""
        mail = self.reception.glanced(arrival)
        refusal = Refused("mail_too_large", limit=limit)
        with writing(self.engine) as connection:
            now = self.clock()
            number = inbox.noted(connection, arrival, mail, now, reason="too large")
            if number and not mail.automatic:
                outcome = Outcome("", refusal=refusal)
                letter = refused(outcome)
                answer(connection, self.settings, self.tokens, mail, number, letter, now, [outcome])
        log.received(arrival, mail, limit=limit)

    def tell_of_copy(self, connection: Connection, mail: Mail, now: int) -> None:
        """Say that a mail did nothing, where it need not be the copy for which it was taken."""
        if found := inbox.taken_for(connection, mail, now):
            number, came_at, state = found
            letter = CAME_BEFORE.to(None, {"at": came_at, "state": state})
            answer(connection, self.settings, self.tokens, mail, number, letter, now)
