"""Messages: words from one player to others, apart from any board; no address is ever shown."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select

from pbmserv import limits, models, players
from pbmserv.desk import Desk, Letter
from pbmserv.errors import Fact, Refused

DAY = 24 * 3600
MOST_READERS = 10  # of one message
DAILY = 50  # letters that one player may cause in a day by messages


def to_players(desk: Desk, writer: int, words: Sequence[str]) -> list[Letter]:
    """The message for each of these players, and what the writer is told went out.

    Raises Refused `no_message`, `too_many_readers`, `no_such_player` or `messages_daily`.
    """
    if not desk.message:
        raise Refused("no_message")
    names = list(dict.fromkeys(word.lower() for word in words))
    if len(names) > MOST_READERS:
        raise Refused("too_many_readers", most=MOST_READERS, given=len(names))
    found = {name: players.find(desk.connection, name) for name in names}
    there = {each.id for each in found.values() if each}
    row = models.Player
    gone = set(
        desk.connection.execute(
            select(row.id).where(row.id.in_(there), row.left_at.is_not(None))
        ).scalars()
    )
    if unknown := [name for name, each in found.items() if each is None or each.id in gone]:
        raise Refused("no_such_player", names=list(unknown))
    _count(desk, "messages", writer, DAILY, len(names))
    return _letters(desk, writer, [each for each in found.values() if each], to_all=False)


def to_all(desk: Desk, writer: int) -> list[Letter]:
    """The message for everybody who wants broadcasts, and what the writer is told.

    Raises Refused `no_message` or `messages_daily`.
    """
    if not desk.message:
        raise Refused("no_message")
    _count(desk, "broadcasts", writer, desk.settings.broadcasts_daily)
    row = models.Player
    query = select(row.id, row.userid, row.language).where(
        row.broadcasts.is_(True), row.left_at.is_(None), row.level == "", row.id != writer
    )
    readers = [players.Player(*each) for each in desk.connection.execute(query)]
    return _letters(desk, writer, readers, to_all=True)


def _count(desk: Desk, what: str, writer: int, most: int, letters: int = 1) -> None:
    room = most - letters + 1
    if not limits.allowed(desk.connection, what, str(writer), room, DAY, desk.now) or room < 1:
        raise Refused("messages_daily", what=what, most=most)
    for _ in range(letters):
        limits.note(desk.connection, what, str(writer), DAY, desk.now)


def _letters(
    desk: Desk, writer: int, readers: Sequence[players.Player], *, to_all: bool
) -> list[Letter]:
    name = players.named(desk.connection, [writer])[0].userid
    facts: dict[str, Fact] = {"from": name, "text": desk.message, "to_all": to_all}
    sent: dict[str, Fact] = {
        "to": [each.userid for each in readers] if not to_all else [],
        "count": len(readers),
        "text": desk.message,
    }
    return [
        *(Letter(each.id, "message", facts) for each in readers),
        Letter(None, "message_sent", sent),
    ]
