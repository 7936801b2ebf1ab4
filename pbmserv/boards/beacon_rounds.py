"""The round of the beacon for which a call on a board waits."""

from __future__ import annotations

from sqlalchemy import Connection, bindparam, select

from pbmserv.boards.record_compression import restored
from pbmserv.context import UnitOfWork
from pbmserv.database import models
from pbmserv.fast_dataclasses import replace
from pbmserv.games.perudo.beacon import EVERY, emitted_at, with_beacon
from pbmserv.games.perudo.events import Action, Call, Resign
from pbmserv.timeunits import HOUR

_event = models.BoardEvent
_OPENED = (
    select(_event.line, _event.digits)
    .where(_event.board_id == bindparam("board"), _event.line.like("beacon %"))
    .order_by(_event.number.desc())
    .limit(1)
)


def with_round(work: UnitOfWork, board: int, action: Action) -> Action:
    """The action; where the server uses the beacon, a call with the round that it waits for.

    The round is later than every round that has opened cups on this board, even after the clock was
    set back.  Otherwise its value may be known.  A clock that was ahead by more than an hour does
    not count: the cups would stay closed for as long.
    """
    if not work.settings.beacon:
        return action
    action = with_beacon(action, work.now)
    if not isinstance(action, Call | Resign) or action.beacon is None:
        return action
    following = _latest(work.connection, board) + EVERY
    is_known = action.beacon < following and emitted_at(following) <= work.now + HOUR
    return replace(action, beacon=following) if is_known else action


def _latest(connection: Connection, board: int) -> int:
    """The latest round of the beacon that has opened cups on a board; 0 for none."""
    row = connection.execute(_OPENED, {"board": board}).first()
    return int(restored(row.line, row.digits).split()[1]) if row else 0
