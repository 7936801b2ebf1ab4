"""The post office: one mail in, one transaction, letters in the outbox.

What a mail asks for was found out at the reception.  Here, in one transaction, its commands are
carried out, their letters written into the outbox and the mail noted as done; many mails may
share a commit.  A door answers 250 only after the commit that holds its mail.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random, SystemRandom

from sqlalchemy import Connection, Engine

from pbmserv import inbox, letters, limits, outbox, players
from pbmserv.commands import carried_out
from pbmserv.database import reading, writing
from pbmserv.desk import Desk, Letter
from pbmserv.errors import Fact, Refused, TryLater
from pbmserv.mail.arrival import Arrival
from pbmserv.outbox import Answered
from pbmserv.passwords import Passwords
from pbmserv.reception import Line, Opened, Reception, Vouchers
from pbmserv.tokens import Tokens

LONGEST_MESSAGE = 10_000  # characters that one player may send to the others at once
DAY = 24 * 60 * 60
STRANGERS_DAILY = 1  # COMMANDS: "Unknown senders get at most one help letter a day"
ANSWERS_DAILY = 200  # no address gets more answers a day: a loop ends here at the latest
BATCH = 64


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one line: its letters, or why it was refused."""

    shown: str
    letters: tuple[Letter, ...] = ()
    refusal: Refused | None = None


@dataclass(frozen=True, slots=True)
class PostOffice:
    """Carries out what mails and shells ask for.

    `address` is the server's own, `clock()` the time in seconds since 1970; chance is an
    argument, too, so that a show can be repeated.
    """

    engine: Engine
    tokens: Tokens
    passwords: Passwords
    address: str
    clock: Callable[[], int]
    seed: Callable[[], bytes] = lambda: secrets.token_bytes(32)
    chance: Random = field(default_factory=SystemRandom)

    @property
    def reception(self) -> Reception:
        """Where mails are read and passwords tried."""
        return Reception(self.engine, self.passwords, self.tokens, self.address)

    def accept(self, arrivals: Sequence[Arrival]) -> None:
        """Deal with mails in one transaction; when this returns they are safe.

        A mail that cannot be dealt with is kept for another try and does not hold up the
        others.  Raises TryLater when the database cannot take them.
        """
        opened = [self.reception.open(arrival, self.clock()) for arrival in arrivals]
        try:
            with writing(self.engine) as connection:
                for each in opened:
                    self._receive(connection, each)
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
        mail = self.reception.read(arrival)
        refusal = Refused("mail_too_large", limit=limit)
        with writing(self.engine) as connection:
            now = self.clock()
            new = inbox.noted(connection, arrival, mail, now, reason="too large")
            if new and mail.sender and not mail.automatic:
                answered = Answered(None, mail.sender, mail.message_id)
                letter = refused(Outcome("", refusal=refusal))
                outbox.put(connection, [letter], self.tokens, now, answered)

    def store(self, arrivals: Sequence[Arrival]) -> None:
        """Keep mails for the running server to deal with."""
        now = self.clock()
        with writing(self.engine) as connection:
            for arrival in arrivals:
                mail = self.reception.read(arrival)
                inbox.noted(connection, arrival, mail, now, state=inbox.WAITING)

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

    def carry_out(
        self, line: Line, vouchers: Vouchers, message: str
    ) -> tuple[Outcome, Sequence[Letter]]:
        """Carry out one command of a shell: what became of it, and the asker's own letters."""
        with writing(self.engine) as connection:
            desk = self._desk(connection, vouchers, "", message, at_shell=True)
            outcome = _outcome(line, desk)
            mine = [each for each in outcome.letters if each.to in {None, vouchers.player}]
            others = [each for each in outcome.letters if each.to is not None]
            outbox.put(connection, others, self.tokens, desk.now)
        return outcome, mine

    def _receive(self, connection: Connection, opened: Opened) -> None:
        """Note a mail and do what it asks; one that was here before does nothing."""
        reason = opened.mail.automatic or "; ".join(line.shown for line in opened.lines)
        if inbox.noted(connection, opened.arrival, opened.mail, self.clock(), reason=reason):
            self._answer(connection, opened)

    def _receive_alone(self, opened: Opened) -> None:
        try:
            with writing(self.engine) as connection:
                self._receive(connection, opened)
        except TryLater:
            raise
        except Exception as problem:  # a bug of ours: the mail is kept for another try
            with writing(self.engine) as connection:
                now, reason = self.clock(), named(problem)
                inbox.noted(
                    connection, opened.arrival, opened.mail, now, state=inbox.WAITING, reason=reason
                )

    def _work_on(self, number: int, arrival: Arrival) -> None:
        opened = self.reception.open(arrival, self.clock())
        with writing(self.engine) as connection:
            self._answer(connection, opened)
            reason = opened.mail.automatic or "; ".join(line.shown for line in opened.lines)
            inbox.dealt_with(connection, number, reason)

    def _note_failure(self, number: int, tries: int, arrival: Arrival, problem: Exception) -> None:
        mail = self.reception.read(arrival)
        with writing(self.engine) as connection:
            if inbox.failed(connection, number, tries, named(problem)) and mail.sender:
                answered = Answered(None, mail.sender, mail.message_id)
                letter = Letter(mail.sender, "bug")
                outbox.put(connection, [letter], self.tokens, self.clock(), answered)

    def _answer(self, connection: Connection, opened: Opened) -> None:
        """Carry out the lines of a mail in order, and write its letters."""
        mail = opened.mail
        if mail.automatic or not mail.sender:
            return
        desk = self._desk(connection, opened.vouchers, mail.sender, opened.message)
        outcomes = [_outcome(line, desk) for line in opened.lines]
        written = _letters(outcomes, opened, desk)
        if self._may_answer(desk, outcomes):
            answered = Answered(opened.vouchers.player, mail.sender, mail.message_id)
        else:
            answered, written = None, [each for each in written if isinstance(each.to, int)]
        outbox.put(connection, written, self.tokens, desk.now, answered)

    def _may_answer(self, desk: Desk, outcomes: Iterable[Outcome]) -> bool:
        """Whether this address may get another answer today: no mail loop outlives this.

        What a player did always gets its letter; refusals and answers to the public are counted.
        """
        outcomes = list(outcomes)
        if outcomes and all(is_of_a_board(done) for done in outcomes):
            return True
        connection, sender, now = desk.connection, desk.sender, desk.now
        useless = all(done.refusal or is_help(done) for done in outcomes)
        known = not useless or players.player_of_address(connection, sender) is not None
        what, most = ("answers", ANSWERS_DAILY) if known else ("stranger", STRANGERS_DAILY)
        if not limits.allowed(connection, what, sender, most, DAY, now):
            return False
        limits.note(connection, what, sender, DAY, now)
        return True

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
            address=self.address,
            vouch=vouchers.vouch,
            hash=lambda password: vouchers.hashes[password],
            seed=self.seed,
            chance=self.chance,
        )


