"""The daily digest: one letter a day with all waiting news of boards.

`outbox.put` holds back the letters about boards for a player who chose a digest.  At seven in the
morning in the player's time zone, one letter replaces them.  It has all that the player needs to
move at every board.  When a player ends the digest, the next tick sends what was held back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import cache, partial

from sqlalchemy import ColumnElement, Connection, Select, and_, exists, select, update

from pbmserv.boards import listing, notices, reminders
from pbmserv.boards.board import load_board
from pbmserv.context import UnitOfWork
from pbmserv.database import models
from pbmserv.database.models.states import SENT
from pbmserv.database.prepared_statements import Prepared
from pbmserv.games.perudo.notation import read_event, read_view
from pbmserv.games.perudo.table import NOBODY, Eliminated
from pbmserv.letters.dates import zone_of
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.perudo import (
    BOARDS,
    ENDED,
    MOVED,
    OFFER,
    STARTED,
    AnyNews,
    AtBoard,
    Boards,
    Known,
    NewsOfSeat,
)
from pbmserv.monitoring import operator_alerts
from pbmserv.outbox.held_letters import DAILY, IS_HELD, OF_BOARDS

HOUR_OF_DAY = 7  # in the player's time zone


def due(connection: Connection, now: int) -> list[int]:
    """The players whose digest is due, or who ended it while letters were held back."""
    return [*of_this_morning(connection, now), *connection.execute(HELD_BACK).scalars()]


def of_this_morning(connection: Connection, now: int) -> list[int]:
    """The players who get digests and have none since their last morning."""
    morning = cache(partial(_last_morning, now))
    return [
        player
        for player, zone, digested_at in _ASKED_FOR.rows(connection, {})
        if digested_at < morning(zone)
    ]


def _asked_for() -> Prepared:
    """The players who get digests, with the time of the latest one."""
    row = models.Player
    query = select(row.id, row.timezone, row.digested_at)
    return Prepared(query.where(row.digest == DAILY, row.left_at.is_(None), _can_be_reached()))


def _held_back() -> Select[int]:
    """The players who ended the digest and for whom letters are still held back."""
    row, letter = models.Player, models.OutboxLetter
    waited_for = select(letter.player_id).where(IS_HELD, letter.kind.in_(OF_BOARDS)).distinct()
    return select(row.id).where(
        row.id.in_(waited_for), row.digest != DAILY, row.left_at.is_(None), _can_be_reached()
    )


def _can_be_reached() -> ColumnElement[bool]:
    """Whether the player of the row has a working address; until then all letters are kept."""
    row = models.Address
    works = and_(row.confirmed_at.is_not(None), row.paused_at.is_(None))
    return exists().where(row.player_id == models.Player.id, works)


# Built once, because each tick runs both.
_ASKED_FOR, HELD_BACK = _asked_for(), _held_back()


def _last_morning(now: int, zone: str, later: int = 0) -> int:
    """The latest moment up to now at which it was seven in the morning in a time zone.

    Or the same hour some days `later`: a day with a change of the clocks has 23 or 25 hours.
    """
    moment = datetime.fromtimestamp(now, zone_of(zone))
    morning = moment.replace(hour=HOUR_OF_DAY, minute=0, second=0, microsecond=0)
    if morning > moment:
        morning -= timedelta(days=1)
    return int((morning + timedelta(days=later)).timestamp())


def comes_before(work: UnitOfWork, player: int, moment: int) -> bool:
    """Whether a player's next digest comes before a moment, so that it includes the reminder."""
    row = models.Player
    query = select(row.digest, row.timezone).where(row.id == player)
    kind, zone = work.connection.execute(query).one()
    return kind == DAILY and _last_morning(work.now, zone, later=1) < moment


def of_player(work: UnitOfWork, player: int, awake: str = "") -> list[Letter]:
    """Build the player's digest; returns no letters if there is no news and no board waits.

    `awake` is an address that works again; the digest then says that it covers the time between.
    """
    row = models.OutboxLetter
    held = select(row.kind, row.payload).where(
        row.player_id == player, IS_HELD, row.kind.in_(OF_BOARDS)
    )
    kept = [
        (kind, json.loads(payload))
        for kind, payload in work.connection.execute(held.order_by(row.id))
    ]
    work.connection.execute(
        update(row)
        .where(row.player_id == player, IS_HELD, row.kind.in_(OF_BOARDS))
        .values(state=SENT, payload="", reason="in the digest")
    )
    known = models.Player
    work.connection.execute(update(known).where(known.id == player).values(digested_at=work.now))
    waiting = reminders.most_urgent_first(
        notices.reminding(work, load_board(work.connection, number))
        for number in listing.waiting_for(work.connection, player)
    )
    news = list(_news(kept))
    if not waiting and not news:
        return []
    userid = work.connection.execute(select(known.userid).where(known.id == player)).scalar_one()
    told: Boards = {
        "userid": userid,
        "boards": waiting,
        "news": news,
        "digest": True,
        "awake": awake,
    }
    if len(waiting) == 1:  # a reply is then a move at this board
        return [BOARDS.to(player, told, waiting[0]["board"], waiting[0]["move"])]
    return [BOARDS.to(player, told)]


def put_off(connection: Connection, player: int, why: str, now: int) -> None:
    """Postpone a digest that could not be built until tomorrow, and alert the operator."""
    row = models.Player
    userid = connection.execute(select(row.userid).where(row.id == player)).scalar_one()
    connection.execute(update(row).where(row.id == player).values(digested_at=now))
    operator_alerts.note(connection, "broken", f"the digest of {userid}", why, now)


def _news(kept: Iterable[tuple[str, Known]]) -> Iterable[AnyNews]:
    """The news that the boards' sections do not show: starts, ends, players out, and messages."""
    for kind, payload in kept:
        of: AtBoard = {"board": payload["board"], "names": payload["names"]}
        if kind == STARTED.name:
            yield {**of, "kind": "begun"}
        elif kind == ENDED.name:
            winner = read_view(payload["table"]).winner
            won = None if winner is None or winner == NOBODY else payload["names"][winner]
            yield {**of, "kind": "ended", "winner": won}
        elif kind == OFFER.name:
            yield {**of, **payload["offer"]}
        elif kind == MOVED.name:
            yield from _changes_of_seats(of, payload)
        if queue := payload.get("queue"):
            yield {**of, **queue, "kind": "queue"}
        if said := payload["message"]:
            yield {**of, "kind": "said", "who": said["from"], "text": said["text"]}


def _changes_of_seats(of: AtBoard, payload: Known) -> Iterable[NewsOfSeat]:
    """The news about seats, such as forfeits and takeovers, and of a draw that a move ended."""
    names, note = payload["names"], payload.get("note")
    reader = None if payload["reader"] is None else names[payload["reader"]]
    if payload.get("draw_ended"):
        yield {**of, "kind": "lapsed", "who": "", "other": "", "reader": reader}
    if note:
        yield {**of, **note, "reader": reader}
    for event in map(read_event, payload["events"]):
        if isinstance(event, Eliminated) and not (note and note["who"] == names[event.seat]):
            who = names[event.seat]
            yield {**of, "kind": "out", "who": who, "other": "", "reader": reader}
