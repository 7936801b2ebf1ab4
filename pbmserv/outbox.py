"""The outbox: letters that wait, are worded, and leave.

A letter is written down as facts in the transaction that decided it.  Here it is worded,
composed and handed to a carrier; a carrier that cannot deliver says whether to try again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from sqlalchemy import Connection, Engine, bindparam, insert, select, update

from pbmserv import deliveries, models
from pbmserv.database import reading, writing
from pbmserv.desk import Letter
from pbmserv.digest import DAILY, HELD
from pbmserv.letters import DEFAULT_LANGUAGE
from pbmserv.mail.carrier import Carrier, Envelope, Postponed, Undeliverable
from pbmserv.postmarks import Postmarks, postmarks
from pbmserv.readers import Reader, readers_of, seen_by
from pbmserv.settings import Settings
from pbmserv.tokens import Tokens, blanked
from pbmserv.wording import worded

DUE, SENT, FAILED, DROPPED = "due", "sent", "failed", "dropped"
BATCH = 64

# Seconds after which an undelivered letter is tried again; then hourly, until it is too old.
PAUSES = (60, 5 * 60, 15 * 60, 60 * 60)
# What the digest of a player who wants one holds in place of letters of their own.
OF_BOARDS = {"perudo/started", "perudo/moved", "perudo/ended", "perudo/chat", "perudo/offer"}
LONGEST = 5 * 24 * 60 * 60

_ADD = insert(models.OutboxLetter)
_DUE = (
    select(models.OutboxLetter.__table__)
    .where(models.OutboxLetter.state == DUE, models.OutboxLetter.due_at <= bindparam("now"))
    .order_by(models.OutboxLetter.id)
    .limit(BATCH)
)
_CHANGE = update(models.OutboxLetter).where(models.OutboxLetter.id == bindparam("letter"))
_SENT = _CHANGE.values(
    state=SENT, facts="", token="", reason=bindparam("answer"), due_at=bindparam("now")
)


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
    all the addresses that the player has confirmed.
    """
    put_all(connection, [Written(list(letters), answered, mail)], tokens, now)


def put_all(connection: Connection, batch: Sequence[Written], tokens: Tokens, now: int) -> None:
    """Write the letters of a batch of mails into the outbox, as `put` does, all at once."""
    ids = {_reader_of(each, written.answered) for written in batch for each in written.letters}
    readers = readers_of(connection, ids - {None})
    rows: list[dict[str, object]] = []
    for written in batch:
        for letter in written.letters:
            reader = readers.get(_reader_of(letter, written.answered))
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
    if letter.kind in OF_BOARDS and reader and reader.digest == DAILY and not asker:
        # One row is enough: it will be part of another letter.
        row["state"], addresses = HELD, addresses[:1]
    return [{**row, "address": each} for each in addresses]


def _token(letter: Letter, tokens: Tokens) -> str:
    """The letter's own token, or the one by which its reader can answer with a bare move."""
    if isinstance(letter.to, int) and letter.board is not None and letter.move is not None:
        return tokens.letter(letter.board, letter.to, letter.move)
    return letter.token


def is_due(engine: Engine, now: int) -> bool:
    """True while there is a letter that could be sent now."""
    with reading(engine) as connection:
        return connection.execute(_DUE, {"now": now}).first() is not None


def _where_to(letter: Letter, reader: Reader | None, answered: Answered | None) -> Sequence[str]:
    if isinstance(letter.to, int):
        return reader.addresses if reader else ()
    if letter.to is not None:
        return [letter.to]
    return [answered.address] if answered and answered.address else []


def deliver(
    engine: Engine,
    settings: Settings,
    carrier: Carrier,
    clock: Callable[[], int],
    *,
    going: Callable[[], bool] = lambda: True,
) -> int:
    """Send every letter that is due, oldest first; returns how many left.

    Each is noted as it leaves, so that a crash repeats one letter at most, with the same
    Message-ID.
    """
    sent = 0
    with postmarks(settings.home) as noted:
        _mark(engine, noted, {}, [], clock())  # what left before a crash
        while going():
            with reading(engine) as connection:
                due = connection.execute(_DUE, {"now": clock()}).mappings().all()
            kept, answers = [], {}
            for row, following in zip_longest(due, due[1:]):
                became = _send(settings, carrier, row, following, clock())
                if isinstance(became, str):
                    noted.note(row["id"])
                    answers[row["id"]] = became
                else:
                    kept.append((row, became))
            _mark(engine, noted, answers, kept, clock())
            sent += len(answers)
            if len(due) < BATCH:
                break
    return sent


def _mark(
    engine: Engine,
    noted: Postmarks,
    answers: Mapping[int, str],
    kept: Sequence[tuple[Mapping[Any, Any], Mapping[str, object]]],
    now: int,
) -> None:
    """Mark what has left, with what the carrier answered, and change the letters that have not."""
    left = [
        {"letter": number, "answer": answers.get(number, ""), "now": now}
        for number in noted.noted()
    ]
    if not left and not kept:
        return
    with writing(engine, durable=False) as connection:
        if left:
            connection.execute(_SENT, left)
        for row, change in kept:
            connection.execute(_CHANGE, {"letter": row["id"], **change})
            given_up = change["state"] == FAILED
            deliveries.failed(connection, row, str(change["reason"]), now, given_up=given_up)
    noted.clear()


def _send(
    settings: Settings,
    carrier: Carrier,
    row: Mapping[Any, Any],
    following: Mapping[Any, Any] | None,
    now: int,
) -> str | dict[str, object]:
    """Send one letter: the carrier's answer if it left, else what becomes of the row."""
    try:
        data = worded(settings, row)
        after = _envelope(settings, following) if following else None
        return blanked(carrier.carry(row["id"], *_envelope(settings, row), data, after))
    except Undeliverable as problem:
        return {"state": FAILED, "reason": blanked(str(problem))}
    except Postponed as problem:
        return _postponed(row, blanked(str(problem)), now)
    except Exception as problem:  # a letter that cannot be worded must not stop the others
        return _postponed(row, f"could not be written: {type(problem).__name__}", now)


def _envelope(settings: Settings, row: Mapping[Any, Any]) -> Envelope:
    return settings.address, row["address"]


def _postponed(row: Mapping[Any, Any], reason: str, now: int) -> dict[str, object]:
    """When a letter that could not leave is tried again; given up when it is too old."""
    tries = row["tries"] + 1
    pause = PAUSES[min(tries, len(PAUSES)) - 1]
    if now + pause - row["written_at"] > LONGEST:
        return {"state": FAILED, "tries": tries, "reason": reason}
    return {"state": DUE, "tries": tries, "reason": reason, "due_at": now + pause}
