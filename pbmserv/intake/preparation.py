"""Prepare emails before any transaction: read them, and check their passwords here or elsewhere.

The watchdog records which email is open.  A bug with one email does not delay the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Engine

from pbmserv.errors import TryLater
from pbmserv.intake.password_pool import HashNeeded, Late, Postponed, Unchecked, spending, unheard
from pbmserv.intake.poison_messages import PoisonMessages
from pbmserv.intake.quarantine import Quarantine
from pbmserv.intake.request import Request, RequestReader
from pbmserv.intake.stored_mail import without_passwords
from pbmserv.mail.incoming import IncomingMail
from pbmserv.players.login_throttle import Asker, Gate

if TYPE_CHECKING:  # a shell command reads no email
    from pbmserv.mail.reading import Mail


@dataclass(frozen=True, slots=True)
class Preparation:
    """Reads emails and checks passwords for the processor."""

    engine: Engine
    request_reader: RequestReader
    poison: PoisonMessages
    quarantine: Quarantine
    clock: Callable[[], int]

    def prepare(
        self, incoming: IncomingMail, unproven: list[Unchecked], gate: Gate
    ) -> list[Request]:
        """Read an email and check its passwords; one that the gate postpones goes to `unproven`.

        An email that fails because of a bug is stored for another try.
        """
        with self.poison.holding([incoming]):
            try:
                now = self.clock()
                request = self.request_reader.understood(incoming, now)
                return [self.request_reader.proven(request, now, gate)]
            except HashNeeded as needed:
                unproven.append(Unchecked(request, needed.asker))
            except Postponed:
                unproven.append(Unchecked(request, Asker.STRANGER))
            except TryLater:
                raise
            except Exception as problem:  # a bug of ours must not affect the other emails
                self.quarantine.keep(incoming, problem)
        return []

    def prove(self, unproven: Unchecked, late: Late = unheard) -> Request | None:
        """Check the passwords of an email; returns its request, or None if a bug let it be stored.

        It may be called in another thread.  Raises Postponed; `late` is called when a stranger's
        email would raise it.
        """
        now, gate = self.clock(), spending(self.engine, self.clock, late)
        try:
            return self.request_reader.proven(unproven.request, now, gate)
        except TryLater:
            raise
        except Exception as problem:  # a bug of ours
            self.quarantine.keep(unproven.request.incoming, problem)
            return None

    def to_be_stored(self, incoming: IncomingMail) -> tuple[Mail, IncomingMail]:
        """Read an email for storage, with its passwords checked and removed; raises Postponed."""
        now = self.clock()
        with self.poison.holding([incoming]):
            try:
                request = self.request_reader.open(incoming, now, spending(self.engine, self.clock))
            except TryLater:
                raise
            except Exception:  # a bug of ours, which the server will meet as well
                return self.request_reader.glanced(incoming), incoming
            return request.mail, without_passwords(request)
