"""Newcomers, who have not finished a game with another person, and their daily limits.

A new account costs nothing.  So it may begin few boards and write few messages, until another
person has finished a game with it.
"""

from __future__ import annotations

from sqlalchemy import Connection, exists, select

from pbmserv.context import UnitOfWork
from pbmserv.database import models
from pbmserv.errors import Refused
from pbmserv.ratelimit import fixed_window
from pbmserv.timeunits import DAY

BOARDS, MESSAGES = "boards", "messages"
UNPROVEN = "unproven "  # prefix of the counters for emails without proof of their sender
_WHAT = "newcomer"  # what `fixed_window` counts
_FINISHED = ("won", "drawn")  # states of a board


def _is_newcomer(connection: Connection, player: int) -> bool:
    """Whether the player has no finished board at which another person has also moved."""
    mine, other = models.Seat, models.Seat.aliased()
    finished = (
        select(models.Board.id)
        .join(mine, mine.board_id == models.Board.id)
        .join(other, other.board_id == models.Board.id)
        .join(models.Player, models.Player.id == other.player_id)
        .where(mine.player_id == player, models.Board.state.in_(_FINISHED))
        .where(other.player_id != player, other.moves > 0, models.Player.level == "")
    )
    return not connection.execute(select(exists(finished))).scalar()


def check(work: UnitOfWork, player: int, what: str, times: int = 1, apart: str = "") -> None:
    """Raise Refused `newcomers_daily` if this exceeds a newcomer's daily limit.

    `what` is BOARDS, which a player begins, or MESSAGES, one for each reader.  `apart` is UNPROVEN
    if the sender is not proven.
    """
    room = work.settings.newcomers_daily - times + 1
    spent = work.connection, _WHAT, f"{apart}{what} {player}"
    if room > 0 and fixed_window.allowed(*spent, room, DAY, work.now):
        return
    if _is_newcomer(work.connection, player):
        raise Refused("newcomers_daily", what=what, most=work.settings.newcomers_daily)


def reached(work: UnitOfWork, player: int) -> int:
    """The daily limit of messages, if a newcomer has sent as many today; 0 for another player."""
    most = work.settings.newcomers_daily
    spent = work.connection, _WHAT, f"{MESSAGES} {player}"
    if fixed_window.allowed(*spent, most, DAY, work.now):
        return 0
    return most if _is_newcomer(work.connection, player) else 0


def note(work: UnitOfWork, player: int, what: str, times: int = 1, apart: str = "") -> None:
    """Count boards begun or messages sent, by any player: only a newcomer's are ever checked."""
    fixed_window.note(work.connection, _WHAT, f"{apart}{what} {player}", DAY, work.now, times)
