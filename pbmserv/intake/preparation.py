"""The intake: mails opened before any transaction, their passwords tried here or elsewhere.

The watchdog knows which mail is open, and a bug of ours over one of them holds up no other.
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

if TYPE_CHECKING:  # a shell command reads no mail
    from pbmserv.mail.reading import Mail


@dataclass(frozen=True, slots=True)
class Preparation:
    """Opens mails for the post office."""

    engine: Engine
    request_reader: RequestReader
    poison: PoisonMessages
    quarantine: Quarantine
    clock: Callable[[], int]

    def prepare(
        self, incoming: IncomingMail, unproven: list[Unchecked], gate: Gate
    ) -> list[Request]:
        """A mail that was read, its passwords tried; if the gate put them off, it is `unproven`.

        One that our reading stumbles over is kept for another try.
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
            except Exception as problem:  # a bug of ours, and no fault of the other mails
                self.quarantine.keep(incoming, problem)
        return []

    def prove(self, unproven: Unchecked, late: Late = unheard) -> Request | None:
        """Try the passwords of a mail: how it is to be carried out; None if a bug let it be kept.

        It may be called in another thread.  Raises Postponed; `late` is called where it would be
        raised for a stranger's mail.
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
        """A mail read, and as it may lie on the disk: with its passwords tried; or Postponed."""
        now = self.clock()
        with self.poison.holding([incoming]):
            try:
                request = self.request_reader.open(incoming, now, spending(self.engine, self.clock))
            except TryLater:
                raise
            except Exception:  # a bug of ours, which the server will stumble over, too
                return self.request_reader.glanced(incoming), incoming
            return request.mail, without_passwords(request)
