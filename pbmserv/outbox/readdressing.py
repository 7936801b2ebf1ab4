"""Redirect waiting letters when a player's addresses change, and drop them when a player leaves.

A letter may wait because a mailbox is full, a relay is down, or no address of the player works.
One that failed is dropped in both cases: the operator could send it to the former address.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, and_, func, or_, select, update

from pbmserv.context import UnitOfWork
from pbmserv.database.models import Address, OutboxLetter
from pbmserv.database.models.states import DROPPED, DUE, FAILED, HELD, RETURNED, SENT
from pbmserv.outbox.held_letters import IS_HELD
from pbmserv.outbox.recipients import MESSAGE

_BLANK = {"state": DROPPED, "payload": "", "token": "", "reason": "its reader has left the address"}
_IN_VAIN = {DROPPED, FAILED, RETURNED}  # states of a letter that was not received


def forward(work: UnitOfWork, player: int) -> None:
    """Redirect letters that wait for a former address of a player to the first working one.

    Of several copies only one is redirected.  None is redirected if a copy was or will be sent to
    an address that stays.
    """
    mine = Address.player_id == player, Address.confirmed_at.is_not(None)
    works = select(Address.address).where(*mine, Address.paused_at.is_(None))
    kept = work.connection.execute(works.order_by(Address.id)).scalars().all()
    if not kept:
        return
    row, copy = OutboxLetter, OutboxLetter.aliased()
    everywhere = select(Address.address).where(*mine)
    lost = row.state == DUE, row.address.not_in(everywhere)
    for which in (lost, (IS_HELD, row.kind == MESSAGE)):
        waiting = row.player_id == player, *which
        alike = row.kind, row.board_id, row.token, row.written_at, row.payload
        unique = (
            select(func.min(row.id))
            .outerjoin(copy, and_(copy.address.in_(kept), _is_copy(copy, row)))
            .where(*waiting, copy.id.is_(None))
            .group_by(*alike)
        )
        change = {"address": kept[0], "state": DUE, "due_at": work.now, "tries": 0}
        work.connection.execute(update(row).where(row.id.in_(unique)).values(change))
    failed = row.state == FAILED, row.address.not_in(everywhere)
    for each in (lost, failed):
        work.connection.execute(update(row).where(row.player_id == player, *each).values(_BLANK))


def _is_copy(copy: type[OutboxLetter], row: type[OutboxLetter]) -> ColumnElement[bool]:
    """Whether `copy` is the same letter as `row`, and its reader has it or will get it.

    A sent letter has no payload any more; then the email that caused it identifies it.
    """
    return and_(
        copy.id != row.id,
        copy.player_id == row.player_id,
        copy.kind == row.kind,
        copy.written_at == row.written_at,
        copy.board_id.is_not_distinct_from(row.board_id),
        copy.mail.is_not_distinct_from(row.mail),
        or_(copy.state == SENT, and_(copy.token == row.token, copy.payload == row.payload)),
        copy.state.not_in(_IN_VAIN),
    )


def forget(work: UnitOfWork, player: int) -> None:
    """Drop all letters that wait or failed for a player who has left: addresses are erased."""
    row = OutboxLetter
    waiting = row.player_id == player, row.state.in_([DUE, HELD, FAILED])
    work.connection.execute(update(row).where(*waiting).values(_BLANK))
