"""The outbox: letters that wait, one row for each address.

A letter is stored as a payload, in the transaction of the command or job that wrote it.  `delivery`
sends it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

from sqlalchemy import Connection, Engine, bindparam, insert, select

from pbmserv.database import models
from pbmserv.database.engine import reading
from pbmserv.database.models.states import DUE, HELD, constant
from pbmserv.database.prepared_statements import Prepared
from pbmserv.fast_dataclasses import dataclass, replace
from pbmserv.letters.payloads.boards import (
    ALREADY_PLAYED,
    CHAT_LATE,
    DECLINED,
    MUTED,
    QUEUED,
    REPORTED,
    RESIGN_CANCELLED,
    RESIGN_PENDING,
    TAKEN,
)
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.perudo import BOARDS, CHAT, OFFER
from pbmserv.mail.writer_facts import Writer
from pbmserv.monitoring import server_log
from pbmserv.outbox import recipients
from pbmserv.outbox.held_letters import ASKING, DAILY, OF_BOARDS
from pbmserv.outbox.letter_language import language_of
from pbmserv.outbox.recipients import (
    OWN_ADDRESS,
    Recipient,
    is_personal,
    recipients_of,
    seen_by,
)
from pbmserv.security.credentials import ANSWER, DRAW, NEWS, TALK
from pbmserv.security.tokens import Tokens

WAITS = "waits: the budget of answers is used up"  # the reason of a letter that may not leave yet

_RECEIPTS = {
    each.name
    for each in (DECLINED, MUTED, QUEUED, REPORTED, RESIGN_CANCELLED, RESIGN_PENDING, TAKEN)
}
"""Letters that confirm to a player what that player asked for: thanks for them are for nobody."""
_ADD = Prepared(insert(models.OutboxLetter))
_IS_DUE = Prepared(
    select(models.OutboxLetter.id)
    .where(models.OutboxLetter.state == constant(DUE))
    .where(models.OutboxLetter.due_at <= bindparam("now"))
    .limit(1)
)


@dataclass(frozen=True, slots=True)
class OutgoingLetters:
    """Letters that were written together, and the email that they answer, if there is one.

    `mail` is the id in the inbox of the email that caused them.  An answer goes to `address`, in
    reply to `message_id`; `asker` is the player who asked, if known.  An answer has the language
    and time zone of the player `reader`.  That is the asker, or the owner of that address.
    `is_one`: no other player can be meant.  Letters to addresses are in the language of that
    player, too, and else in the one of the email, which `writer` tells.

    `known` are the players among the readers of whom nothing changes until the letters are stored.

    Answers are sent `at` that moment at the earliest, and requests for a confirmation at
    `asking_at` (seconds since 1970).  Letters to players do not wait.  `why` tells the operator
    why answers are missing, "" if none is.
    """

    letters: Sequence[Letter]
    at: int = 0
    asking_at: int = 0
    reader: int | None = None
    why: str = ""
    is_one: bool = True
    asker: int | None = None
    address: str = ""
    message_id: str = ""
    mail: int | None = None
    writer: Writer = Writer()
    known: Mapping[int | None, Recipient] = field(default_factory=dict)


def is_due(engine: Engine, now: int) -> bool:
    """Whether there is a letter that could be sent now."""
    with reading(engine) as connection:
        return bool(_IS_DUE.rows(connection, {"now": now}))


def put(connection: Connection, letters: Iterable[Letter], tokens: Tokens, now: int) -> None:
    """Insert letters that answer no email into the outbox, one row for each address.

    A player's letters go to all confirmed addresses of the player that are not suppressed.
    """
    put_all(connection, [OutgoingLetters(list(letters))], tokens, now)


def put_all(
    connection: Connection, batch: Sequence[OutgoingLetters], tokens: Tokens, now: int
) -> None:
    """Write the letters of a batch of emails into the outbox, as `put` does, all at once."""
    ids = {_reader_of(each, written) for written in batch for each in written.letters}
    ids |= {written.reader for written in batch}
    known = {player: reader for each in batch for player, reader in each.known.items()}
    known |= recipients_of(connection, ids - known.keys() - {None})
    named = {each.to for written in batch for each in written.letters if isinstance(each.to, str)}
    paused = recipients.paused(connection, named)
    rows: list[dict[str, object]] = []
    for written in batch:
        asking = known.get(written.reader)
        for letter in written.letters:
            if letter.to in paused and not recipients.goes_to_paused(letter, paused[letter.to]):
                continue
            reader = known.get(_reader_of(letter, written))
            if reader and letter.to is None and not written.is_one:
                reader = replace(reader, userid="")
            language = language_of(letter, reader, asking, written.writer)
            mine = _rows(letter, reader, written, language, tokens, now)
            rows += [{**row, "mail": written.mail} for row in mine]
    if rows:
        _ADD.run(connection, *rows)


def _reader_of(letter: Letter, written: OutgoingLetters) -> int | None:
    """The player for whom a letter is rendered, or None."""
    if letter.to is None:
        return written.reader
    return letter.to if isinstance(letter.to, int) else None


def _rows(
    letter: Letter,
    reader: Recipient | None,
    written: OutgoingLetters,
    language: str,
    tokens: Tokens,
    now: int,
) -> list[dict[str, object]]:
    asker = letter.to in {None, written.asker, written.address}
    was_asked = (asker or letter.address) and not letter.routine
    if reader and not was_asked and not reader.wants(letter):
        return []
    due_at = now
    if not isinstance(letter.to, int):
        due_at = max(now, written.asking_at if letter.kind in ASKING else written.at)
    addresses = _where_to(letter, reader, written)
    payload = _with_tokens(letter, seen_by(letter, reader), tokens)
    if letter.to is None and reader and reader.userid and reader.has_all(addresses):
        payload = {**payload, OWN_ADDRESS: True}
    row = {
        "player_id": letter.to if isinstance(letter.to, int) else None,
        "board_id": letter.board,
        "kind": letter.kind,
        "language": language,
        "payload": json.dumps(payload, ensure_ascii=False),
        "token": _token(letter, tokens),
        "answers": written.message_id if asker else "",
        "written_at": now,
        "state": DUE,
        "due_at": due_at,
        "reason": WAITS if due_at > now else "",
    }
    if reader and not asker and not letter.address:
        out_of_reach = reader.is_out_of_reach(now)
        for_digest = letter.kind in OF_BOARDS and (reader.digest == DAILY or out_of_reach)
        if for_digest or (out_of_reach and is_personal(letter)):
            # One row is enough, because another letter will include it.
            row["state"], addresses = HELD, [*addresses, *reader.paused][:1]
    if due_at > now:
        server_log.waits(letter.kind, addresses, due_at)
    return [{**row, "address": each} for each in addresses]


def _with_tokens(
    letter: Letter, payload: Mapping[str, object], tokens: Tokens
) -> Mapping[str, object]:
    """The payload; with a token for each board if it is about several.

    Each is the token that a letter about that board alone has.
    """
    if letter.kind != BOARDS.name or not isinstance(letter.to, int):
        return payload
    boards: Any = payload["boards"]
    made = {str(each["board"]): (each["board"], letter.to, each["move"]) for each in boards}
    return {**payload, "tokens": {board: tokens.letter(*of) for board, of in made.items()}}


def _token(letter: Letter, tokens: Tokens) -> str:
    """The letter's own token, or the token with which its reader can reply with a move."""
    player = letter.to if isinstance(letter.to, int) else letter.player
    if player is None or letter.board is None or letter.move is None:
        return letter.token
    return tokens.letter(letter.board, player, letter.move, _about(letter))


def _about(letter: Letter) -> str:
    """What a letter asks its reader for, as its token says."""
    if letter.kind == OFFER.name:
        return DRAW
    if letter.kind == BOARDS.name:
        news: Any = letter.payload["news"]
        return NEWS if any(each["board"] != letter.board for each in news) else ""
    if letter.kind in _RECEIPTS:
        return ANSWER
    return TALK if letter.kind in {ALREADY_PLAYED.name, CHAT.name, CHAT_LATE.name} else ""


def _where_to(letter: Letter, reader: Recipient | None, written: OutgoingLetters) -> Sequence[str]:
    if letter.address:
        return [letter.address]
    if isinstance(letter.to, int):
        return reader.where_to(letter) if reader else ()
    if letter.to is not None:
        return [letter.to]
    return [written.address] if written.address else []
