"""Deliver the letters that are due: render, compose, and hand them to a transport.

Some letters are rendered together, and the next ones while the relay answers.  A transport that
cannot deliver says whether to try again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeAlias

from sqlalchemy import Connection, Engine, bindparam, case, func, insert, select, update

from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.database.models import DeliveryAttempt
from pbmserv.database.models.states import DUE, FAILED, RETURNED, SENT, constant
from pbmserv.database.prepared_statements import Prepared
from pbmserv.errors import Misconfigured, TryLater, describe
from pbmserv.fast_dataclasses import dataclass
from pbmserv.mail.transport import (
    Coming,
    Envelope,
    Postponed,
    Transport,
    Unanswered,
    Undeliverable,
    Unreachable,
)
from pbmserv.monitoring import operator_alerts, server_log
from pbmserv.outbox.outgoing_email import Worded, envelope_sender, worded
from pbmserv.outbox.retries import PAUSES_OF_SUSPECT, postponed
from pbmserv.outbox.sent_journal import PLACES, SentJournal, open_journal
from pbmserv.outbox.slow_domains import SlowDomains
from pbmserv.security.tokens import Tokens, blanked
from pbmserv.settings import Settings

BATCH = PLACES  # letters
TOGETHER = 8  # letters that are rendered while one leaves

_NOW = (
    select(models.OutboxLetter.__table__)
    .where(models.OutboxLetter.state == constant(DUE))
    .where(models.OutboxLetter.due_at <= bindparam("now"))
    .limit(BATCH)
)
# Letters are tried again for days, and each try may take minutes.  So new ones come first, and then
# those that wait for longer: none can starve the others.
_WAS_TRIED = models.OutboxLetter.tries > 0
_IN_TURN = models.OutboxLetter.due_at, models.OutboxLetter.id
_DUE = Prepared(_NOW.order_by(_WAS_TRIED, *_IN_TURN))
_LETTER = update(models.OutboxLetter).where(models.OutboxLetter.id == bindparam("letter"))
# A bounce may come before we have written that the letter left.
_IS_BACK = models.OutboxLetter.state == RETURNED
_SENT = _LETTER.values(
    state=case((_IS_BACK, RETURNED), else_=SENT),
    reason=case((_IS_BACK, models.OutboxLetter.reason), else_=bindparam("answer")),
    payload="",
    token="",
    due_at=bindparam("now"),
)
# The reader may change addresses while a letter is tried; it must then still go to the new one.
_THERE = models.OutboxLetter.address == bindparam("to")
_SENT_THERE = Prepared(_SENT.where(_THERE).values(lines=bindparam("said"), size=bindparam("bytes")))
# A letter that was dropped while it was tried stays dropped.
_CHANGE = _LETTER.where(models.OutboxLetter.state == DUE, _THERE)


@dataclass(frozen=True, slots=True)
class LostLetter:
    """A letter that could not be delivered: its address, its time, and the transport's answer.

    `at_once`: it was refused permanently (5xx); else it was tried for five days.
    """

    address: str
    written_at: int
    reason: str
    at_once: bool


Lost: TypeAlias = Callable[[Connection, Sequence[LostLetter]], None]
"""Treats letters that could not be delivered, in the transaction that marks them."""
_Answered = dict[str, Any]  # a sent letter: its id, its address, the transport's answer
_Kept = tuple[Mapping[Any, Any], dict[str, object]]  # a row, and the changes to it


@dataclass(slots=True)
class _Letter:
    """A letter that is due.  It is rendered once: by `prepare`, or when it is needed."""

    row: Mapping[Any, Any]
    envelope: Envelope
    render: Callable[[], Worded]
    _made: Worded | Exception | None = field(default=None, init=False)

    @property
    def is_rendered(self) -> bool:
        """Whether `prepare` was called."""
        return self._made is not None

    def prepare(self) -> Worded | Exception:
        """Render it, unless it was done before; returns the exception of a failure."""
        if self._made is None:
            try:
                self._made = self.render()
            except Exception as problem:  # a bug of ours
                self._made = problem
        return self._made

    def made(self) -> Worded:
        """The email, and the fingerprints of its lines; raises what rendering raised."""
        found = self.prepare()
        if isinstance(found, Exception):
            raise found
        return found


def deliver(
    engine: Engine,
    settings: Settings,
    tokens: Tokens,
    transport: Transport,
    clock: Callable[[], int],
    *,
    going: Callable[[], bool] = lambda: True,
    ahead: bool = False,
    lost: Lost = lambda connection, letters: None,
) -> int:
    """Send every letter that is due, new ones first; returns how many were sent.

    Each letter is recorded as it is sent.  So a crash repeats at most one, with its Message-ID.
    With `ahead` letters are rendered while others leave.  In a new process, a letter that ends it
    would then repeat another at each start.  The transaction that marks failed ones calls `lost`.

    Raises TryLater or Misconfigured if sent letters cannot be recorded.  Then no letter is sent
    until the journal and the database can be written again.
    """
    sent, slow = 0, SlowDomains()
    with open_journal(settings.home) as noted:
        try:
            _recover(engine, noted, clock(), lost)
            _go_on(engine, noted, clock())
            while going():
                with reading(engine) as connection:
                    rows = _due(slow).rows(connection, {"now": clock()})
                letters = [_letter(settings, tokens, row._asdict()) for row in rows]
                batch = _Batch(letters, noted, clock)
                if not ahead:
                    batch.prepare(0, len(letters))
                try:
                    is_done = batch.hand_over(transport, slow)
                except TryLater:
                    batch.mark(engine, lost)
                    raise
                batch.mark(engine, lost)
                sent += len(batch.sent)
                if is_done and len(letters) < BATCH and not batch.kept:  # else more may be due
                    break
        except (TryLater, Misconfigured):
            noted.stop(clock())
            raise
    return sent


def _go_on(engine: Engine, noted: SentJournal, now: int) -> None:
    """After a stop, write to the database before any letter is sent, and alert the operator."""
    if stopped_at := noted.stopped_at():
        why = f"stopped from {datetime.fromtimestamp(stopped_at, UTC):%Y-%m-%d %H:%M} UTC"
        with writing(engine) as connection:
            operator_alerts.note(connection, "sending", "letters", why, now)
        noted.go_on()


@dataclass(slots=True)
class _Batch:
    """Letters that leave together.

    `sent` has the transport's answer for each letter that it took, and `kept` the changes of the
    others.  A letter in neither was not tried, and stays due.
    """

    letters: Sequence[_Letter]
    noted: SentJournal
    clock: Callable[[], int]
    sent: dict[int, _Answered] = field(default_factory=dict)
    kept: list[_Kept] = field(default_factory=list)

    def prepare(self, first: int, count: int = TOGETHER) -> None:
        """Render so many letters from this place on, unless the first of them was rendered before.

        While a relay on this machine takes a letter, the processor's caches lose what rendering
        needs.  So several letters are rendered between two answers.
        """
        letters = self.letters[first : first + count]
        if letters and not letters[0].is_rendered:
            try:
                for each in letters:
                    self.noted.note_rendered(each.row["id"])
                    each.prepare()
            finally:
                self.noted.note_rendered(0)

    def hand_over(self, transport: Transport, slow: SlowDomains) -> bool:
        """Hand the letters over to the transport; returns False behind one that took long.

        Then letters may have come meanwhile, and those behind it are left as they are.  Raises
        TryLater if a sent letter cannot be recorded, or cannot be written to our disk.
        """
        for place, letter in enumerate(self.letters):
            self.noted.reserve()
            self.prepare(place)
            began, address = self.clock(), letter.row["address"]
            # Behind a slow letter another one may come than the following.
            has_following = address not in slow and place + 1 < len(self.letters)
            following = self._coming(place + 1) if has_following else None
            try:
                became = _send(transport, letter, following, began)
            except Unreachable as away:  # this holds for the others as well
                self._postpone(self.letters[place:], away)
                break
            except Unanswered as silent:  # it may have taken minutes: recorded before the next
                self._postpone([letter], silent)
                break
            if isinstance(became, str):
                self._note_sent(letter, became)
            else:
                self.kept.append((letter.row, became))
            if slow.note(address, self.clock() - began):
                return False
        return True

    def _coming(self, place: int) -> Coming:
        """The letter at a place, for a transport that waits meanwhile."""
        return Coming(self.letters[place].envelope, partial(self.prepare, place))

    def mark(self, engine: Engine, lost: Lost) -> None:
        """Record in the database what became of the letters."""
        _mark(engine, self.noted, self.sent, self.kept, self.clock(), lost)

    def _postpone(self, letters: Sequence[_Letter], problem: Exception) -> None:
        reason, now = blanked(str(problem)), self.clock()
        self.kept += [(each.row, postponed(each.row, reason, now)) for each in letters]

    def _note_sent(self, letter: _Letter, answer: str) -> None:
        number = letter.row["id"]
        self.sent[number] = {
            "letter": number,
            "to": letter.row["address"],
            "answer": answer,
            "said": letter.made().lines,
            "bytes": len(letter.made().data),
        }
        self.noted.note(number)
        server_log.sent(letter.row, answer)


def _due(slow: SlowDomains) -> Prepared:
    """The next letters; of the new ones, those to slow domains come last."""
    is_slow = slow.condition()
    return _DUE if is_slow is None else Prepared(_NOW.order_by(_WAS_TRIED, is_slow, *_IN_TURN))


def _letter(settings: Settings, tokens: Tokens, row: Mapping[Any, Any]) -> _Letter:
    stamp = tokens.stamp(row["id"], row["address"])
    render = partial(worded, settings, row, stamp, tokens)
    return _Letter(row, (envelope_sender(settings, stamp), row["address"]), render)


def _recover(
    engine: Engine,
    noted: SentJournal,
    now: int,
    lost: Lost,
) -> None:
    """After a crash, mark the letters that were sent, and postpone the one that was being rendered.

    Otherwise that letter would end each new process, and the letters behind it would never leave.
    """
    _mark(engine, noted, {}, [], now, lost)
    if not (suspect := noted.suspect()):
        return
    row = models.OutboxLetter
    with reading(engine) as connection:
        query = select(row.__table__).where(row.id == suspect, row.state == DUE)
        rows = connection.execute(query).mappings().all()
    reason = "could not be written: the process ended meanwhile"
    kept = [(each, postponed(each, reason, now, PAUSES_OF_SUSPECT)) for each in rows]
    _mark(engine, noted, {}, kept, now, lost)
    noted.note_rendered(0)


def _mark(
    engine: Engine,
    noted: SentJournal,
    answers: Mapping[int, _Answered],
    kept: Sequence[_Kept],
    now: int,
    lost: Lost,
) -> None:
    """Mark the sent letters with the transport's answers, and change the rows of the others."""
    before = [
        {"letter": each, "answer": "", "now": now} for each in noted.noted() if each not in answers
    ]
    if not before and not answers and not kept:
        return
    with writing(engine, durable=False) as connection:
        if before:
            connection.execute(_SENT, before)
        if answers:
            _SENT_THERE.run(connection, *[{**left, "now": now} for left in answers.values()])
        for row, change in kept:
            to = {"letter": row["id"], "to": row["address"]}
            still_there = connection.execute(_CHANGE, {**to, **change}).rowcount > 0
            given_up = still_there and change["state"] == FAILED
            note_failure(connection, row, str(change["reason"]), now, given_up=given_up)
        if failed := [_lost(*each) for each in kept if each[1]["state"] == FAILED]:
            lost(connection, failed)
    noted.clear()