def _outcome(line: Line, desk: Desk) -> Outcome:
    if isinstance(line.context, Refused):
        return Outcome(line.shown, refusal=line.context)
    try:
        if len(desk.message) > LONGEST_MESSAGE:
            raise Refused("message_too_long", limit=LONGEST_MESSAGE)
        return Outcome(line.shown, tuple(carried_out(line.context, desk)))
    except Refused as refusal:
        return Outcome(line.shown, refusal=refusal)


def _letters(outcomes: Sequence[Outcome], opened: Opened, desk: Desk) -> list[Letter]:
    """The letters of a mail: one answer to its writer, however many lines it has."""
    if len(outcomes) != 1 and all(is_unknown(each) for each in outcomes):
        return [Letter(None, "unsure", {"lines": [each.shown for each in outcomes]})]
    if len(outcomes) == 1 and not opened.cut:
        (only,) = outcomes
        return [refused(only)] if only.refusal else list(only.letters)
    player = opened.vouchers.player
    others = [each for done in outcomes for each in done.letters if each.to not in {None, player}]
    answered = [_told(done, player) for done in outcomes]
    if opened.cut:
        text = letters.refusal(opened.cut, {}, "en")
        answered.append({"line": "", "ok": False, "text": text})
    return [*others, Letter(None, "lines", {"lines": answered})]


def _told(done: Outcome, player: int | None) -> Fact:
    """One line's part of the answer to many."""
    if done.refusal:
        text = letters.refusal(done.refusal.code, done.refusal.facts, "en")
        return {"line": done.shown, "ok": False, "text": text}
    mine = [each for each in done.letters if each.to in {None, player}]
    texts = [letters.word(each.kind, each.facts, "en").text for each in mine]
    return {"line": done.shown, "ok": True, "text": "\n\n".join(texts)}


def refused(done: Outcome) -> Letter:
    """The letter that says why a line was refused."""
    assert done.refusal is not None  # only asked for a refused line
    refusal = done.refusal
    facts: dict[str, Fact] = {
        "line": done.shown,
        "code": refusal.code,
        "facts": dict(refusal.facts),
        "board": refusal.facts.get("board"),
    }
    return Letter(None, "refused", facts)


def is_unknown(done: Outcome) -> bool:
    """True if the line was no command."""
    return done.refusal is not None and done.refusal.code == "unknown_command"


def is_of_a_board(done: Outcome) -> bool:
    """True if the line was carried out and speaks to players alone."""
    return not done.refusal and all(isinstance(each.to, int) for each in done.letters)


def is_help(done: Outcome) -> bool:
    """True if the line asked for nothing but help."""
    return [each.kind for each in done.letters] == ["help"]


def named(problem: Exception) -> str:
    """Where a bug showed itself, without a word of what was being read."""
    place = problem.__traceback__
    while place and place.tb_next:
        place = place.tb_next
    where = f"{place.tb_frame.f_code.co_filename}:{place.tb_lineno}" if place else "?"
    return f"{type(problem).__name__} at {where}"
