"""Suspension: players whom the operator lets do nothing for a while; see `moderation`."""

from __future__ import annotations

from sqlalchemy import Connection, select

from pbmserv.errors import Refused
from pbmserv.models import Player

FOREVER = 10**10  # seconds since 1970: until the operator ends it


def check(userid: str, suspended_until: int | None, now: int) -> None:
    """Whether a player may act; raises Refused `account_suspended`."""
    if suspended_until is not None and suspended_until > now:
        until = 0 if suspended_until >= FOREVER else suspended_until
        raise Refused("account_suspended", userid=userid, until=until)


def check_player(connection: Connection, player: int, now: int) -> None:
    """Whether the player of a number may act; raises Refused as `check`."""
    query = select(Player.userid, Player.suspended_until).where(Player.id == player)
    check(*connection.execute(query).one(), now)