def _lost(row: Mapping[Any, Any], change: Mapping[str, object]) -> LostLetter:
    at_once = "tries" not in change
    return LostLetter(row["address"], row["written_at"], str(change["reason"]), at_once)


def _send(
    transport: Transport, letter: _Letter, coming: Coming | None, now: int
) -> str | dict[str, object]:
    """Send one letter; returns the transport's answer, or the changes of the row if it failed.

    Raises Unreachable or Unanswered, or TryLater if the letter cannot be written to our own disk.
    """
    try:
        data = letter.made().data
    except Exception as problem:  # a bug of ours: the letter waits for its fix
        return postponed(letter.row, f"could not be written: {describe(problem)}", now)
    try:
        return blanked(transport.carry(letter.row["id"], *letter.envelope, data, coming))
    except Undeliverable as problem:
        return {"state": FAILED, "reason": blanked(str(problem))}
    except (Unreachable, Unanswered, TryLater):
        raise
    except Postponed as problem:
        return postponed(letter.row, blanked(str(problem)), now)
    except Exception as problem:  # a bug of ours must not stop the other letters
        return postponed(letter.row, f"could not be sent: {describe(problem)}", now)


def note_failure(
    connection: Connection, letter: Mapping[Any, Any], answer: str, now: int, *, given_up: bool
) -> None:
    """Record a failed attempt, and alert the operator if the letter is given up.

    `letter` is its row in the outbox, `answer` the transport's answer, without tokens.
    """
    server_log.stayed(letter, answer, given_up=given_up)
    latest = (
        select(func.max(DeliveryAttempt.id))
        .where(DeliveryAttempt.letter_id == letter["id"])
        .scalar_subquery()
    )
    again = update(DeliveryAttempt).where(
        DeliveryAttempt.id == latest, DeliveryAttempt.answer == answer
    )
    if not connection.execute(again.values(last_at=now, count=DeliveryAttempt.count + 1)).rowcount:
        row = {"letter_id": letter["id"], "answer": answer, "first_at": now, "last_at": now}
        connection.execute(insert(DeliveryAttempt).values(**row, count=1))
    # No alert for a failed letter of alerts: it would fail in the same way.
    if given_up and letter["kind"] != "incidents":
        name = f"out{letter['id']} to {letter['address']}"
        operator_alerts.note(connection, "undelivered", name, answer, now)
