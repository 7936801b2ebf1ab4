"""Blocks: a player refuses all contact with another player.

A player gets no seat at a new board with blocked players, and no messages from them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import BindParameter, Connection, bindparam, delete, insert, or_, select

from pbmserv.database.models import Block
from pbmserv.errors import Fact, Refused

MOST = 100  # players that one player may block
_PLAYERS: BindParameter[int] = bindparam("players", expanding=True)
_APART = select(Block.player_id, Block.blocked_id).where(
    Block.player_id.in_(_PLAYERS), Block.blocked_id.in_(_PLAYERS)
)


def add(connection: Connection, player: int, other: int) -> bool:
    """Store that a player blocks another; returns False if that is so already.

    Raises Refused `too_many_blocks`.
    """
    mine = select(Block.blocked_id).where(Block.player_id == player)
    known = connection.execute(mine).scalars().all()
    if other in known:
        return False
    if len(known) >= MOST:
        raise Refused("too_many_blocks", most=MOST)
    connection.execute(insert(Block).values(player_id=player, blocked_id=other))
    return True


def remove(connection: Connection, player: int, other: int) -> bool:
    """Remove a player's block of another; returns whether there was one."""
    pair = Block.player_id == player, Block.blocked_id == other
    return connection.execute(delete(Block).where(*pair)).rowcount > 0


def blockers(connection: Connection, player: int) -> set[int]:
    """The players who have blocked this player."""
    return set(
        connection.execute(select(Block.player_id).where(Block.blocked_id == player)).scalars()
    )


def apart(connection: Connection, players: Collection[int]) -> list[tuple[int, int]]:
    """The pairs among these players in which the first has blocked the second."""
    rows = connection.execute(_APART, {"players": [*players]})
    return [(first, second) for first, second in rows]


def check(connection: Connection, asker: int | None, players: Mapping[int, str]) -> list[Refused]:
    """Why these players (ids and userids) may not share a board, as refusals for their `asker`.

    `blocked_by_you` names the players whom the asker has blocked.  `blocked_by` names players who
    have blocked the asker or another player.  No refusal names the player whom somebody blocks.
    """
    pairs = apart(connection, {*players, *([asker] if asker else [])})
    mine = {second for first, second in pairs if first == asker}
    theirs = {first for first, _ in pairs if first != asker}
    found = []
    if names := _names(players, mine):
        found.append(Refused("blocked_by_you", names=names))
    if names := _names(players, theirs):
        found.append(Refused("blocked_by", names=names, others=True))
    return found


def _names(players: Mapping[int, str], which: set[int]) -> list[Fact]:
    return [userid for number, userid in players.items() if number in which]


def together(connection: Connection, players: Sequence[int]) -> list[int]:
    """The players, in their order, who may share a board: each one with all chosen before."""
    pairs = apart(connection, players)
    strangers = set(pairs) | {(second, first) for first, second in pairs}
    found: list[int] = []
    for each in players:
        if not any((each, other) in strangers for other in found):
            found.append(each)
    return found


def forget(connection: Connection, player: int) -> None:
    """Delete all blocks by a player, and all blocks of that player."""
    mine = or_(Block.player_id == player, Block.blocked_id == player)
    connection.execute(delete(Block).where(mine))
