"""Account suspension: the operator stops a player from acting for a time; see `moderation`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from sqlalchemy import Connection, bindparam, select

from pbmserv.database.models import Player
from pbmserv.errors import Refused

FOREVER = 10**10  # seconds since 1970; means until the operator ends it
_AMONG = select(Player.id).where(
    Player.id.in_(bindparam("players", expanding=True)), Player.suspended_until > bindparam("now")
)
_UNTIL = select(Player.userid, Player.suspended_until).where(Player.id == bindparam("player"))


def check(userid: str, suspended_until: int | None, now: int) -> None:
    """Check that a player may act; raises Refused `account_suspended`."""
    if suspended_until is not None and suspended_until > now:
        until = 0 if suspended_until >= FOREVER else suspended_until
        raise Refused("account_suspended", userid=userid, until=until)


def check_player(connection: Connection, player: int, now: int) -> None:
    """Check that the player with this id may act; raises Refused as `check`."""
    check(*connection.execute(_UNTIL, {"player": player}).one(), now)


def among(connection: Connection, people: Collection[int], now: int) -> set[int]:
    """The suspended ones of these players, who take no seat at a new board."""
    return set(connection.execute(_AMONG, {"players": [*people], "now": now}).scalars())


def unseated(connection: Connection, people: Mapping[int, str], now: int) -> Iterator[Refused]:
    """The refusal `suspended` of a board if some of these players (userids by id) are suspended."""
    if found := among(connection, people.keys(), now):
        yield Refused("suspended", names=[people[each] for each in people if each in found])
