"""The post office: one mail in, one transaction, letters in the outbox.

What a mail asks for was found out at the reception.  Here, in one transaction, its commands are
carried out, their letters written into the outbox and the mail noted as done; many mails may
share a commit.  A door answers 250 only after the commit that holds its mail.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from random import Random, SystemRandom

from sqlalchemy import Connection, Engine

from pbmserv.context import Context, Outcome
from pbmserv.database.engine import reading, writing
from pbmserv.deliverability import bounces
from pbmserv.errors import TryLater
from pbmserv.intake import inbox
from pbmserv.intake.credentials import Credentials
from pbmserv.intake.execution import at_shell, read_before, reads_only, traced, written
from pbmserv.intake.password_pool import Late, Unchecked, not_here, spending, unheard
from pbmserv.intake.poison_messages import PoisonMessages
from pbmserv.intake.preparation import Preparation
from pbmserv.intake.quarantine import Quarantine
from pbmserv.intake.request import Line, Request, RequestReader
from pbmserv.intake.responses import board_of
from pbmserv.intake.retention import Pause, expire
from pbmserv.letters.payloads.letter import Letter
from pbmserv.mail.incoming import IncomingMail, different
from pbmserv.monitoring import log
from pbmserv.outbox import queue, recipients
from pbmserv.outbox.delivery import LostLetter
from pbmserv.outbox.queue import OutgoingLetters
from pbmserv.outbox.transactions import Transactions
from pbmserv.players.login_throttle import Gate
from pbmserv.schedule import board_deadlines, tick
from pbmserv.security.passwords import Passwords
from pbmserv.security.tokens import Tokens
from pbmserv.settings import Settings

BATCH = 64


@dataclass(frozen=True, slots=True)
class Processor:
    """Carries out what mails and shells ask for.

    `clock()` is in seconds since 1970; chance is an argument, so that a show can be repeated.
    """

    engine: Engine
    tokens: Tokens
    passwords: Passwords
    settings: Settings
    clock: Callable[[], int]
    seed: Callable[[], bytes] = lambda: secrets.token_bytes(32)
    chance: Random = field(default_factory=SystemRandom)
    poison: PoisonMessages = field(init=False)
    _pause: Pause = field(default_factory=Pause, init=False)

    def __post_init__(self) -> None:
        poison = PoisonMessages(self.engine, self.settings.home, self.clock)
        object.__setattr__(self, "poison", poison)  # frozen for everybody else

    @property
    def transactions(self) -> Transactions:
        """What runs jobs of the clock and of the operator."""
        return Transactions(
            self.engine, self.tokens, self.settings, self.clock, self.seed, self.chance
        )

    @property
    def request_reader(self) -> RequestReader:
        """Where mails are read and passwords tried."""
        return RequestReader(self.engine, self.passwords, self.tokens, self.settings)

    def accept(self, incoming_mails: Sequence[IncomingMail]) -> list[IncomingMail]:
        """Deal with mails, their passwords too; when this returns they are safe.

        A mail that cannot be dealt with is kept for another try and does not hold up the
        others.  Returns those that must come again, for their passwords were not tried.  Raises
        TryLater when the database cannot take them.
        """
        unproven = self.take(incoming_mails, gate=spending(self.engine, self.clock))
        return [each.request.incoming for each in unproven]

    def take(
        self,
        incoming_mails: Sequence[IncomingMail],
        proven: Sequence[Request] = (),
        gate: Gate = not_here,
    ) -> list[Unchecked]:
        """Deal in one transaction with mails that need no hash, and with those that were `proven`.

        Returns the mails that the `gate` held back, for `prove`: nothing was done for them yet.
        """
        # Of a mail for several of our addresses one copy is read: each would try its passwords.
        deadly, alone, others = self.poison.parted(different(incoming_mails))
        for each in deadly:
            self._quarantine.leave_unopened(each)
        unproven: list[Unchecked] = []
        for incoming in alone:
            self._receive_all(self._preparation.prepare(incoming, unproven, gate))
        request = [
            read for each in others for read in self._preparation.prepare(each, unproven, gate)
        ]
        self._receive_all([*request, *proven])
        return unproven

    def prove(self, unproven: Unchecked, late: Late = unheard) -> Request | None:
        """Try the passwords of a mail, as `Preparation.prove` does, in whatever thread."""
        return self._preparation.prove(unproven, late)

    def _receive_all(self, request: Sequence[Request]) -> None:
        try:
            if request:
                self._receive(request)
        except TryLater:
            raise
        except Exception:
            # One of them is beyond us.  Nothing of the batch was kept: each by itself, then.
            for each in request:
                self._receive_alone(each)

    def refuse_large(self, incoming: IncomingMail, limit: int) -> None:
        """Note that a mail was larger than the limit, in bytes, and tell its sender.

        `incoming` holds the beginning of it: enough for the header.
        """
        if self.poison.is_deadly(incoming):
            self._quarantine.leave_unopened(incoming)
            return
        with self.poison.holding([incoming]):
            self._quarantine.refuse_large(incoming, limit)

    def store(self, incoming_mails: Sequence[IncomingMail]) -> None:
        """Keep mails for the running server to deal with, their passwords tried; raises Postponed.

        So no password lies on the disk, and the server has nothing to hash.
        """
        for incoming in incoming_mails:
            if self.poison.is_deadly(incoming):
                self._quarantine.leave_unopened(incoming)
                continue
            mail, kept = self._preparation.to_be_stored(incoming)
            with writing(self.engine) as connection:
                now = self.clock()
                if not inbox.noted(connection, kept, mail, now, state=inbox.WAITING):
                    self._quarantine.tell_of_copy(connection, mail, now)

    def work(self) -> int:
        """Deal with the mails that wait, oldest first; returns how many were taken up."""
        with reading(self.engine) as connection:
            waiting = inbox.waiting(connection, BATCH)
        if waiting:
            self.poison.look_again()
        for number, tries, incoming in waiting:
            if self.poison.is_deadly(incoming):
                self._quarantine.leave_unopened(incoming, number)
                continue
            with self.poison.holding([incoming]):
                self._try(number, tries, incoming)
        return len(waiting)

    def _try(self, number: int, tries: int, incoming: IncomingMail) -> None:
        try:
            self._work_on(number, incoming)
        except TryLater:
            raise
        except Exception as problem:  # kept, and tried again; then set aside
            self._quarantine.note_failure(number, tries + 1, incoming, problem)

    def tick(self, holder: str) -> int:
        """Do what has fallen due with time; returns how many boards were attended to.

        `holder` names this process: of several at once only one does it.
        """
        now = self.clock()
        with writing(self.engine, durable=False) as connection:
            if not board_deadlines.taken(connection, holder, now):
                return 0
        attended = tick.run_jobs(self.transactions, now)
        if self._pause.is_over(now):
            put_off = tick.told_of("the old mails and letters", now)
            tick.alone(self.engine, self._forget, put_off, durable=False)
        return attended

    def renew(self) -> int:
        """Throw every running round anew, after a restore; returns how many."""
        return tick.reroll(self.transactions, self.clock())

    def _forget(self, connection: Connection) -> None:
        """Forget a piece of the old mails and letters."""
        work = self.transactions.unit_of_work(connection)
        self._pause.found_none = None if expire(work) else work.now

    def carry_out(
        self, line: Line, credentials: Credentials, message: str
    ) -> tuple[Outcome, Sequence[Letter], str]:
        """Carry out one command of a shell: what became of it, and the asker's own letters.

        The last value is the asker's language.
        """
        kind = reading if reads_only(line) else writing
        with kind(self.engine) as connection:
            context = self._context(connection, credentials, "", message, at_shell=True)
            outcome, mine, others = at_shell(line, context, credentials, self.tokens)
            queue.put(connection, others, self.tokens, context.now)
            mine, language = recipients.as_read(connection, mine, credentials.player)
        return outcome, mine, language

    def lost(self, connection: Connection, letters: Sequence[LostLetter]) -> None:
        """Take note of letters that could not leave; readers are told in other ways."""
        self.transactions.execute(connection, partial(bounces.lost, letters=letters))

    def _receive(self, request: Sequence[Request]) -> None:
        """Note mails and do what they ask, all or none of them; a line of the log tells of each."""
        request = read_before(self.engine, request, self._context_for, self.poison.holding)
        with writing(self.engine) as connection:
            self._deal_with(connection, request)
        for each in request:
            log.received(each.incoming, each.mail)

    def _deal_with(self, connection: Connection, request: Sequence[Request]) -> None:
        """Note mails and do what they ask; one that was here before does nothing."""
        now, incoming_mails = self.clock(), [each.incoming for each in request]
        letters = []
        for each in request:
            with self.poison.holding([each.incoming]):
                if found := self._dealt_with(connection, each, now):
                    letters.append(found)
        with self.poison.holding(incoming_mails):
            queue.put_all(connection, letters, self.tokens, now)
        self.poison.acquit(connection, incoming_mails)

    def _dealt_with(
        self, connection: Connection, each: Request, now: int
    ) -> OutgoingLetters | None:
        reason, board = traced(each), board_of(each)
        number = inbox.noted(connection, each.incoming, each.mail, now, reason=reason, board=board)
        if number is None:
            self._quarantine.tell_of_copy(connection, each.mail, now)
            return None
        letters, became = written(each, self._context_for(connection, each), self.tokens, number)
        if became != reason:
            inbox.reread(connection, number, became)
        return letters

    def _receive_alone(self, request: Request) -> None:
        try:
            self._receive([request])
        except TryLater:
            raise
        except Exception as problem:  # a bug of ours
            with self.poison.holding([request.incoming]):
                self._quarantine.keep(request.incoming, problem)

    def _work_on(self, number: int, incoming: IncomingMail) -> None:
        read = self.request_reader.open(incoming, self.clock())
        (request,) = read_before(
            self.engine, [read], self._context_for, lambda mails: nullcontext()
        )
        with writing(self.engine) as connection:
            context = self._context_for(connection, request)
            letters, reason = written(request, context, self.tokens, number)
            queue.put_all(connection, [letters], self.tokens, self.clock())
            inbox.dealt_with(connection, number, reason, incoming.recipient, board_of(request))
            self.poison.acquit(connection, [incoming])
        if incoming.door == "pipe":  # of the others we have heard already
            log.received(incoming, request.mail)

    @property
    def _preparation(self) -> Preparation:
        return Preparation(
            self.engine, self.request_reader, self.poison, self._quarantine, self.clock
        )

    @property
    def _quarantine(self) -> Quarantine:
        return Quarantine(self.engine, self.request_reader, self.settings, self.tokens, self.clock)

    def _context_for(self, connection: Connection, request: Request) -> Context:
        return self._context(connection, request.credentials, request.mail.sender, request.message)

    def _context(
        self,
        connection: Connection,
        credentials: Credentials,
        sender: str,
        message: str,
        *,
        at_shell: bool = False,
    ) -> Context:
        return Context(
            connection,
            self.clock(),
            self.settings,
            self.seed,
            self.chance,
            self.tokens.keyed,
            sender,
            at_shell,
            message,
            authenticate=credentials.authenticate,
            hash=credentials.hash,
            proven=credentials.proven,
        )
