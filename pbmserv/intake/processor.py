"""The processor: for each email one transaction, which puts letters into the outbox.

`intake/request_reader.py` reads the commands of an email before.  Here one transaction executes
them, puts their letters into the outbox and records the email as done.  Many emails may share a
commit.  A transport answers 250 only after the commit of its email.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from random import Random, SystemRandom
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine

from pbmserv.context import Context, Outcome
from pbmserv.database.engine import held, reading, writing
from pbmserv.errors import raise_if_passing
from pbmserv.fast_dataclasses import replace
from pbmserv.intake.answering.answers import board_of
from pbmserv.intake.command_lines import Line
from pbmserv.intake.execution import (
    at_shell,
    executed,
    may_change_senders,
    read_before,
    reads_only,
)
from pbmserv.intake.kept_emails import inbox
from pbmserv.intake.kept_emails.crashing_emails import CrashingEmails
from pbmserv.intake.kept_emails.inbox import Received
from pbmserv.intake.kept_emails.quarantine import Quarantine
from pbmserv.intake.kept_emails.request_trace import traced
from pbmserv.intake.kept_emails.stored_mail import without_passwords
from pbmserv.intake.known_senders import KnownSender
from pbmserv.intake.password_pool import (
    HashNeeded,
    Late,
    PasswordCheckPostponed,
    Unchecked,
    not_here,
    spending,
    unheard,
)
from pbmserv.intake.request import Request
from pbmserv.intake.request_reader import RequestReader
from pbmserv.letters.catalogues import spoken
from pbmserv.letters.payloads.letter import Letter
from pbmserv.mail.incoming import IncomingMail, different
from pbmserv.mail.writer_facts import Writer
from pbmserv.monitoring import server_log
from pbmserv.outbox import queue, recipients
from pbmserv.outbox.queue import OutgoingLetters
from pbmserv.outbox.transactions import Transactions
from pbmserv.players.login_throttle import Asker, Gate
from pbmserv.security.credentials import Credentials
from pbmserv.security.dice_seeds import new_seed
from pbmserv.security.passwords import Passwords
from pbmserv.security.tokens import Tokens
from pbmserv.settings import Settings

if TYPE_CHECKING:  # a shell command reads no email
    from pbmserv.mail.reading import Mail

BATCH = 64


@dataclass(frozen=True, slots=True)
class Processor:
    """Executes the requests of emails and shells.

    `clock()` returns seconds since 1970.  The random numbers are arguments, so that tests can
    repeat them.
    """

    engine: Engine
    tokens: Tokens
    passwords: Passwords
    settings: Settings
    clock: Callable[[], int]
    seed: Callable[[], bytes] = new_seed
    chance: Random = field(default_factory=SystemRandom)
    crashing: CrashingEmails = field(init=False)

    def __post_init__(self) -> None:
        crashing = CrashingEmails(self.engine, self.settings.home, self.clock)
        object.__setattr__(self, "crashing", crashing)  # a frozen class takes no other way

    @property
    def transactions(self) -> Transactions:
        """The transactions for commands, for scheduled jobs and for the operator."""
        return Transactions(
            engine=self.engine,
            tokens=self.tokens,
            settings=self.settings,
            clock=self.clock,
            seed=self.seed,
            chance=self.chance,
        )

    @property
    def request_reader(self) -> RequestReader:
        """Reads emails and checks passwords."""
        return RequestReader(self.engine, self.passwords, self.tokens, self.settings)

    def accept(self, incoming_mails: Sequence[IncomingMail]) -> list[IncomingMail]:
        """Handle emails, including their passwords; after the return they are stored safely.

        An email that fails is stored for another try and does not delay the others.  Returns the
        emails that must be sent again, because their passwords were not checked.  Raises TryLater
        if the database cannot store them.
        """
        unproven = self.take(incoming_mails, gate=spending(self.engine, self.clock))
        return [each.request.incoming for each in unproven]

    def take(
        self,
        incoming_mails: Sequence[IncomingMail],
        proven: Sequence[Request] = (),
        gate: Gate = not_here,
    ) -> list[Unchecked]:
        """Handle the emails that need no hash, and the requests in `proven`, in one transaction.

        An email that may have ended the process before has a transaction of its own.  Returns the
        emails that the `gate` held back, for `prove`: nothing was done for them yet.
        """
        # Of an email to several of our addresses one copy is read, because each would check
        # passwords.
        deadly, alone, others = self.crashing.parted(different(incoming_mails))
        for each in deadly:
            self._quarantine.leave_unopened(each)
        unproven: list[Unchecked] = []
        with held(self.engine):
            for incoming in alone:
                self._receive_all(self._prepared([incoming], unproven, gate))
            with self._in_progress(others):
                found = self._prepared(others, unproven, gate)
            self._receive_all([*found, *proven])
        return unproven

    def _in_progress(self, incoming_mails: Sequence[IncomingMail]) -> AbstractContextManager[None]:
        """Record the one email that is handled as in progress; of several, each is recorded alone.

        So the blocks within it need not record it again.
        """
        is_one = len(incoming_mails) == 1
        return self.crashing.holding(incoming_mails) if is_one else nullcontext()

    def prove(self, unproven: Unchecked, late: Late = unheard) -> Request | None:
        """Check the passwords of an email; returns its request, or None after a bug.

        After a bug the email is stored for another try.  This may be called in another thread.
        Raises PasswordCheckPostponed; `late` is called when a stranger's email would raise it.
        """
        now, gate = self.clock(), spending(self.engine, self.clock, late)
        try:
            return self.request_reader.proven(unproven.request, now, gate)
        except Exception as problem:  # a bug of ours
            raise_if_passing(problem)
            self._quarantine.keep(unproven.request.incoming, problem)
            return None

    def _prepared(
        self, incoming_mails: Sequence[IncomingMail], unproven: list[Unchecked], gate: Gate
    ) -> list[Request]:
        """Read emails and check their passwords; one that the gate postpones goes to `unproven`.

        An email that fails because of a bug is stored for another try.
        """
        read: list[tuple[IncomingMail, Mail]] = []
        found: list[Request] = []
        now, reader = 0, self.request_reader
        with self.crashing.one_by_one() as turn_to:
            for incoming in incoming_mails:
                turn_to(incoming)
                try:
                    now = self.clock()
                    read.append((incoming, reader.read(incoming)))
                except Exception as problem:  # a bug of ours
                    self._keep(incoming, problem)
        from_whom = self._with_senders(read, now)
        with self.crashing.one_by_one() as turn_to:
            for (incoming, mail), known in from_whom:
                turn_to(incoming)
                try:
                    request = reader.understood_as(incoming, mail, known, now)
                    found.append(reader.proven(request, now, gate))
                except HashNeeded as needed:
                    unproven.append(Unchecked(replace(request, known=None), needed.asker))
                except PasswordCheckPostponed:
                    unproven.append(Unchecked(replace(request, known=None), Asker.STRANGER))
                except Exception as problem:  # a bug of ours
                    self._keep(incoming, problem)
        return found

    def _with_senders(
        self, mails: Sequence[tuple[IncomingMail, Mail]], now: int
    ) -> list[tuple[tuple[IncomingMail, Mail], KnownSender]]:
        """The parsed emails, each with what is known of its sender.

        All are asked for in one statement.  After a bug each is asked for alone.
        """
        with self.crashing.holding([incoming for incoming, _ in mails]):
            try:
                return list(zip(mails, self.request_reader.senders(mails, now), strict=True))
            except Exception as problem:  # a bug of ours must not affect the other emails
                if len(mails) == 1:
                    self._keep(mails[0][0], problem)
                    return []
                raise_if_passing(problem)
        return [found for each in mails for found in self._with_senders([each], now)]

    def _keep(self, incoming: IncomingMail, problem: Exception) -> None:
        """Store an email for another try after a bug of ours, which affects no other email."""
        raise_if_passing(problem)
        self._quarantine.keep(incoming, problem)

    def _receive_all(self, requests: Sequence[Request]) -> None:
        try:
            if requests:
                self._receive(requests)
        except Exception as problem:
            raise_if_passing(problem)
            # One of them failed and nothing of the batch was stored, so each is tried alone.
            for each in requests:
                self._receive_alone(replace(each, known=None))

    def refuse_large(self, incoming: IncomingMail, limit: int) -> None:
        """Record that an email was larger than the limit, in bytes, and tell its sender.

        `incoming` has the beginning of it, which is enough for the header.
        """
        if self.crashing.is_deadly(incoming):
            self._quarantine.leave_unopened(incoming)
            return
        with self.crashing.holding([incoming]):
            self._quarantine.refuse_large(incoming, limit)

    def store(self, incoming_mails: Sequence[IncomingMail]) -> None:
        """Store emails for the running server, with their passwords checked.

        Raises PasswordCheckPostponed.  So no password is on the disk, and the server need not
        compute a hash.
        """
        for incoming in incoming_mails:
            if self.crashing.is_deadly(incoming):
                self._quarantine.leave_unopened(incoming)
                continue
            mail, kept = self._to_be_stored(incoming)
            with writing(self.engine) as connection:
                now = self.clock()
                if not inbox.note(connection, kept, mail, now, state=inbox.WAITING):
                    self._quarantine.tell_of_copy(connection, mail, now)

    def _to_be_stored(self, incoming: IncomingMail) -> tuple[Mail, IncomingMail]:
        """Read an email for storage, with its passwords checked and removed.

        Raises PasswordCheckPostponed.
        """
        now = self.clock()
        with self.crashing.holding([incoming]):
            try:
                request = self.request_reader.open(incoming, now, spending(self.engine, self.clock))
            except Exception as problem:  # a bug of ours, which the server will meet as well
                raise_if_passing(problem)
                return self.request_reader.glanced(incoming), incoming
            return request.mail, without_passwords(request)

    def work(self) -> int:
        """Handle the emails that wait, oldest first; returns how many were tried."""
        with reading(self.engine) as connection:
            waiting = inbox.waiting(connection, BATCH)
        if waiting:
            self.crashing.look_again()
        for number, tries, incoming in waiting:
            if self.crashing.is_deadly(incoming):
                self._quarantine.leave_unopened(incoming, number)
                continue
            with self.crashing.holding([incoming]):
                self._try(number, tries, incoming)
        return len(waiting)

    def _try(self, number: int, tries: int, incoming: IncomingMail) -> None:
        try:
            self._work_on(number, incoming)
        except Exception as problem:  # it is tried again, then set aside
            raise_if_passing(problem)
            self._quarantine.note_failure(number, tries + 1, incoming, problem)

    def carry_out(
        self,
        line: Line,
        credentials: Credentials,
        message: str,
        language: str = "",
        identifier: str = "",
    ) -> tuple[Outcome, Sequence[Letter], str]:
        """Execute one command of a shell, whose `identifier` is a random text.

        Returns its outcome, the user's own letters, and the user's language, which is the shell's
        if no player is known.
        """
        kind = reading if reads_only(line) else writing
        with kind(self.engine) as connection:
            said = {"writer": Writer(declared=language), "identifier": identifier}
            context = self.transactions.context(
                connection, credentials, "", message, at_shell=True, **said
            )
            outcome, mine, others = at_shell(line, context, self.tokens)
            queue.put(connection, others, self.tokens, context.now)
            mine, theirs = recipients.as_read(connection, mine, credentials.player)
        return outcome, mine, theirs or spoken(language)

    def _receive(self, requests: Sequence[Request]) -> None:
        """Store emails and execute them in one transaction; the log gets a line for each."""
        requests = read_before(self.engine, requests, self._context_for, self.crashing.one_by_one)
        incoming_mails = [each.incoming for each in requests]
        with writing(self.engine) as connection, self._in_progress(incoming_mails):
            self._execute_all(connection, requests)
        for each in requests:
            server_log.received(each.incoming, each.mail)

    def _execute_all(self, connection: Connection, requests: Sequence[Request]) -> None:
        """Store emails and execute them; an email that was received before does nothing."""
        now, incoming_mails = self.clock(), [each.incoming for each in requests]
        letters = []
        with self.crashing.holding(incoming_mails):
            received = [
                Received(each.incoming, each.mail, traced(each), board_of(each))
                for each in requests
            ]
            numbers = inbox.note_all(connection, received, now)
        may_have_changed = False
        with self.crashing.one_by_one() as turn_to:
            for one, number, noted in zip(requests, numbers, received, strict=True):
                each = replace(one, known=None) if may_have_changed else one
                turn_to(each.incoming)
                if found := self._execute(connection, each, number, noted.reason, now):
                    letters.append(found)
                may_have_changed = may_have_changed or may_change_senders(each)
        if may_have_changed:
            letters = [replace(each, known={}) for each in letters]
        with self.crashing.holding(incoming_mails):
            queue.put_all(connection, letters, self.tokens, now)
        self.crashing.forget(connection, incoming_mails)

    def _execute(
        self, connection: Connection, each: Request, number: int | None, reason: str, now: int
    ) -> OutgoingLetters | None:
        """Execute an email (its id in the inbox, and what is recorded of it there)."""
        if number is None:
            self._quarantine.tell_of_copy(connection, each.mail, now)
            return None
        context = self._context_for(connection, each)
        letters, became = executed(each, context, self.tokens, number)
        if became != reason:
            inbox.set_reason(connection, number, became)
        return replace(letters, known=context.recipients)

    def _receive_alone(self, request: Request) -> None:
        try:
            self._receive([request])
        except Exception as problem:  # a bug of ours
            raise_if_passing(problem)
            with self.crashing.holding([request.incoming]):
                self._quarantine.keep(request.incoming, problem)

    def _work_on(self, number: int, incoming: IncomingMail) -> None:
        read = self.request_reader.open(incoming, self.clock())
        (request,) = read_before(
            self.engine, [read], self._context_for, lambda: nullcontext(lambda incoming: None)
        )
        with writing(self.engine) as connection:
            context = self._context_for(connection, request)
            letters, reason = executed(request, context, self.tokens, number)
            queue.put_all(connection, [letters], self.tokens, self.clock())
            inbox.mark_done(connection, number, reason, incoming.recipient, board_of(request))
            self.crashing.forget(connection, [incoming])
        if incoming.transport == "pipe":  # the other transports have logged it already
            server_log.received(incoming, request.mail)

    @property
    def _quarantine(self) -> Quarantine:
        return Quarantine(self.engine, self.request_reader, self.settings, self.tokens, self.clock)

    def _context_for(self, connection: Connection, request: Request) -> Context:
        mail = request.mail
        return self.transactions.context(
            connection,
            request.credentials,
            mail.sender,
            request.message,
            name=mail.name,
            writer=mail.writer,
            identifier=mail.message_id,
            kept_back=request.kept_back,
        )
