"""Leave out a signature that a writer repeats from email to email without a line of dashes.

The first email with it reaches the others: nothing shows that its last lines are a signature.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from sqlalchemy import Connection, func, select

from pbmserv.database.models import Player, Seat, Talk
from pbmserv.letters.wrapping import LEFT_OUT

FEWEST_LINES = 2  # people repeat one line on purpose: "Good luck!"
MOST_LINES = 8
_MOST_TEXTS = 20  # of the writer, the latest


def without_signature(connection: Connection, writers: Set[int], text: str) -> str:
    """A text without last lines with which an earlier text of its writer at a board ended.

    They are 2 to 8 lines below an empty line, in at least one of the two texts.  A person who
    writes the same again on purpose means it.  `writers` are players' ids.
    """
    own = text.removesuffix(f"\n{LEFT_OUT}")
    block = _last_block(own)
    if not FEWEST_LINES <= block.count("\n") + 1 <= MOST_LINES:
        return text
    for earlier in _earlier(connection, writers):
        before = earlier.removesuffix(f"\n{LEFT_OUT}")
        if _last_block(before) == block and not before == own == block:
            left = own.removesuffix(block).rstrip()
            return f"{left}{text[len(own) :]}" if left else ""
    return text


def _last_block(text: str) -> str:
    """The last lines, up to an empty one."""
    return text.rpartition("\n\n")[2]


def _earlier(connection: Connection, writers: Set[int]) -> Sequence[str]:
    """The latest texts that these players wrote at boards where they have a seat."""
    if not writers:
        return ()
    query = (
        select(Talk.text)
        .join(Seat, Seat.board_id == Talk.board_id)
        .join(Player, Player.id == Seat.player_id)
        .where(Player.id.in_(writers), func.lower(Talk.userid) == Player.userid_key)
        .order_by(Talk.id.desc())
        .limit(_MOST_TEXTS)
    )
    return connection.execute(query).scalars().all()
