"""The post office: one mail in, one transaction, letters in the outbox.

What a mail asks for was found out at the reception.  Here, in one transaction, its commands are
carried out, their letters written into the outbox and the mail noted as done; many mails may
share a commit.  A door answers 250 only after the commit that holds its mail.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from random import Random, SystemRandom

from sqlalchemy import Connection, Engine

from pbmserv import (
    attendance,
    clock,
    inbox,
    logbook,
    outbox,
    players,
    readers,
    returns,
)
from pbmserv.answers import Outcome, board_of, refused
from pbmserv.database import reading, writing
from pbmserv.desk import Desk, Letter
from pbmserv.dispatch import Lost
from pbmserv.errands import answered_to, at_shell, traced
from pbmserv.errors import Refused, TryLater, named
from pbmserv.expiry import expire
from pbmserv.facts.mails import BUG, CAME_BEFORE
from pbmserv.keeping import without_passwords
from pbmserv.mail.arrival import Arrival
from pbmserv.mail.reading import Mail
from pbmserv.outbox import Answered, Written
from pbmserv.passwords import Passwords
from pbmserv.reception import Line, Opened, Reception
from pbmserv.replies import answer
from pbmserv.settings import Settings
from pbmserv.tokens import Tokens
from pbmserv.vouchers import Vouchers

BATCH = 64
NOT_ANSWERED = "not answered: so many answers a day are enough"


@dataclass(frozen=True, slots=True)
class PostOffice:
    """Carries out what mails and shells ask for.

    `clock()` is the time in seconds since 1970; chance is an argument, too, so that a show can
    be repeated.
    """

    engine: Engine
    tokens: Tokens
    passwords: Passwords
    settings: Settings
    clock: Callable[[], int]
    seed: Callable[[], bytes] = lambda: secrets.token_bytes(32)
    chance: Random = field(default_factory=SystemRandom)

    @property
    def reception(self) -> Reception:
        """Where mails are read and passwords tried."""
        chosen = self.settings
        return Reception(
            self.engine, self.passwords, self.tokens, chosen.address, chosen.authserv_id
        )

    def accept(self, arrivals: Sequence[Arrival]) -> None:
        """Deal with mails in one transaction; when this returns they are safe.

        A mail that cannot be dealt with is kept for another try and does not hold up the
        others.  Raises TryLater when the database cannot take them.
        """
        # Of a mail for several of our addresses one copy is read: each would try its passwords.
        different: dict[tuple[str | None, bytes], Arrival] = {}
        for arrival in arrivals:
            different.setdefault((arrival.envelope_sender, arrival.raw), arrival)
        opened = [each for arrival in different.values() if (each := self._opened(arrival))]
        try:
            self._receive(opened)
        except TryLater:
            raise
        except Exception:
            # One of them is beyond us.  Nothing of the batch was kept: each by itself, then.
            for each in opened:
                self._receive_alone(each)

    def refuse_large(self, arrival: Arrival, limit: int) -> None:
        """Note that a mail was larger than the limit, in bytes, and tell its sender.

        `arrival` holds the beginning of it: enough for the header.
        """
        mail = self.reception.glanced(arrival)
        refusal = Refused("mail_too_large", limit=limit)
        with writing(self.engine) as connection:
            now = self.clock()
            number = inbox.noted(connection, arrival, mail, now, reason="too large")
            if number and not mail.automatic:
                outcome = Outcome("", refusal=refusal)
                letter = refused(outcome)
                answer(connection, self.settings, self.tokens, mail, number, letter, now, [outcome])
        logbook.received(arrival, mail, limit=limit)

    def store(self, arrivals: Sequence[Arrival]) -> None:
        """Keep mails for the running server to deal with."""
        now = self.clock()
        with writing(self.engine) as connection:
            for arrival in arrivals:
                mail = self.reception.glanced(arrival)
                if not inbox.noted(connection, arrival, mail, now, state=inbox.WAITING):
                    self._tell_of_copy(connection, mail, now)

    def _tell_of_copy(self, connection: Connection, mail: Mail, now: int) -> None:
        """Say that a mail did nothing, where it need not be the copy for which it was taken."""
        if found := inbox.taken_for(connection, mail, now):
            number, came_at, state = found
            letter = CAME_BEFORE.to(None, {"at": came_at, "state": state})
            answer(connection, self.settings, self.tokens, mail, number, letter, now)

    def work(self) -> int:
        """Deal with the mails that wait, oldest first; returns how many were taken up."""
        with reading(self.engine) as connection:
            waiting = inbox.waiting(connection, BATCH)
        for number, tries, arrival in waiting:
            try:
                self._work_on(number, arrival)
            except TryLater:
                raise
            except Exception as problem:  # kept, and tried again; then set aside
                self._note_failure(number, tries + 1, arrival, problem)
        return len(waiting)

    def tick(self, holder: str) -> int:
        """Do what has fallen due with time; returns how many boards were attended to.

        `holder` names this process: of several at once only one does it.
        """
        now = self.clock()
        with writing(self.engine, durable=False) as connection:
            if not clock.taken(connection, holder, now):
                return 0
        attended = attendance.look(self.engine, now, self._put_due)
        put_off = attendance.told_of("the old mails and letters", now)
        attendance.alone(self.engine, self._forget, put_off, durable=False)
        return attended

    def _forget(self, connection: Connection) -> None:
        """Forget a piece of the old mails and letters."""
        expire(self._desk(connection, Vouchers(), "", "", at_shell=True))

    def _put_due(self, connection: Connection, work: Callable[[Desk], list[Letter]]) -> None:
        desk = self._desk(connection, Vouchers(), "", "", at_shell=True)
        outbox.put(connection, work(desk), self.tokens, desk.now)

    def carry_out(
        self, line: Line, vouchers: Vouchers, message: str
    ) -> tuple[Outcome, Sequence[Letter], str]:
        """Carry out one command of a shell: what became of it, and the asker's own letters.

        The last value is the asker's language.
        """
        with writing(self.engine) as connection:
            desk = self._desk(connection, vouchers, "", message, at_shell=True)
            outcome, mine, others = at_shell(line, desk, vouchers)
            outbox.put(connection, others, self.tokens, desk.now)
            mine, language = readers.as_read(connection, mine, vouchers.player, self.tokens)
        return outcome, mine, language

    def lost(self, connection: Connection, letters: Sequence[Lost]) -> None:
        """Take note of letters that could not leave; their readers are told in other ways."""
        self._put_due(connection, partial(returns.lost, letters=letters))

    def _receive(self, opened: Sequence[Opened]) -> None:
        """Note mails and do what they ask, all or none of them; a line of the log tells of each."""
        with writing(self.engine) as connection:
            self._deal_with(connection, opened)
        for each in opened:
            logbook.received(each.arrival, each.mail)

    def _deal_with(self, connection: Connection, opened: Sequence[Opened]) -> None:
        """Note mails and do what they ask; one that was here before does nothing."""
        now = self.clock()
        written = []
        for each in opened:
            reason, board = traced(each), board_of(each)
            number = inbox.noted(
                connection, each.arrival, each.mail, now, reason=reason, board=board
            )
            if number is None:
                self._tell_of_copy(connection, each.mail, now)
                continue
            letters, became = self._answer(connection, each, number)
            written.append(letters)
            if became != reason:
                inbox.reread(connection, number, became)
        outbox.put_all(connection, written, self.tokens, now)

    def _opened(self, arrival: Arrival) -> Opened | None:
        """A mail that was read; one that our reading stumbles over is kept for another try."""
        try:
            return self.reception.open(arrival, self.clock())
        except TryLater:
            raise
        except Exception as problem:  # a bug of ours, and no fault of the other mails
            self._keep(arrival, problem)
            return None

    def _keep(self, arrival: Arrival, problem: Exception) -> None:
        """Keep a mail that we could not deal with for another try."""
        now, reason, mail = self.clock(), named(problem), self.reception.glanced(arrival)
        kept = self._without_passwords(arrival)
        with writing(self.engine) as connection:
            inbox.noted(connection, kept, mail, now, state=inbox.WAITING, reason=reason)
        logbook.received(arrival, mail)

    def _without_passwords(self, arrival: Arrival) -> Arrival:
        """The mail as it may be kept; one that our reading stumbles over is kept as it is."""
        try:
            return without_passwords(self.reception.open(arrival, self.clock()))
        except Exception:  # the same bug of ours, and it is being noted
            return arrival

    def _receive_alone(self, opened: Opened) -> None:
        try:
            self._receive([opened])
        except TryLater:
            raise
        except Exception as problem:  # a bug of ours
            self._keep(opened.arrival, problem)

    def _work_on(self, number: int, arrival: Arrival) -> None:
        opened = self.reception.open(arrival, self.clock())
        with writing(self.engine) as connection:
            written, reason = self._answer(connection, opened, number)
            outbox.put_all(connection, [written], self.tokens, self.clock())
            inbox.dealt_with(connection, number, reason, arrival.recipient, board_of(opened))
        if arrival.door == "pipe":  # of the others we have heard already
            logbook.received(arrival, opened.mail)

    def _note_failure(self, number: int, tries: int, arrival: Arrival, problem: Exception) -> None:
        mail = self.reception.glanced(arrival)
        kept, now = self._without_passwords(arrival), self.clock()
        with writing(self.engine) as connection:
            aside = inbox.failed(connection, number, kept, tries, named(problem), now)
        logbook.failed(number, named(problem), aside=aside)
        # That its writer cannot be told, either, must not undo what was noted.
        with suppress(Exception):
            if tries == inbox.MOST_TRIES and not mail.automatic:  # once, whoever tries it again
                with writing(self.engine) as connection:
                    letter = BUG.to(None, {})
                    answer(connection, self.settings, self.tokens, mail, number, letter, now)

    def _answer(self, connection: Connection, opened: Opened, number: int) -> tuple[Written, str]:
        """Carry out the lines of a mail in order: its letters, and what became of it."""
        mail = opened.mail
        desk = self._desk(connection, opened.vouchers, mail.sender, opened.message)
        if mail.report:
            letters, became = returns.came_back(desk, self.tokens, mail.report)
            return Written(letters, None, number), "; ".join((mail.automatic, *became))
        if mail.automatic or not mail.sender:
            return Written(()), traced(opened)
        outcomes, letters, at = answered_to(opened, desk)
        if at is not None:
            asker = opened.vouchers.player
            reader = players.number_at(connection, mail.sender) if asker is None else asker
            answered = Answered(asker, mail.sender, mail.message_id, reader, at)
            return Written(letters, answered, number), traced(opened, outcomes)
        told = [each for each in letters if isinstance(each.to, int)]
        return Written(told, None, number), f"{traced(opened, outcomes)}; {NOT_ANSWERED}"

    def _desk(
        self,
        connection: Connection,
        vouchers: Vouchers,
        sender: str,
        message: str,
        *,
        at_shell: bool = False,
    ) -> Desk:
        return Desk(
            connection=connection,
            now=self.clock(),
            sender=sender,
            at_shell=at_shell,
            message=message,
            settings=self.settings,
            vouch=vouchers.vouch,
            hash=vouchers.hash,
            seed=self.seed,
            chance=self.chance,
        )
