"""The outbox: letters that wait, are worded, and leave.

A letter is written down as facts in the transaction that decided it.  Here it is worded,
composed and handed to a carrier; a carrier that cannot deliver says whether to try again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, bindparam, insert, select, update

from pbmserv import deliveries, logbook, models, readers
from pbmserv.database import reading, writing
from pbmserv.desk import Letter
from pbmserv.digest import DAILY, HELD, OF_BOARDS
from pbmserv.letters import DEFAULT_LANGUAGE
from pbmserv.mail.carrier import Carrier, Envelope, Postponed, Undeliverable, Unreachable
from pbmserv.postmarks import Postmarks, postmarks
from pbmserv.readers import Reader, is_personal, readers_of, seen_by
from pbmserv.settings import Settings
from pbmserv.tokens import Tokens, blanked
from pbmserv.wording import envelope_sender, worded

DUE, SENT, RETURNED, FAILED, DROPPED = "due", "sent", "returned", "failed", "dropped"
BATCH = 64

_ADD = insert(models.OutboxLetter)
_DUE = (
    select(models.OutboxLetter.__table__)
    .where(models.OutboxLetter.state == DUE, models.OutboxLetter.due_at <= bindparam("now"))
    .order_by(models.OutboxLetter.id)
    .limit(BATCH)
)
_LETTER = update(models.OutboxLetter).where(models.OutboxLetter.id == bindparam("letter"))
_SENT = _LETTER.values(
    state=SENT, facts="", token="", reason=bindparam("answer"), due_at=bindparam("now")
)
# What was dropped while it was being tried stays dropped.
_CHANGE = _LETTER.where(models.OutboxLetter.state == DUE)


@dataclass(frozen=True, slots=True)
class Answered:
    """The mail that letters answer: who asked (a player's number or None), from where.

    `reader` is the player in whose language and time zone an answer is written: who asked, or
    whoever has that address.  What goes to addresses leaves `at` that moment at the earliest:
    letters to players do not wait.
    """

    player: int | None
    address: str
    message_id: str
    reader: int | None = None
    at: int = 0


@dataclass(frozen=True, slots=True)
class Written:
    """Letters that were written together, the mail that they answer, and the one they follow from.

    `mail` is its number in the inbox.
    """

    letters: Sequence[Letter]
    answered: Answered | None = None
    mail: int | None = None


@dataclass(frozen=True, slots=True)
class Lost:
    """A letter that could not leave: to which address, written when, and what the carrier said.

    `at_once`: it was refused for good (5xx); else it was tried until it was too old.
    """

    address: str
    written_at: int
    reason: str
    at_once: bool


def put(
    connection: Connection,
    letters: Iterable[Letter],
    tokens: Tokens,
    now: int,
    answered: Answered | None = None,
    mail: int | None = None,
) -> None:
    """Write letters into the outbox, one row for each address; `mail` is what they follow from.

    A letter to nobody in particular goes to the address that asked.  A player's letters go to
    all the addresses that the player has confirmed, but for those that are paused.
    """
    put_all(connection, [Written(list(letters), answered, mail)], tokens, now)


def put_all(connection: Connection, batch: Sequence[Written], tokens: Tokens, now: int) -> None:
    """Write the letters of a batch of mails into the outbox, as `put` does, all at once."""
    ids = {_reader_of(each, written.answered) for written in batch for each in written.letters}
    known = readers_of(connection, ids - {None})
    named = {each.to for written in batch for each in written.letters if isinstance(each.to, str)}
    paused = readers.paused(connection, named)
    rows: list[dict[str, object]] = []
    for written in batch:
        for letter in written.letters:
            if letter.to in paused and not readers.goes_to_paused(letter, paused[letter.to]):
                continue
            reader = known.get(_reader_of(letter, written.answered))
            mine = _rows(letter, reader, written.answered, tokens, now)
            rows += [{**row, "mail": written.mail} for row in mine]
    if rows:
        connection.execute(_ADD, rows)


def _reader_of(letter: Letter, answered: Answered | None) -> int | None:
    """The player for whom a letter is worded, if it is known."""
    if letter.to is None and answered:
        return answered.reader
    return letter.to if isinstance(letter.to, int) else None


def _rows(
    letter: Letter, reader: Reader | None, answered: Answered | None, tokens: Tokens, now: int
) -> list[dict[str, object]]:
    asker = answered is not None and letter.to in {None, answered.player, answered.address}
    waits = answered is not None and not isinstance(letter.to, int)
    due_at = max(now, answered.at) if answered and waits else now
    row = {
        "player_id": letter.to if isinstance(letter.to, int) else None,
        "board_id": letter.board,
        "kind": letter.kind,
        "language": reader.language if reader else DEFAULT_LANGUAGE,
        "facts": json.dumps(seen_by(letter, reader, tokens), ensure_ascii=False),
        "token": _token(letter, tokens),
        "answers": answered.message_id if answered and asker else "",
        "written_at": now,
        "state": DUE,
        "due_at": due_at,
        "reason": "waits: the budget of answers is used up" if due_at > now else "",
    }
    addresses = _where_to(letter, reader, answered)
    if reader and not asker and not letter.address:
        if not reader.wants(letter):
            return []
        out_of_reach = reader.is_out_of_reach(now)
        waits = letter.kind in OF_BOARDS and (reader.digest == DAILY or out_of_reach)
        if waits or (out_of_reach and is_personal(letter)):
            # One row is enough: it will be part of another letter.
            row["state"], addresses = HELD, [*addresses, *reader.paused][:1]
    return [{**row, "address": each} for each in addresses]


def _token(letter: Letter, tokens: Tokens) -> str:
    """The letter's own token, or the one by which its reader can answer with a bare move."""
    player = letter.to if isinstance(letter.to, int) else letter.player
    if player is None or letter.board is None or letter.move is None:
        return letter.token
    return tokens.letter(letter.board, player, letter.move)


def is_due(engine: Engine, now: int) -> bool:
    """True while there is a letter that could be sent now."""
    with reading(engine) as connection:
        return connection.execute(_DUE, {"now": now}).first() is not None


def _where_to(letter: Letter, reader: Reader | None, answered: Answered | None) -> Sequence[str]:
    if letter.address:
        return [letter.address]
    if isinstance(letter.to, int):
        return reader.where_to(letter) if reader else ()
    if letter.to is not None:
        return [letter.to]
    return [answered.address] if answered and answered.address else []


_Kept = tuple[Mapping[Any, Any], dict[str, object]]  # a row, and what becomes of it


class _Stamped(NamedTuple):
    """The row of a letter that is due, and its stamp."""

    row: Mapping[Any, Any]
    stamp: str


def deliver(
    engine: Engine,
    settings: Settings,
    tokens: Tokens,
    carrier: Carrier,
    clock: Callable[[], int],
    *,
    going: Callable[[], bool] = lambda: True,
    lost: Callable[[Connection, Sequence[Lost]], None] = lambda connection, letters: None,
) -> int:
    """Send every letter that is due, oldest first; returns how many left.

    Each is noted as it leaves, so that a crash repeats one letter at most, with the same
    Message-ID.  `lost` is told of those that failed, in the transaction that marks them.
    """
    sent = 0
    with postmarks(settings.home) as noted:
        _mark(engine, noted, {}, [], clock(), lost)  # what left before a crash
        while going():
            with reading(engine) as connection:
                due = connection.execute(_DUE, {"now": clock()}).mappings().all()
            kept, answers = list[_Kept](), dict[int, str]()
            stamped = [_Stamped(row, tokens.stamp(row["id"], row["address"])) for row in due]
            for letter, following in zip_longest(stamped, stamped[1:]):
                row = letter.row
                try:
                    became = _send(settings, carrier, letter, following, clock())
                except Unreachable as away:  # for the others as well
                    rest = due[len(answers) + len(kept) :]
                    kept += [(each, _postponed(each, blanked(str(away)), clock())) for each in rest]
                    break
                if isinstance(became, str):
                    noted.note(row["id"])
                    answers[row["id"]] = became
                    logbook.sent(row, became)
                else:
                    kept.append((row, became))
            _mark(engine, noted, answers, kept, clock(), lost)
            sent += len(answers)
            if len(due) < BATCH and not kept:  # of letters that failed others may be written
                break
    return sent


def _mark(
    engine: Engine,
    noted: Postmarks,
    answers: Mapping[int, str],
    kept: Sequence[_Kept],
    now: int,
    lost: Callable[[Connection, Sequence[Lost]], None],
) -> None:
    """Mark what has left, with what the carrier answered, and change the letters that have not."""
    left = [{"letter": each, "answer": answers.get(each, ""), "now": now} for each in noted.noted()]
    if not left and not kept:
        return
    with writing(engine, durable=False) as connection:
        if left:
            connection.execute(_SENT, left)
        for row, change in kept:
            connection.execute(_CHANGE, {"letter": row["id"], **change})
            given_up = change["state"] == FAILED
            deliveries.failed(connection, row, str(change["reason"]), now, given_up=given_up)
        if failed := [_lost(*each) for each in kept if each[1]["state"] == FAILED]:
            lost(connection, failed)
    noted.clear()


def _lost(row: Mapping[Any, Any], change: Mapping[str, object]) -> Lost:
    at_once = "tries" not in change
    return Lost(row["address"], row["written_at"], str(change["reason"]), at_once)


def _send(
    settings: Settings,
    carrier: Carrier,
    letter: _Stamped,
    following: _Stamped | None,
    now: int,
) -> str | dict[str, object]:
    """Send one letter: the carrier's answer, else what becomes of the row; raises Unreachable."""
    row = letter.row
    try:
        data = worded(settings, row, letter.stamp)
        after = _envelope(settings, following) if following else None
        return blanked(carrier.carry(row["id"], *_envelope(settings, letter), data, after))
    except Undeliverable as problem:
        return {"state": FAILED, "reason": blanked(str(problem))}
    except Unreachable:
        raise
    except Postponed as problem:
        return _postponed(row, blanked(str(problem)), now)
    except Exception as problem:  # a letter that cannot be worded must not stop the others
        return _postponed(row, f"could not be written: {type(problem).__name__}", now)


def _envelope(settings: Settings, letter: _Stamped) -> Envelope:
    return envelope_sender(settings, letter.stamp), letter.row["address"]


def _postponed(row: Mapping[Any, Any], reason: str, now: int) -> dict[str, object]:
    """What becomes of a letter that could not leave; given up when it is too old."""
    change: dict[str, object] = {"tries": row["tries"] + 1, "reason": reason}
    due_at = deliveries.next_try(row, now)
    return change | ({"state": FAILED} if due_at is None else {"state": DUE, "due_at": due_at})
