"""Messages from one player to others, apart from any board; addresses are never shown."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import exists, select

from pbmserv.context import Context, UnitOfWork
from pbmserv.database import models
from pbmserv.errors import Fact, Refused
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.mails import MESSAGE, MESSAGE_SENT, Message, MessageSent
from pbmserv.lobby import bots, newcomers
from pbmserv.outbox.recipients import GAMES
from pbmserv.players import accounts, blocks
from pbmserv.ratelimit import fixed_window
from pbmserv.timeunits import DAY

MOST_READERS = 10  # of one message


def to_players(context: Context, writer: int, words: Sequence[str]) -> list[Letter]:
    """The message for each of these players, and the receipt for its writer.

    Raises Refused `no_message`, `just_quoted`, `too_many_readers`, `no_such_player`, `signed_off`,
    `house_reads_nothing`, `reads_no_messages`, `blocked_by`, `newcomers_daily` or `messages_daily`.
    """
    context.words()
    names = list(dict.fromkeys(word.lower() for word in words))
    if len(names) > MOST_READERS:
        raise Refused("too_many_readers", most=MOST_READERS, given=len(names))
    found = {name: accounts.find(context.connection, name) for name in names}
    there = {each.id for each in found.values() if each}
    row = models.Player
    if bot_names := [name for name in names if bots.is_bot(name)]:
        raise Refused("house_reads_nothing", names=list(bot_names))
    reached = exists().where(
        models.Address.player_id == row.id, models.Address.confirmed_at.is_not(None)
    )
    here = select(row.id).where(row.id.in_(there), row.left_at.is_(None), reached)
    gone = select(row.userid).where(row.id.in_(there), row.left_at.is_not(None))
    if left := list(context.connection.execute(gone.order_by(row.userid)).scalars()):
        raise Refused("signed_off", names=left)
    readers = set(context.connection.execute(here).scalars())
    if unknown := [name for name, each in found.items() if not (each and each.id in readers)]:
        raise Refused("no_such_player", names=list(unknown))
    just_games = select(row.userid).where(row.id.in_(there), row.letters == GAMES)
    if closed := list(context.connection.execute(just_games.order_by(row.userid)).scalars()):
        raise Refused("reads_no_messages", names=closed)
    blocking = blocks.blockers(context.connection, writer) & there
    if blocking:
        raise Refused("blocked_by", names=_named(context, blocking))
    newcomers.check(context, writer, newcomers.MESSAGES, len(names))
    count(context, writer, len(names))
    newcomers.note(context, writer, newcomers.MESSAGES, len(names))
    last = newcomers.reached(context, writer)
    return _letters(context, writer, list(filter(None, found.values())), to_all=False, last=last)


def _named(work: UnitOfWork, ids: set[int]) -> list[Fact]:
    return [each.userid for each in accounts.named(work.connection, sorted(ids))]


def to_all(context: Context, writer: int) -> list[Letter]:
    """The message for every player who wants broadcasts, and the receipt for its writer.

    Raises Refused `no_broadcasts`, `no_message` or `messages_daily`.
    """
    name = accounts.named(context.connection, [writer])[0].userid
    if name.lower() not in context.settings.broadcasters.lower().replace(",", " ").split():
        raise Refused("no_broadcasts")
    context.words()
    _spend(context, "broadcasts", writer, 1, context.settings.broadcasts_daily)
    row = models.Player
    query = select(row.id, row.userid, row.language).where(
        row.broadcasts.is_(True),
        row.letters != GAMES,
        row.left_at.is_(None),
        row.level == "",
        row.id != writer,
    )
    readers = [accounts.Player(*each) for each in context.connection.execute(query)]
    return _letters(context, writer, readers, to_all=True)


def count(context: Context, writer: int, letters: int) -> None:
    """Count letters that a player's own words cause; raises Refused `messages_daily`."""
    _spend(context, "messages", writer, letters, context.settings.messages_daily)


def _spend(context: Context, what: str, writer: int, times: int, most: int) -> None:
    """Count against the daily limits of the writer and of the sender's address.

    A From address can be forged.  So an address that only other players have is checked, but not
    counted.  Raises Refused `messages_daily`.
    """
    spenders = [who for who in (str(writer), context.sender) if who]
    room = most - times + 1
    for who in spenders:
        if room < 1 or not fixed_window.allowed(
            context.connection, what, who, room, DAY, context.now
        ):
            raise Refused("messages_daily", what=what, most=most)
    if writer not in context.owners and _is_a_players(context):
        spenders = [str(writer)]
    for who in spenders:
        fixed_window.note(context.connection, what, who, DAY, context.now, times)


def _is_a_players(context: Context) -> bool:
    return accounts.player_of_address(context.connection, context.sender) is not None


def _letters(
    context: Context,
    writer: int,
    readers: Sequence[accounts.Player],
    *,
    to_all: bool,
    last: int = 0,
) -> list[Letter]:
    name = accounts.named(context.connection, [writer])[0].userid
    message: Message = {"from": name, "text": context.message, "to_all": to_all}
    sent: MessageSent = {
        "to": [each.userid for each in readers] if not to_all else [],
        "count": len(readers),
        "text": context.message,
    }
    if last:
        sent["last"] = last
    return [
        *(MESSAGE.to(each.id, message) for each in readers),
        MESSAGE_SENT.to(None, sent),
    ]
