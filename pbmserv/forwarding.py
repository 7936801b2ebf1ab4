"""Forwarding: what becomes of letters that wait when their reader's addresses change, or end.

A letter may wait because a mailbox is full, a relay is down, or no address of the player works.
"""

from __future__ import annotations

from sqlalchemy import func, select, update

from pbmserv.desk import Desk
from pbmserv.digest import IS_HELD
from pbmserv.models import Address, OutboxLetter
from pbmserv.models.states import DROPPED, DUE, HELD
from pbmserv.readers import MESSAGE

_BLANK = {"state": DROPPED, "facts": "", "token": "", "reason": "its reader has left the address"}


def forward(desk: Desk, player: int) -> None:
    """Have letters that wait for an address that is the player's no more go to a new one.

    One of each does; none does of which a copy went to an address that stays.
    """
    mine = Address.player_id == player, Address.confirmed_at.is_not(None)
    works = select(Address.address, Address.confirmed_at).where(*mine, Address.paused_at.is_(None))
    kept = desk.connection.execute(works.order_by(Address.id)).all()
    if not kept:
        return
    address, since = kept[0].address, min(each.confirmed_at for each in kept)
    row = OutboxLetter
    everywhere = select(Address.address).where(*mine)
    lost = row.state == DUE, row.address.not_in(everywhere)
    for which in (lost, (IS_HELD, row.kind == MESSAGE)):
        waiting = row.player_id == player, row.written_at <= since, *which
        alike = row.kind, row.board_id, row.token, row.written_at, row.facts
        first = select(func.min(row.id)).where(*waiting).group_by(*alike)
        change = {"address": address, "state": DUE, "due_at": desk.now, "tries": 0}
        desk.connection.execute(update(row).where(row.id.in_(first)).values(change))
    desk.connection.execute(update(row).where(row.player_id == player, *lost).values(_BLANK))


def forget(desk: Desk, player: int) -> None:
    """Drop whatever waits for a player who has left: the addresses are erased."""
    row = OutboxLetter
    waiting = row.player_id == player, row.state.in_([DUE, HELD])
    desk.connection.execute(update(row).where(*waiting).values(_BLANK))
